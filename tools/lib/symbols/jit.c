// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Jitdumps: see tools/perf/Documentation/jitdump-specification.txt in Linux. */
#include "dso.h"
#include "base/io.h"

#define MAX_SYMBOL  4096
#define MAX_SYMBOLS (1U << 22)

/* Limits for all processes together; no real program needs as much. */
#define MAX_MAPS	(UINT64_C(1) << 30) /* bytes */
#define MAX_ALL_SYMBOLS (UINT64_C(1) << 24)

/* Records of a single function are smaller. */
#define MAX_RECORD (16U << 20)

#define JITDUMP_MAGIC 0x4a695444 /* "JiTD", in the writer's byte order */
#define JITDUMP_TICKS 1		 /* times are not CLOCK_MONOTONIC */
#define CODE_LOAD     0
#define CODE_MOVE     1
#define CODE_LINES    2 /* JIT_CODE_DEBUG_INFO */

/* The file header, the record header, and what follows it by record type. */
struct dump_header {
	uint32_t magic;
	uint32_t version;
	uint32_t size;
	uint32_t machine;
	uint32_t padding;
	uint32_t pid;
	uint64_t timestamp;
	uint64_t flags;
};

struct dump_record {
	uint32_t type;
	uint32_t size;
	uint64_t timestamp;
};

struct dump_load {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t address;
	uint64_t size;
	uint64_t index;
};

struct dump_move {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t from;
	uint64_t to;
	uint64_t size;
	uint64_t index;
};

/* Describes the code of a later record. */
struct dump_lines {
	uint64_t address;
	uint64_t count;
};

/* The file name and a NUL follow. */
struct dump_line {
	uint64_t address;
	uint32_t line;
	uint32_t discriminator;
};

struct jit_record {
	uint64_t pid;
	uint64_t at;	/* offset in the file */
	uint64_t lines; /* offset of the record with its lines; 0: none */
	uint64_t time;
	uint32_t type;
	uint32_t size; /* of what follows its header */
};

struct jit_dump {
	char *path;
	uint32_t machine;	    /* of the code, as in ELF */
	bool ticks;		    /* times are not CLOCK_MONOTONIC */
	uint64_t lines_shift;	    /* to subtract from line addresses */
	struct jit_record *records; /* by PID, then by offset */
	size_t count;
	size_t capacity;
};

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
static int index_code(struct jit_dump *dump, struct told *told, FILE *file,
		      uint64_t at, const struct dump_record *record)
{
	struct dump_load code;

	if (fread(&code, sizeof(code), 1, file) != 1)
		return 0;
	return array_add(dump->records, dump->count, dump->capacity,
			 (struct jit_record){
				 .pid = code.pid,
				 .at = at,
				 .lines =
					 record->type == CODE_LOAD
						 ? told_take(told, code.address)
						 : 0,
				 .time = dump->ticks ? 0 : record->timestamp,
				 .type = record->type,
				 .size = record->size - sizeof(*record),
			 });
}

static int add_record(struct jit_dump *dump, struct told *told, FILE *file,
		      uint64_t at, const struct dump_record *record)
{
	size_t size = record->size - sizeof(*record);

	if ((record->type == CODE_LOAD && size >= sizeof(struct dump_load)) ||
	    (record->type == CODE_MOVE && size >= sizeof(struct dump_move)))
		return index_code(dump, told, file, at, record);
	if (record->type == CODE_LINES && size >= sizeof(struct dump_lines))
		return told_add(told, file, at);
	return 0;
}

static int index_records(struct jit_dump *dump, FILE *file, long at)
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

static int index_all(struct jit_dump *dump, FILE *file)
{
	struct dump_header header;
	int ret;

	if (fread(&header, sizeof(header), 1, file) != 1 ||
	    header.magic != JITDUMP_MAGIC || header.size < sizeof(header))
		return 0;
	dump->ticks = header.flags & JITDUMP_TICKS;
	dump->machine = header.machine;
	ret = index_records(dump, file, header.size);
	if (dump->count)
		qsort(dump->records, dump->count, sizeof(*dump->records),
		      compare_records);
	return ret;
}

/*
 * The records of @file, opened at @path with status @st, which the index keeps.
 * What is no jitdump has none. NULL: no memory
 */
static const struct jit_dump *index_get(struct jit_index *index,
					const char *path, FILE *file,
					const struct stat *st)
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
	return dump->path && !index_all(dump, file) ? dump : NULL;
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

