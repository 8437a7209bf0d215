/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * jitdumps: tools/perf/Documentation/jitdump-specification.txt of Linux. What
 * is in one, and the source lines of generated code.
 */
#ifndef PMSCOPE_SYMBOLS_JIT_DUMP_H
#define PMSCOPE_SYMBOLS_JIT_DUMP_H

#include <pmscope/symbols.h>

#include "base/named.h"
#include "base/strings.h"
#include "missing.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#define JITDUMP_MAGIC 0x4a695444 /* "JiTD", in the writer's byte order */
#define JITDUMP_TICKS 1		 /* the times are no CLOCK_MONOTONIC */
#define CODE_LOAD     0
#define CODE_MOVE     1
#define CODE_LINES    2 /* JIT_CODE_DEBUG_INFO */

/* Sizes of the file header, and of each type of record after its header. */
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

/* For code that a later record describes. */
struct dump_lines {
	uint64_t address;
	uint64_t count;
};

/* The name of the file follows, and a zero. */
struct dump_line {
	uint64_t address;
	uint32_t line;
	uint32_t discriminator;
};

/*
 * Makes @file what a process left at @path of its generated code; NULL where
 * that is of another user, a link or no file: /tmp is everybody's. Returns 0 or
 * -ENOMEM.
 */
int jit_open(const char *path, struct missing *missing, struct stat *st,
	     FILE **file);

struct jit_record {
	uint64_t pid;
	uint64_t at;	/* in the file */
	uint64_t lines; /* where the source lines are told; 0: nowhere */
};

struct jit_dump {
	char *path;
	bool ticks;		    /* the times are no CLOCK_MONOTONIC */
	uint64_t lines_shift;	    /* what addresses of lines have too much */
	struct jit_record *records; /* by process, then as in the file */
	size_t count;
	size_t capacity;
};

/*
 * All that were asked; zeros are none. Each is read once, since children of who
 * writes one have it mapped, too.
 */
struct jit_index {
	struct named dumps; /* by device and inode */
};

/*
 * What is in @file at @path, which has @st; it is no jitdump without records.
 * Returns NULL when memory is short.
 */
const struct jit_dump *jit_index_get(struct jit_index *index, const char *path,
				     FILE *file, const struct stat *st);

/* The first record of @pid, or of who comes behind it. */
size_t jit_dump_first(const struct jit_dump *dump, uint32_t pid);
void jit_index_fini(struct jit_index *index);

struct jit_source;

/* For one process; zeros are empty. */
struct jit_lines {
	const struct jit_dump *dump; /* that has them */
	struct jit_source *sources;
	size_t count;
	size_t capacity;
	struct strings files;
};

/*
 * Code of @size bytes at @address has its lines in the record at @at of the
 * jitdump, which is not read before they are asked for. Sets the number, which
 * is not 0, to ask with. Returns 0 or -ENOMEM.
 */
int jit_lines_add(struct jit_lines *lines, uint64_t at, uint64_t address,
		  uint64_t size, uint32_t *number);

/*
 * The line @offset bytes into the code @number. Returns 0; -ENOENT when that is
 * not known; -ENOMEM. The file stays until jit_lines_fini().
 */
int jit_lines_find(struct jit_lines *lines, struct missing *missing,
		   uint32_t number, uint64_t offset, struct pmscope_line *line);
void jit_lines_fini(struct jit_lines *lines);

#endif /* PMSCOPE_SYMBOLS_JIT_DUMP_H */
