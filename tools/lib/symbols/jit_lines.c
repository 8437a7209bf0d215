// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "jit_lines.h"
#include "base/array.h"
#include "jit_open.h"
#include "jit_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A function has no more than this to tell. */
#define MAX_RECORD (16U << 20)
/* Instead of the name of a file: that of the line before. */
#define SAME_FILE "\xff"

struct jit_line {
	uint64_t offset; /* in the code; up to that of the next */
	uint32_t number; /* as told */
	uint32_t line;
	const char *file; /* NULL: not known */
};

struct jit_source {
	uint64_t at; /* in the jitdump; 0: was read */
	uint64_t address;
	uint64_t size;
	struct jit_line *lines;
	size_t count;
	size_t capacity;
};

int jit_lines_add(struct jit_lines *lines, uint64_t at, uint64_t address,
		  uint64_t size, uint32_t *number)
{
	struct jit_source *sources =
		array_reserve(lines->sources, lines->count, &lines->capacity,
			      sizeof(*sources));

	if (!sources)
		return -ENOMEM;
	lines->sources = sources;
	sources[lines->count] = (struct jit_source){
		.at = at,
		.address = address,
		.size = size,
	};
	*number = ++lines->count;
	return 0;
}

static void source_clear(struct jit_source *source)
{
	free(source->lines);
	source->lines = NULL;
	source->count = 0;
	source->capacity = 0;
}

/* The last of several lines for one address is valid. */
static int compare(const void *a, const void *b)
{
	const struct jit_line *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static bool is_text(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ')
			return false;
	return true;
}

static int set_file(struct jit_lines *lines, struct jit_source *source,
		    const char *name, struct jit_line *line)
{
	uint32_t number;

	if (!strcmp(name, SAME_FILE)) {
		line->file = source->count
				     ? source->lines[source->count - 1].file
				     : NULL;
		return 0;
	}
	if (strings_intern(&lines->files, name, strlen(name), &number))
		return -ENOMEM;
	line->file = *name ? strings_get(&lines->files, number) : NULL;
	return 0;
}

static int add_line(struct jit_lines *lines, struct jit_source *source,
		    const struct dump_line *told, const char *name)
{
	struct jit_line line = {
		.offset = told->address - lines->dump->lines_shift -
			  source->address,
		.number = source->count,
		.line = told->line,
	};
	void *moved = array_reserve(source->lines, source->count,
				    &source->capacity, sizeof(line));

	if (!moved)
		return -ENOMEM;
	source->lines = moved;
	if (line.offset > source->size || !is_text(name))
		return -EINVAL;
	if (set_file(lines, source, name, &line))
		return -ENOMEM;
	source->lines[source->count++] = line;
	return 0;
}

/* Returns -EINVAL for impossible data: then none of it is used. */
static int add_lines(struct jit_lines *lines, struct jit_source *source,
		     const char *data, size_t size, uint64_t count)
{
	struct dump_line told;
	int ret = 0;

	while (!ret && count--) {
		const char *name = data + sizeof(told);
		size_t length;

		if (size <= sizeof(told))
			return -EINVAL;
		size -= sizeof(told);
		length = strnlen(name, size);
		if (length == size)
			return -EINVAL;
		memcpy(&told, data, sizeof(told));
		ret = add_line(lines, source, &told, name);
		data = name + length + 1;
		size -= length + 1;
	}
	return ret;
}

static int read_lines(struct jit_lines *lines, struct jit_source *source,
		      FILE *file, size_t size, uint64_t count)
{
	char *data = malloc(size + 1);
	int ret;

	if (!data)
		return -ENOMEM;
	ret = fread(data, 1, size, file) == size
		      ? add_lines(lines, source, data, size, count)
		      : -EINVAL;
	free(data);
	return ret;
}

static int read_record(struct jit_lines *lines, struct jit_source *source,
		       FILE *file)
{
	struct dump_record record;
	struct dump_lines header;

	if (fseek(file, source->at, SEEK_SET) ||
	    fread(&record, sizeof(record), 1, file) != 1 ||
	    record.type != CODE_LINES || record.size > MAX_RECORD ||
	    record.size < sizeof(record) + sizeof(header) ||
	    fread(&header, sizeof(header), 1, file) != 1 ||
	    header.address != source->address)
		return -EINVAL;
	return read_lines(lines, source, file,
			  record.size - sizeof(record) - sizeof(header),
			  header.count);
}

static int source_read(struct jit_lines *lines, struct missing *missing,
		       struct jit_source *source)
{
	struct stat st;
	FILE *file;
	int ret = jit_open(lines->dump->path, missing, &st, &file);

	if (file) {
		ret = read_record(lines, source, file);
		fclose(file);
	}
	if (ret)
		source_clear(source);
	if (ret == -ENOMEM)
		return ret;
	source->at = 0;
	if (source->count)
		qsort(source->lines, source->count, sizeof(*source->lines),
		      compare);
	return 0;
}

int jit_lines_find(struct jit_lines *lines, struct missing *missing,
		   uint32_t number, uint64_t offset, struct pmscope_line *line)
{
	struct jit_source *source = &lines->sources[number - 1];
	size_t nr;

	if (source->at && source_read(lines, missing, source))
		return -ENOMEM;
	nr = array_count_until(source->lines, source->count,
			       sizeof(*source->lines), offset);
	if (!nr || !source->lines[nr - 1].file)
		return -ENOENT;
	line->file = source->lines[nr - 1].file;
	line->line = source->lines[nr - 1].line;
	return 0;
}

void jit_lines_fini(struct jit_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		source_clear(&lines->sources[i]);
	free(lines->sources);
	strings_fini(&lines->files);
}
