/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Reads jitdumps (see tools/perf/Documentation/jitdump-specification.txt in
 * Linux): which records they have, and the source lines of generated code.
 */
#pragma once

#include <pmscope/symbols.h>

#include "base/strings.h"
#include "code.h"
#include "unreadable_files.h"

#include <sys/stat.h>

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

/*
 * Opens the file that a process left at @path to describe its code. Sets @file
 * to NULL if there is none, or if it is a symlink or belongs to a user other
 * than root and us, since anybody can write to /tmp. Returns 0 or -ENOMEM.
 */
int jit_open(const char *path, struct unreadable_files *missing,
	     struct stat *st, FILE **file);

struct jit_record {
	uint64_t pid;
	uint64_t at;	/* offset in the file */
	uint64_t lines; /* offset of the record with its lines; 0: none */
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

/*
 * All jitdumps read so far; empty when zeroed. Each is read only
 * once: forked children have their parent's jitdump mapped, too.
 */
struct jit_index {
	struct named dumps; /* by device and inode */
};

/*
 * Returns the records of @file, opened at @path with status @st. A file that is
 * not a jitdump has none. Returns NULL if out of memory. The index keeps the
 * result.
 */
const struct jit_dump *jit_index_get(struct jit_index *index, const char *path,
				     FILE *file, const struct stat *st);

/* Returns the index of the first record with a PID of @pid or higher. */
size_t jit_dump_first(const struct jit_dump *dump, uint32_t pid);

/*
 * Reads the code @offset bytes into that of the record at @at. Returns 0;
 * -ENODATA if the record has no code there; or the error of opening the file.
 */
int jit_dump_code(const struct jit_dump *dump, struct unreadable_files *missing,
		  uint64_t at, uint64_t offset,
		  const struct code_request *request);
void jit_index_fini(struct jit_index *index);

struct jit_source;

/* Source lines of one process; empty when zeroed. */
struct jit_lines {
	const struct jit_dump *dump; /* the file to read them from */
	struct jit_source *sources;
	size_t count;
	size_t capacity;
	struct strings files;
};

/*
 * Registers code of @size bytes at @address, whose line record is at offset @at
 * of the jitdump. The record is read when first needed. Sets @number, which is
 * never 0, for jit_lines_find(). Returns 0 or -ENOMEM.
 */
int jit_lines_add(struct jit_lines *lines, uint64_t at, uint64_t address,
		  uint64_t size, uint32_t *number);

/*
 * Finds the line @offset bytes into the code @number. Returns 0; -ENOENT if it
 * is unknown; or -ENOMEM. The file name stays valid until jit_lines_fini().
 */
int jit_lines_find(struct jit_lines *lines, struct unreadable_files *missing,
		   uint32_t number, uint64_t offset, struct pmscope_line *line);
void jit_lines_fini(struct jit_lines *lines);
