/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The records of a jitdump, by process. */
#ifndef PMSCOPE_SYMBOLS_JIT_INDEX_H
#define PMSCOPE_SYMBOLS_JIT_INDEX_H

#include "base/named.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

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

#endif /* PMSCOPE_SYMBOLS_JIT_INDEX_H */
