// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "jit_index.h"
#include "base/array.h"
#include "base/map.h"
#include "jit_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct jit_record *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/*
 * V8 and LLVM use addresses as in the ELF files of perf before 5.8, whose code
 * began after a header of this size.
 */
#define SHIFT 64

/* Recorded lines, each for the next code at its address. */
struct told {
	struct map index_of_address;
	uint64_t *at;
	size_t count;
	size_t capacity;
	/* Functions begin with a line, but not each of every JIT. */
	bool before_shift;
	bool at_shift;
};

static int told_add(struct told *told, FILE *file, uint64_t at)
{
	struct dump_lines header;
	struct dump_line first;
	uint64_t *moved = array_reserve(told->at, told->count, &told->capacity,
					sizeof(*moved));

	if (!moved)
		return -ENOMEM;
	told->at = moved;
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

/* Moves begin with the process as loads do, but not with where they are from.
 */
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
	ret = read_records(dump, file, header.size);
	if (dump->count)
		qsort(dump->records, dump->count, sizeof(*dump->records),
		      compare);
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
