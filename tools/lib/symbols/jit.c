// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "jit.h"
#include "base/array.h"
#include "base/io.h"

#define MAX_SYMBOL  4096
#define MAX_SYMBOLS (1U << 22)

/* Limits for all processes together; no real program needs as much. */
#define MAX_MAPS	(UINT64_C(1) << 30) /* bytes */
#define MAX_ALL_SYMBOLS (UINT64_C(1) << 24)

/*
 * Stores the data of the next symbol. Times must ascend, so an earlier time is
 * replaced with the previous one.
 */
static int add_code(struct jit_symbols *jit, struct jit_code code)
{
	size_t count = jit->table.count;

	if (array_room(jit->codes, count, jit->max_codes))
		return -ENOMEM;
	if (count && jit->codes[count - 1].time > code.time)
		code.time = jit->codes[count - 1].time;
	jit->codes[count] = code;
	return 0;
}

static bool is_empty(const struct jit_symbols *jit, uint64_t address,
		     uint64_t size)
{
	struct pmscope_around around = {.behind = size - 1};

	return !space_find(&jit->space, address, &around) &&
	       around.behind == size - 1;
}

static int add(struct jit_symbols *jit, struct jit_code code, uint64_t address,
	       uint64_t size, const char *name,
	       int (*to_table)(struct symbol_table *, const struct symbol *))
{
	struct symbol symbol = {.address = address, .size = size, .name = name};
	struct mapping mapping = {
		.start = address,
		.end = address + size,
		.dso = jit->table.count,
	};

	if (mapping.end <= address || !*name ||
	    jit->table.count >= MAX_SYMBOLS ||
	    jit->missing->jit_symbols >= MAX_ALL_SYMBOLS)
		return 0;
	jit->missing->jit_symbols++;
	if (add_code(jit, code) || to_table(&jit->table, &symbol))
		return -ENOMEM;
	jit->replaced |= !is_empty(jit, address, size);
	return space_map(&jit->pool, &jit->space, &mapping);
}

/* Parses "START SIZE NAME"; the numbers are hexadecimal. */
static int read_line(struct jit_symbols *jit, char *line)
{
	uint64_t address, size;
	char *at, *name;

	line[strcspn(line, "\r")] = '\0';
	address = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return 0;
	size = strtoull(at, &name, 16);
	if (*name++ != ' ')
		return 0;
	name[strnlen(name, MAX_SYMBOL)] = '\0';
	return add(jit, (struct jit_code){}, address, size, name,
		   symbol_table_add);
}

static bool spend_map(struct unreadable_files *missing, uint64_t size)
{
	if (size > MAX_MAPS - missing->maps)
		return false;
	missing->maps += size;
	return true;
}

int jit_read_map(const char *path, struct jit_symbols *jit)
{
	struct stat st;
	FILE *file;
	char line[LINE_ROOM];
	int ret = jit_open(path, jit->missing, &st, &file);

	if (!file)
		return ret;
	if (!spend_map(jit->missing, st.st_size)) {
		unreadable_add(jit->missing, path, -EFBIG);
		fclose(file);
		return 0;
	}
	while (!ret && line_next(file, line))
		ret = read_line(jit, line);
	fclose(file);
	return ret;
}

/* A record of a jitdump. */
struct record {
	uint32_t type;
	uint32_t pid;
	size_t left; /* size without the header */
	uint64_t time;
	uint64_t at;	/* its offset in the file */
	uint64_t lines; /* offset of the record with its lines; 0: none */
};

/* The name follows, then the code, which is read when it is needed. */
static int read_load(FILE *file, const struct record *record,
		     struct jit_symbols *jit)
{
	struct jit_code code = {.time = record->time, .at = record->at};
	size_t left = record->left;
	char name[MAX_SYMBOL + 1];
	struct dump_load load;

	if (left < sizeof(load) || fread(&load, sizeof(load), 1, file) != 1 ||
	    load.pid != record->pid)
		return 0;
	left -= sizeof(load);
	if (left > MAX_SYMBOL)
		left = MAX_SYMBOL;
	name[fread(name, 1, left, file)] = '\0';
	if (record->lines &&
	    jit_lines_add(&jit->lines, record->lines, load.address, load.size,
			  &code.lines))
		return -ENOMEM;
	return add(jit, code, load.address, load.size, name, symbol_table_add);
}

/* The old address keeps its name, for samples taken before the move. */
static int read_move(FILE *file, const struct record *record,
		     struct jit_symbols *jit)
{
	struct jit_code code = {.time = record->time};
	const struct symbol *symbol;
	struct dump_move move;

	if (record->left < sizeof(move) ||
	    fread(&move, sizeof(move), 1, file) != 1 || move.pid != record->pid)
		return 0;
	symbol = jit_find(jit, move.from, NULL);
	if (!symbol)
		return 0;
	if (symbol->address == move.from) {
		code.lines = jit->codes[symbol - jit->table.symbols].lines;
		code.at = jit->codes[symbol - jit->table.symbols].at;
	}
	return add(jit, code, move.to, move.size, symbol->name,
		   symbol_table_add_named);
}

static int read_record(FILE *file, const struct record *record,
		       struct jit_symbols *jit)
{
	switch (record->type) {
	case CODE_LOAD:
		return read_load(file, record, jit);
	case CODE_MOVE:
		return read_move(file, record, jit);
	default:
		return 0;
	}
}

