/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Functions that programs made while they ran, as they tell of them: lines of
 * /tmp/perf-PID.map, or records of a jit-PID.dump.
 */
#ifndef PMSCOPE_SYMBOLS_JIT_H
#define PMSCOPE_SYMBOLS_JIT_H

#include <pmscope/symbols.h>

#include "base/space.h"
#include "history.h"
#include "jit_dump.h"
#include "missing.h"
#include "table.h"

#include <stdbool.h>

/* Do programs run code of their own making from a mapping of this name? */
bool jit_is_mapping(const char *dso);

struct jit_code {
	uint64_t time;	/* CLOCK_MONOTONIC; 0: not told */
	uint32_t lines; /* its number there; 0: none */
};

/*
 * Zeros, except for the missing-file list, are an empty one. Later code
 * replaces what it overlaps.
 */
struct jit_symbols {
	struct missing *missing;
	struct symbol_table table; /* in the order they were told */
	struct jit_code *codes;	   /* what else is known of each */
	size_t max_codes;
	struct space space; /* which of them is where at the end */
	struct space_pool pool;
	bool replaced;		 /* there was another before: */
	struct history *history; /* once that was asked for */
	struct jit_lines lines;
};

/*
 * Each adds to @jit what the file says of @pid; a file of somebody else, a
 * link, or one in no such form adds nothing, and what is cut short adds what is
 * whole. Returns 0 or -ENOMEM. @index must stay until jit_fini().
 */
int jit_read_map(const char *path, struct jit_symbols *jit);
int jit_read_dump(struct jit_index *index, const char *path, uint32_t pid,
		  struct jit_symbols *jit);

/* The final state. See table.h for @around. */
const struct symbol *jit_find(const struct jit_symbols *jit, uint64_t address,
			      struct pmscope_around *around);

/* The state at @time; sets @changes if it is not the same at all times. */
const struct symbol *jit_find_at(struct jit_symbols *jit, uint64_t address,
				 uint64_t time, struct pmscope_around *around,
				 bool *changes);

/* The source line at @time. Returns 0, -ENOENT or -ENOMEM. */
int jit_line_at(struct jit_symbols *jit, uint64_t address, uint64_t time,
		struct pmscope_line *line);

/*
 * Adds the description of the process of @place to @jit; only files of the
 * recorded machine count. Returns 0 or -ENOMEM.
 */
int jit_files_read(const struct pmscope_symbols_options *options,
		   struct jit_index *index, const struct pmscope_place *place,
		   struct jit_symbols *jit);

void jit_fini(struct jit_symbols *jit);

#endif /* PMSCOPE_SYMBOLS_JIT_H */