/*
 * Opens the file that a process left at @path to describe its code. Sets @file
 * to NULL if there is none, or if it is a symlink or belongs to a user other
 * than root and us, since anybody can write to /tmp. Returns 0 or -ENOMEM.
 */
static int open_own(const char *path, struct unreadable_files *missing,
		    struct stat *st, FILE **file)
{
	int fd;

	st->st_mode = 0;
	fd = regular_open_own(path, missing->force, st);
	if (st->st_mode) /* else it is not known whether it exists */
		unreadable_add(missing, path, fd);
	return regular_stream(fd, file);
}

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

int jit_read_map(const char *path, struct jit_symbols *jit)
{
	struct stat st;
	FILE *file;
	char line[LINE_ROOM];
	int ret = open_own(path, jit->missing, &st, &file);

	if (!file)
		return ret;
	if ((uint64_t)st.st_size > MAX_MAPS - jit->missing->maps) {
		unreadable_add(jit->missing, path, -EFBIG);
		fclose(file);
		return 0;
	}
	jit->missing->maps += st.st_size;
	while (!ret && line_next(file, line))
		ret = read_line(jit, line);
	fclose(file);
	return ret;
}

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

/* The name follows, then the code, which is read when it is needed. */
static int read_load(FILE *file, const struct jit_record *record,
		     struct jit_symbols *jit)
{
	struct jit_code code = {.time = record->time, .at = record->at};
	size_t left = record->size;
	char name[MAX_SYMBOL + 1];
	struct dump_load load;

	if (left < sizeof(load) || fread(&load, sizeof(load), 1, file) != 1 ||
	    load.pid != record->pid)
		return 0;
	left = MIN(left - sizeof(load), MAX_SYMBOL);
	name[fread(name, 1, left, file)] = '\0';
	if (record->lines) {
		const struct jit_source source = {.at = record->lines,
						  .address = load.address,
						  .size = load.size};

		if (array_add(jit->sources, jit->nr_sources, jit->max_sources,
			      source))
			return -ENOMEM;
		code.lines = jit->nr_sources;
	}
	return add(jit, code, load.address, load.size, name, symbol_table_add);
}

/* The old address keeps its name, for samples taken before the move. */
static int read_move(FILE *file, const struct jit_record *record,
		     struct jit_symbols *jit)
{
	struct jit_code code = {.time = record->time};
	const struct symbol *symbol;
	struct dump_move move;

