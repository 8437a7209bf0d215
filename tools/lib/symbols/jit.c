// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "jit.h"
#include "input/regular.h"
#include "jit_records.h"
#include "table/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SYMBOL  4096
#define MAX_SYMBOLS (1U << 22)

bool jit_is_mapping(const char *dso)
{
	static const char *const names[] = {
		"//anon",    "[anon",	       "/memfd:",
		"/dev/zero", "[heap]",	       "anon_inode:",
		"[stack",    "/anon_hugepage", "/SYSV",
	};

	/* What most files begin with, asked for each address. */
	if (dso && *dso == '/' && !strchr("/mdaS", dso[1]))
		return false;
	for (size_t i = 0; dso && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(dso, names[i], strlen(names[i])))
			return true;
	return !dso;
}

/* /tmp is everybody's: what another user put there is not believed. */
static FILE *open_own(const char *path, struct stat *st)
{
	int fd = regular_open(path, O_NOFOLLOW, st);

	if (fd >= 0 && st->st_uid && st->st_uid != geteuid()) {
		close(fd);
		fd = -1;
	}
	return regular_stream(fd);
}

/* In the order of their times, as they are told. */
static int add_time(struct jit_symbols *jit, uint64_t time)
{
	size_t count = jit->table.count;
	uint64_t *times = array_reserve(jit->times, count, &jit->max_times,
					sizeof(*times));

	if (!times)
		return -ENOMEM;
	jit->times = times;
	times[count] =
		count && times[count - 1] > time ? times[count - 1] : time;
	return 0;
}

static bool is_empty(const struct jit_symbols *jit, uint64_t address,
		     uint64_t size)
{
	struct pmscope_around around = {.behind = size - 1};

	return !space_find(&jit->space, address, &around) &&
	       around.behind == size - 1;
}

static int add(struct jit_symbols *jit, uint64_t time, uint64_t address,
	       uint64_t size, const char *name,
	       int (*to_table)(struct symbol_table *, const struct symbol *))
{
	struct symbol symbol = {.address = address, .size = size, .name = name};
	struct mapping mapping = {
		.start = address,
		.end = address + size,
		.dso = jit->table.count,
	};

	if (mapping.end <= address || !*name || jit->table.count >= MAX_SYMBOLS)
		return 0;
	if (add_time(jit, time) || to_table(&jit->table, &symbol))
		return -ENOMEM;
	jit->replaced |= !is_empty(jit, address, size);
	return space_map(&jit->pool, &jit->space, &mapping);
}

/* "START SIZE NAME", the numbers in hexadecimal. */
static int read_line(struct jit_symbols *jit, char *line)
{
	uint64_t address, size;
	char *at, *name;

	line[strcspn(line, "\n")] = '\0';
	address = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return 0;
	size = strtoull(at, &name, 16);
	return *name == ' '
		       ? add(jit, 0, address, size, name + 1, symbol_table_add)
		       : 0;
}

int jit_read_map(const char *path, struct jit_symbols *jit)
{
	struct stat st;
	FILE *file = open_own(path, &st);
	size_t size = 0;
	char *line = NULL;
	int ret = 0;

	if (!file)
		return 0;
	while (!ret && getline(&line, &size, file) > 0)
		ret = read_line(jit, line);
	free(line);
	fclose(file);
	return ret;
}

/* The name follows, then the code, whose size nothing here depends on. */
static int read_load(FILE *file, uint32_t pid, uint64_t time, size_t left,
		     struct jit_symbols *jit)
{
	char name[MAX_SYMBOL + 1];
	struct dump_load load;

	if (left < sizeof(load) || fread(&load, sizeof(load), 1, file) != 1 ||
	    load.pid != pid)
		return 0;
	left -= sizeof(load);
	if (left > MAX_SYMBOL)
		left = MAX_SYMBOL;
	name[fread(name, 1, left, file)] = '\0';
	return add(jit, time, load.address, load.size, name, symbol_table_add);
}

/* Where it was it stays known: samples from before are there. */
static int read_move(FILE *file, uint32_t pid, uint64_t time, size_t left,
		     struct jit_symbols *jit)
{
	const struct symbol *symbol;
	struct dump_move move;

	if (left < sizeof(move) || fread(&move, sizeof(move), 1, file) != 1 ||
	    move.pid != pid)
		return 0;
	symbol = jit_find(jit, move.from, NULL);
	return symbol ? add(jit, time, move.to, move.size, symbol->name,
			    symbol_table_add_named)
		      : 0;
}

static int read_record(FILE *file, uint32_t pid,
		       const struct dump_record *record,
		       struct jit_symbols *jit)
{
	size_t left = record->size - sizeof(*record);

	switch (record->type) {
	case CODE_LOAD:
		return read_load(file, pid, record->timestamp, left, jit);
	case CODE_MOVE:
		return read_move(file, pid, record->timestamp, left, jit);
	default:
		return 0;
	}
}

static int read_records(FILE *file, uint32_t pid, const struct jit_dump *dump,
			struct jit_symbols *jit)
{
	struct dump_record record;
	int ret = 0;

	for (size_t i = jit_dump_first(dump, pid);
	     !ret && i < dump->count && dump->records[i].pid == pid; i++) {
		if (fseek(file, dump->records[i].at, SEEK_SET) ||
		    fread(&record, sizeof(record), 1, file) != 1 ||
		    record.size < sizeof(record))
			break;
		if (dump->ticks)
			record.timestamp = 0;
		ret = read_record(file, pid, &record, jit);
	}
	return ret;
}

int jit_read_dump(struct jit_index *index, const char *path, uint32_t pid,
		  struct jit_symbols *jit)
{
	struct stat st;
	FILE *file = open_own(path, &st);
	const struct jit_dump *dump;
	int ret;

	if (!file)
		return 0;
	dump = jit_index_get(index, file, &st);
	ret = dump ? read_records(file, pid, dump, jit) : -ENOMEM;
	fclose(file);
	return ret;
}

const struct symbol *jit_find(const struct jit_symbols *jit, uint64_t address,
			      struct pmscope_around *around)
{
	const struct mapping *found = space_find(&jit->space, address, around);

	return found ? &jit->table.symbols[found->dso] : NULL;
}

/* Without memory, or a time, what is there at the end. */
const struct symbol *jit_find_at(struct jit_symbols *jit, uint64_t address,
				 uint64_t time, struct pmscope_around *around,
				 bool *changes)
{
	size_t nr = jit->table.count;
	long found;

	if (time && jit->replaced && !jit->history)
		jit->history = history_new(&jit->table);
	if (!time || !jit->history || !jit->times[nr - 1])
		return jit_find(jit, address, around);
	found = history_find(jit->history, address,
			     array_count_until(jit->times, nr,
					       sizeof(*jit->times), time),
			     around, changes);
	return found < 0 ? jit_find(jit, address, around)
			 : &jit->table.symbols[found];
}

void jit_fini(struct jit_symbols *jit)
{
	history_free(jit->history);
	free(jit->times);
	symbol_table_fini(&jit->table);
	space_pool_fini(&jit->pool);
}
