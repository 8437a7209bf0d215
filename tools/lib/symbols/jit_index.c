// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "jit_index.h"
#include "jit_records.h"
#include "table/array.h"

#include <errno.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct jit_record *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static bool is_code(const struct dump_record *record)
{
	size_t size = record->size - sizeof(*record);

	return (record->type == CODE_LOAD &&
		size >= sizeof(struct dump_load)) ||
	       (record->type == CODE_MOVE && size >= sizeof(struct dump_move));
}

/* Loads and moves begin with the process behind their header. */
static int add(struct jit_dump *dump, FILE *file, uint64_t at)
{
	void *records = array_reserve(dump->records, dump->count,
				      &dump->capacity, sizeof(*dump->records));
	uint32_t pid;

	if (!records)
		return -ENOMEM;
	dump->records = records;
	if (fread(&pid, sizeof(pid), 1, file) == 1)
		dump->records[dump->count++] = (struct jit_record){pid, at};
	return 0;
}

static int read_all(struct jit_dump *dump, FILE *file)
{
	struct dump_header header;
	struct dump_record record;
	long at;
	int ret = 0;

	if (fread(&header, sizeof(header), 1, file) != 1 ||
	    header.magic != JITDUMP_MAGIC || header.size < sizeof(header))
		return 0;
	dump->ticks = header.flags & JITDUMP_TICKS;
	at = header.size;
	while (!ret && !fseek(file, at, SEEK_SET) &&
	       fread(&record, sizeof(record), 1, file) == 1 &&
	       record.size >= sizeof(record)) {
		if (is_code(&record))
			ret = add(dump, file, at);
		at += record.size;
	}
	if (dump->count)
		qsort(dump->records, dump->count, sizeof(*dump->records),
		      compare);
	return ret;
}

const struct jit_dump *jit_index_get(struct jit_index *index, FILE *file,
				     const struct stat *st)
{
	struct jit_dump *dump;
	char name[64];
	bool is_new;
	void **item;

	snprintf(name, sizeof(name), "%jx %jx", (uintmax_t)st->st_dev,
		 (uintmax_t)st->st_ino);
	item = named_item(&index->dumps, name, &is_new);
	if (!item || *item)
		return item ? *item : NULL;
	*item = dump = calloc(1, sizeof(*dump));
	return dump && !read_all(dump, file) ? dump : NULL;
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

	if (dump)
		free(dump->records);
	free(dump);
}

void jit_index_fini(struct jit_index *index)
{
	named_fini(&index->dumps, dump_free);
}