	if (record->size < sizeof(move) ||
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

int jit_read_dump(struct jit_index *index, const char *path, uint32_t pid,
		  struct jit_symbols *jit)
{
	const struct jit_dump *dump;
	const struct jit_record *record;
	struct stat st;
	FILE *file;
	int ret = open_own(path, jit->missing, &st, &file);

	if (!file)
		return ret;
	jit->dump = dump = index_get(index, path, file, &st);
	ret = dump ? 0 : -ENOMEM;
	for (size_t i = dump && pid
				? array_count_until(dump->records, dump->count,
						    sizeof(*record), pid - 1)
				: 0;
	     !ret && i < dump->count && dump->records[i].pid == pid; i++) {
		record = &dump->records[i];
		if (fseek(file, record->at + sizeof(struct dump_record),
			  SEEK_SET))
			break;
		ret = record->type == CODE_LOAD ? read_load(file, record, jit)
						: read_move(file, record, jit);
	}
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

/* Returns -EINVAL for malformed data; the caller then uses none of it. */
static int add_line(struct jit_symbols *jit, struct jit_source *source,
		    const struct dump_line *told, const char *name)
{
	struct jit_line line = {
		.offset = told->address - jit->dump->lines_shift -
			  source->address,
		.number = source->count,
		.line = told->line,
	};
	uint32_t number;

	if (line.offset > source->size || !is_text(name))
		return -EINVAL;
	if (!strcmp(name, SAME_FILE)) {
		line.file = source->count
				    ? source->lines[source->count - 1].file
				    : NULL;
	} else if (*name) {
		if (strings_intern(&jit->files, name, strlen(name), &number))
			return -ENOMEM;
		line.file = strings_get(&jit->files, number);
	}
	return array_add(source->lines, source->count, source->capacity, line);
}

static int add_lines(struct jit_symbols *jit, struct jit_source *source,
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
		ret = add_line(jit, source, &told, name);
		data = name + length + 1;
		size -= length + 1;
	}
	return ret;
}

static int read_lines(struct jit_symbols *jit, struct jit_source *source,
		      FILE *file)
{
	struct dump_record record;
	struct dump_lines header;
	char *data;
	size_t size;
	int ret;

	if (fseek(file, source->at, SEEK_SET) ||
	    fread(&record, sizeof(record), 1, file) != 1 ||
	    record.type != CODE_LINES || record.size > MAX_RECORD ||
	    record.size < sizeof(record) + sizeof(header) ||
	    fread(&header, sizeof(header), 1, file) != 1 ||
	    header.address != source->address)
		return -EINVAL;
	size = record.size - sizeof(record) - sizeof(header);
	data = malloc(size + 1);
	if (!data)
		return -ENOMEM;
	ret = fread(data, 1, size, file) == size
		      ? add_lines(jit, source, data, size, header.count)
		      : -EINVAL;
	free(data);
	return ret;
}

static int source_read(struct jit_symbols *jit, struct jit_source *source)
{
	struct stat st;
	FILE *file;
	int ret = open_own(jit->dump->path, jit->missing, &st, &file);

	if (file) {
		ret = read_lines(jit, source, file);
		fclose(file);
	}
	if (ret) {
		free(source->lines);
		source->lines = NULL;
		source->count = source->capacity = 0;
	}
	if (ret == -ENOMEM)
		return ret;
	source->at = 0;
	if (source->count)
		qsort(source->lines, source->count, sizeof(*source->lines),
		      compare_lines);
	return 0;
}

/* The code at @time; NULL: none. Sets @offset in it. */
static const struct jit_code *code_at(struct jit_symbols *jit, uint64_t address,
				      uint64_t time, uint64_t *offset)
{
	bool changes;
	const struct symbol *found =
		jit_find_at(jit, address, time, NULL, &changes);

	*offset = found ? address - found->address : 0;
	return found ? &jit->codes[found - jit->table.symbols] : NULL;
}

int jit_line_at(struct jit_symbols *jit, uint64_t address, uint64_t time,
		struct pmscope_line *line)
{
	uint64_t offset;
	const struct jit_code *code = code_at(jit, address, time, &offset);
	struct jit_source *source;
	size_t nr;

	if (!code || !code->lines)
		return -ENOENT;
	source = &jit->sources[code->lines - 1];
	if (source->at && source_read(jit, source))
		return -ENOMEM;
	nr = array_count_until(source->lines, source->count,
			       sizeof(*source->lines), offset);
	if (!nr || !source->lines[nr - 1].file)
		return -ENOENT;
	line->file = source->lines[nr - 1].file;
	line->line = source->lines[nr - 1].line;
	return 0;
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
		fread(request->bytes, 1, MIN(left, request->size), file);
	return request->code->size ? 0 : -ENODATA;
}

int jit_code_at(struct jit_symbols *jit, uint64_t address, uint64_t time,
		const struct code_request *request)
{
	uint64_t offset;
	const struct jit_code *code = code_at(jit, address, time, &offset);
	struct stat st;
	FILE *file;
	int ret;

	request->code->address = address;
	if (!code || !code->at)
		return -ENODATA;
	ret = open_own(jit->dump->path, jit->missing, &st, &file);
	if (!file)
		return ret ?: -ENOENT;
	ret = read_code(file, code->at, offset, request);
	fclose(file);
	request->code->machine = jit->dump->machine;
	request->code->file = jit->dump->path;
	return ret;
}

void jit_fini(struct jit_symbols *jit)
{
	history_free(jit->history);
	for (size_t i = 0; i < jit->nr_sources; i++)
		free(jit->sources[i].lines);
	free(jit->sources);
	strings_fini(&jit->files);
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

int jit_files_read(const struct pmscope_symbols_options *options,
		   struct jit_index *index, const struct pmscope_place *place,
		   struct jit_symbols *jit)
{
	const char *root = options->symfs;
	char container[64];
	int ret;

	if (!root && !options->same_machine)
		return 0;
	ret = read_below(index, root ? root : "", place->pid, place->jitdump,
			 jit);
	if (ret || root || jit->table.count)
		return ret;
	/* While the process runs, this shows its container's /tmp. */
	snprintf(container, sizeof(container), "/proc/%u/root", place->pid);
	return read_below(index, container, own_pid(place->pid), place->jitdump,
			  jit);
}
