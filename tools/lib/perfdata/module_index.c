// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "module_index.h"
#include "module_name.h"
#include "input/regular.h"
#include "table/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int intern(struct module_index *index, uint32_t path, const char *module,
		  uint32_t *number)
{
	char key[16 + MODULE_NAME_SIZE];
	int length = snprintf(key, sizeof(key), "%" PRIu32 " %s", path, module);

	return strings_intern(&index->names, key, length, number);
}

/* @file: NULL is none. Nothing changes where the module is known. */
static int add(struct module_index *index, uint32_t path, const char *module,
	       const char *file)
{
	void *files = array_reserve(index->files, index->count,
				    &index->capacity, sizeof(*index->files));
	uint32_t number;

	if (!files)
		return -ENOMEM;
	index->files = files;
	if (intern(index, path, module, &number))
		return -ENOMEM;
	if (number < index->count)
		return 0;
	index->files[index->count++] = NULL;
	if (!file)
		return 0;
	index->files[number] =
		arena_copy(&index->arena, file, strlen(file) + 1);
	return index->files[number] ? 0 : -ENOMEM;
}

/* "FILE: FILES it needs" */
static int read_line(struct module_index *index, uint32_t path, char *line)
{
	char module[MODULE_NAME_SIZE];

	line[strcspn(line, ":\n")] = '\0';
	if (!module_file_end(line))
		return 0;
	module_name_of(line, module);
	return add(index, path, module, line);
}

static int read_all(struct module_index *index, uint32_t number,
		    const char *path)
{
	struct stat st;
	FILE *file = regular_stream(regular_open(path, 0, &st));
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	while (file && !ret && getline(&line, &size, file) > 0)
		ret = read_line(index, number, line);
	free(line);
	if (file)
		fclose(file);
	return ret;
}

int module_index_find(struct module_index *index, const char *path,
		      const char *module, const char **file)
{
	size_t known = index->paths.count;
	uint32_t number;

	if (strings_intern(&index->paths, path, strlen(path), &number) ||
	    (number == known && read_all(index, number, path)) ||
	    /* What is not in it is added, as no file. */
	    add(index, number, module, NULL) ||
	    intern(index, number, module, &number))
		return -ENOMEM;
	*file = index->files[number];
	return 0;
}

void module_index_fini(struct module_index *index)
{
	strings_fini(&index->paths);
	strings_fini(&index->names);
	free(index->files);
	arena_fini(&index->arena);
}
