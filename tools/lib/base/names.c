// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "names.h"
#include "base/io.h"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *module_file_end(const char *name)
{
	const char *at = strstr(base_of(name), ".ko");

	while (at && at[3] && at[3] != '.')
		at = strstr(at + 1, ".ko");
	return at ? at + 3 : NULL;
}

bool module_is(const char *name)
{
	return name && !is_kernel_name(name) &&
	       (*name == '[' || module_file_end(name));
}

void module_name_of(const char *name, char module[MODULE_NAME_SIZE])
{
	const char *end = module_file_end(name);
	const char *start = *name == '[' ? name + 1 : base_of(name);
	size_t length = end ? (size_t)(end - 3 - start) : strcspn(start, "]");

	snprintf(module, MODULE_NAME_SIZE, "%.*s", (int)length, start);
	for (char *p = module; *p; p++)
		if (*p == '-')
			*p = '_';
}

static const struct {
	uint32_t model;
	const char *name;
} names[] = {
#define CPU(id, implementer, part, name, sources) {MIDR_##id, name},
#include "cpus.def"
#undef CPU
};

const char *midr_name(uint64_t midr)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].model == midr_model(midr))
			return names[i].name;
	return NULL;
}

/* The file of a kernel with all its modules has about 1 MB. */
#define MAX_BYTES (1 << 24)

/* The slot for @module in index number @path; NULL if out of memory. */
static void **file_of(struct module_index *index, uint32_t path,
		      const char *module, bool *is_new)
{
	char name[16 + MODULE_NAME_SIZE];

	snprintf(name, sizeof(name), "%" PRIu32 " %s", path, module);
	return named_item(&index->files, name, is_new);
}

/* Parses "FILE: DEPENDENCIES". */
static int read_line(struct module_index *index, uint32_t path, char *line)
{
	char module[MODULE_NAME_SIZE];
	bool is_new;
	void **file;

	line[strcspn(line, ":")] = '\0';
	if (!module_file_end(line))
		return 0;
	module_name_of(line, module);
	file = file_of(index, path, module, &is_new);
	if (file && is_new)
		*file = strdup(line);
	return file && *file ? 0 : -ENOMEM;
}

static int read_all(struct module_index *index, uint32_t number,
		    const char *path)
{
	struct stat st;
	FILE *file;
	char line[LINE_ROOM];
	int fd = regular_open(path, 0, &st);
	int ret = fd < 0 ? fd : regular_stream(fd, &file);

	if (ret)
		return ret;
	if (st.st_size > MAX_BYTES)
		ret = -EFBIG;
	while (!ret && line_next(file, line))
		ret = read_line(index, number, line);
	fclose(file);
	return ret;
}

int module_index_find(struct module_index *index, const char *path,
		      const char *module, const char **file)
{
	size_t known = index->paths.count;
	uint32_t number;
	bool is_new;
	void **found;
	int ret = 0;

	if (strings_intern(&index->paths, path, strlen(path), &number))
		return -ENOMEM;
	if (number == known)
		ret = read_all(index, number, path);
	if (ret)
		return ret;
	found = file_of(index, number, module, &is_new);
	if (!found)
		return -ENOMEM;
	*file = *found;
	return 0;
}

void module_index_fini(struct module_index *index)
{
	strings_fini(&index->paths);
	named_fini(&index->files, free);
}
