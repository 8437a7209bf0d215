// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "jit_dump.h"
#include "base/array.h"
#include "base/map.h"
#include "base/regular.h"
#include "base/std.h"

#include <fcntl.h>

static int compare_records(const void *a, const void *b)
{
	const struct jit_record *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/*
 * V8 and LLVM write line addresses as in the ELF files that perf before 5.8
 * made, where the code followed a header of this size.
 */
#define SHIFT 64

/* Line records that were read; each is for the next code at its address. */
struct told {
	struct map index_of_address;
	uint64_t *at;
	size_t count;
	size_t capacity;
	/* Where first lines are; some functions have none at their start. */
	bool before_shift;
	bool at_shift;
};

static int told_add(struct told *told, FILE *file, uint64_t at)
{
	struct dump_lines header;
	struct dump_line first;

	if (array_room(told->at, told->count, told->capacity))
		return -ENOMEM;
	if (fread(&header, sizeof(header), 1, file) != 1 || !header.count ||
	    fread(&first, sizeof(first), 1, file) != 1)
		return 0;
	told->before_shift |= first.address - header.address < SHIFT;
	told->at_shift |= first.address - header.address == SHIFT;
	told->at[told->count] = at;
	return map_set(&told->index_of_address, header.address, told->count++);
}

static uint64_t told_take(struct told *told, uint64_t address)
{
	uint64_t at;
	uint32_t index;

	if (!map_get(&told->index_of_address, address, &index))
		return 0;
	at = told->at[index];
	told->at[index] = 0;
	return at;
}

/* Reads a move as a load, too: it has the old address in the same place. */
static int add_code(struct jit_dump *dump, struct told *told, FILE *file,
		    uint64_t at, bool is_load)
{
	struct jit_record *records = array_reserve(
		dump->records, dump->count, &dump->capacity, sizeof(*records));
	struct dump_load code;

	if (!records)
		return -ENOMEM;
	dump->records = records;
	if (fread(&code, sizeof(code), 1, file) == 1)
		records[dump->count++] = (struct jit_record){
			.pid = code.pid,
			.at = at,
			.lines = is_load ? told_take(told, code.address) : 0,
		};
	return 0;
}

static int add_record(struct jit_dump *dump, struct told *told, FILE *file,
		      uint64_t at, const struct dump_record *record)
{
	size_t size = record->size - sizeof(*record);

	if (record->type == CODE_LOAD && size >= sizeof(struct dump_load))
		return add_code(dump, told, file, at, true);
	if (record->type == CODE_MOVE && size >= sizeof(struct dump_move))
		return add_code(dump, told, file, at, false);
	if (record->type == CODE_LINES && size >= sizeof(struct dump_lines))
		return told_add(told, file, at);
	return 0;
}

static int read_records(struct jit_dump *dump, FILE *file, long at)
{
	struct told told = {};
	struct dump_record record;
	int ret = 0;

	while (!ret && !fseek(file, at, SEEK_SET) &&
	       fread(&record, sizeof(record), 1, file) == 1 &&
	       record.size >= sizeof(record)) {
		ret = add_record(dump, &told, file, at, &record);
		at += record.size;
	}
	dump->lines_shift = told.at_shift && !told.before_shift ? SHIFT : 0;
	map_fini(&told.index_of_address);
	free(told.at);
	return ret;
}

static int read_all(struct jit_dump *dump, FILE *file)
{
	struct dump_header header;
	int ret;

	if (fread(&header, sizeof(header), 1, file) != 1 ||
	    header.magic != JITDUMP_MAGIC || header.size < sizeof(header))
		return 0;
	dump->ticks = header.flags & JITDUMP_TICKS;
	dump->machine = header.machine;
	ret = read_records(dump, file, header.size);
	if (dump->count)
		qsort(dump->records, dump->count, sizeof(*dump->records),
		      compare_records);
	return ret;
}

const struct jit_dump *jit_index_get(struct jit_index *index, const char *path,
				     FILE *file, const struct stat *st)
{
	struct jit_dump *dump;
	bool is_new;
	void **item = named_file(&index->dumps, st, &is_new);

	if (!item || *item)
		return item ? *item : NULL;
	*item = dump = calloc(1, sizeof(*dump));
	if (!dump)
		return NULL;
	dump->path = strdup(path);
	return dump->path && !read_all(dump, file) ? dump : NULL;
}

size_t jit_dump_first(const struct jit_dump *dump, uint32_t pid)
{
	return pid ? array_count_until(dump->records, dump->count,
				       sizeof(*dump->records), pid - 1)
		   : 0;
}

static void dump_free(void *item)
{
	struct jit_dump *dump = item;

	if (dump) {
		free(dump->path);
		free(dump->records);
	}
	free(dump);
}

void jit_index_fini(struct jit_index *index)
{
	named_fini(&index->dumps, dump_free);
}

int jit_open(const char *path, struct unreadable_files *missing,
	     struct stat *st, FILE **file)
{
	int fd;

	st->st_mode = 0;
	fd = regular_open_own(path, missing->force, st);
	if (st->st_mode) /* else it is not known whether it exists */
		unreadable_add(missing, path, fd);
	return regular_stream(fd, file);
}

/* The code is the last part of its record. */
static int read_code(FILE *file, uint64_t at, uint64_t offset,
		     const struct code_request *request)
{
	struct dump_record record;
	struct dump_load load;
	uint64_t left;

	if (fseek(file, at, SEEK_SET) ||
	    fread(&record, sizeof(record), 1, file) != 1 ||
	    fread(&load, sizeof(load), 1, file) != 1 ||
	    record.size < sizeof(record) + sizeof(load) ||
	    load.size > record.size - sizeof(record) - sizeof(load) ||
	    offset >= load.size)
		return -ENODATA;
	left = load.size - offset;
	if (fseek(file, at + record.size - left, SEEK_SET))
		return -ENODATA;
	request->code->size =
		fread(request->bytes, 1, min_size(left, request->size), file);
	return request->code->size ? 0 : -ENODATA;
}

int jit_dump_code(const struct jit_dump *dump, struct unreadable_files *missing,
		  uint64_t at, uint64_t offset,
		  const struct code_request *request)
{
	struct stat st;
	FILE *file;
	int ret = jit_open(dump->path, missing, &st, &file);

	if (!file)
		return ret ? ret : -ENOENT;
	ret = read_code(file, at, offset, request);
	fclose(file);
	request->code->machine = dump->machine;
	request->code->file = dump->path;
	return ret;
}

/* Records of a single function are smaller. */
#define MAX_RECORD (16U << 20)
/* Stands for the file name of the previous line. */
#define SAME_FILE "\xff"

struct jit_line {
	uint64_t offset; /* from the start of the code; valid up to the next */
	uint32_t number; /* order in the file */
	uint32_t line;
	const char *file; /* NULL: unknown */
};

struct jit_source {
	uint64_t at; /* offset in the jitdump; 0: already read */
	uint64_t address;
	uint64_t size;
	struct jit_line *lines;
	size_t count;
	size_t capacity;
};

int jit_lines_add(struct jit_lines *lines, uint64_t at, uint64_t address,
		  uint64_t size, uint32_t *number)
{
	if (array_room(lines->sources, lines->count, lines->capacity))
		return -ENOMEM;
	lines->sources[lines->count] = (struct jit_source){
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

/* Of several lines for one address the last one is valid, so keep the order. */
static int compare_lines(const void *a, const void *b)
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

	if (array_room(source->lines, source->count, source->capacity))
		return -ENOMEM;
	if (line.offset > source->size || !is_text(name))
		return -EINVAL;
	if (set_file(lines, source, name, &line))
		return -ENOMEM;
	source->lines[source->count++] = line;
	return 0;
}

/* Returns -EINVAL for malformed data; the caller then uses none of it. */
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

static int read_lines_record(struct jit_lines *lines, struct jit_source *source,
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

static int source_read(struct jit_lines *lines,
		       struct unreadable_files *missing,
		       struct jit_source *source)
{
	struct stat st;
	FILE *file;
	int ret = jit_open(lines->dump->path, missing, &st, &file);

	if (file) {
		ret = read_lines_record(lines, source, file);
		fclose(file);
	}
	if (ret)
		source_clear(source);
	if (ret == -ENOMEM)
		return ret;
	source->at = 0;
	if (source->count)
		qsort(source->lines, source->count, sizeof(*source->lines),
		      compare_lines);
	return 0;
}

int jit_lines_find(struct jit_lines *lines, struct unreadable_files *missing,
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