static bool read_header(FILE *file, const struct jit_dump *dump,
			const struct jit_record *indexed, struct record *record)
{
	struct dump_record header;

	if (fseek(file, indexed->at, SEEK_SET) ||
	    fread(&header, sizeof(header), 1, file) != 1 ||
	    header.size < sizeof(header))
		return false;
	*record = (struct record){
		.type = header.type,
		.pid = indexed->pid,
		.left = header.size - sizeof(header),
		.time = dump->ticks ? 0 : header.timestamp,
		.at = indexed->at,
		.lines = indexed->lines,
	};
	return true;
}

static int read_records(FILE *file, uint32_t pid, const struct jit_dump *dump,
			struct jit_symbols *jit)
{
	struct record record;
	int ret = 0;

	for (size_t i = jit_dump_first(dump, pid);
	     !ret && i < dump->count && dump->records[i].pid == pid &&
	     read_header(file, dump, &dump->records[i], &record);
	     i++)
		ret = read_record(file, &record, jit);
	return ret;
}

int jit_read_dump(struct jit_index *index, const char *path, uint32_t pid,
		  struct jit_symbols *jit)
{
	struct stat st;
	FILE *file;
	const struct jit_dump *dump;
	int ret = jit_open(path, jit->missing, &st, &file);

	if (!file)
		return ret;
	dump = jit_index_get(index, path, file, &st);
	jit->lines.dump = dump;
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

/* Returns the final state if memory is short or there is no time. */
const struct symbol *jit_find_at(struct jit_symbols *jit, uint64_t address,
				 uint64_t time, struct pmscope_around *around,
				 bool *changes)
{
	size_t nr = jit->table.count;
	long found;

	if (time && jit->replaced && !jit->history) {
		jit->history = history_new(&jit->table);
		jit->missing->memory |= !jit->history;
	}
	if (!time || !jit->history || !jit->codes[nr - 1].time)
		return jit_find(jit, address, around);
	found = history_find(jit->history, address,
			     array_count_until(jit->codes, nr,
					       sizeof(*jit->codes), time),
			     around, changes);
	return found < 0 ? jit_find(jit, address, around)
			 : &jit->table.symbols[found];
}

int jit_line_at(struct jit_symbols *jit, uint64_t address, uint64_t time,
		struct pmscope_line *line)
{
	bool changes;
	const struct symbol *found =
		jit_find_at(jit, address, time, NULL, &changes);
	uint32_t lines =
		found ? jit->codes[found - jit->table.symbols].lines : 0;

	return lines ? jit_lines_find(&jit->lines, jit->missing, lines,
				      address - found->address, line)
		     : -ENOENT;
}

int jit_code_at(struct jit_symbols *jit, uint64_t address, uint64_t time,
		const struct code_request *request)
{
	bool changes;
	const struct symbol *found =
		jit_find_at(jit, address, time, NULL, &changes);
	uint64_t at = found ? jit->codes[found - jit->table.symbols].at : 0;

	request->code->address = address;
	return at ? jit_dump_code(jit->lines.dump, jit->missing, at,
				  address - found->address, request)
		  : -ENODATA;
}

void jit_fini(struct jit_symbols *jit)
{
	history_free(jit->history);
	jit_lines_fini(&jit->lines);
	free(jit->codes);
	symbol_table_fini(&jit->table);
	space_pool_fini(&jit->pool);
}

/* Reads the files below @root, in which the process has number @pid. */
static int read_below(struct jit_index *index, const char *root, uint32_t pid,
		      const char *jitdump, struct jit_symbols *jit)
{
	char path[PATH_MAX];
	int ret = 0;

	if (snprintf(path, sizeof(path), "%s/tmp/perf-%u.map", root, pid) <
	    (int)sizeof(path))
		ret = jit_read_map(path, jit);
	if (!ret && jitdump &&
	    snprintf(path, sizeof(path), "%s%s", root, jitdump) <
		    (int)sizeof(path))
		ret = jit_read_dump(index, path, pid, jit);
	return ret;
}

/* Returns the PID in the process's own namespace: the last in NStgid. */
static uint32_t own_pid(uint32_t pid)
{
	char path[64], line[256];
	uint32_t own = pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "NStgid:\t", 8))
			own = strtoul(strrchr(line, '\t'), NULL, 10);
	if (file)
		fclose(file);
	return own;
}

/* While the process runs, /proc/PID/root shows its container's /tmp. */
static int read_in_container(struct jit_index *index,
			     const struct pmscope_place *place,
			     struct jit_symbols *jit)
{
	char root[64];

	snprintf(root, sizeof(root), "/proc/%u/root", place->pid);
	return read_below(index, root, own_pid(place->pid), place->jitdump,
			  jit);
}

int jit_files_read(const struct pmscope_symbols_options *options,
		   struct jit_index *index, const struct pmscope_place *place,
		   struct jit_symbols *jit)
{
	const char *root = options->symfs;
	int ret;

	if (!root && !options->same_machine)
		return 0;
	ret = read_below(index, root ? root : "", place->pid, place->jitdump,
			 jit);
	if (ret || root || jit->table.count)
		return ret;
	return read_in_container(index, place, jit);
}
