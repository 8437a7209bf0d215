/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Functions that programs generated at run time, as described by
 * /tmp/perf-PID.map or a jit-PID.dump.
 */
#pragma once

#include <pmscope/symbols.h>

#include "base/strings.h"
#include "base/space.h"
#include "reader.h"
#include "table.h"
#include "unreadable_files.h"

/*
 * All jitdumps read so far; empty when zeroed. Each is read only once: forked
 * children have their parent's jitdump mapped, too.
 */
struct jit_index {
	struct named dumps; /* by device and inode */
};

void jit_index_fini(struct jit_index *index);

struct jit_code {
	uint64_t time;	/* CLOCK_MONOTONIC; 0: unknown */
	uint64_t at;	/* offset of its record in the jitdump; 0: none */
	uint32_t lines; /* number of a source from 1; 0: none */
};

/*
 * Empty when zeroed except for @missing. New code replaces older code that it
 * overlaps.
 */
struct jit_symbols {
	struct unreadable_files *missing;
	struct symbol_table table; /* in the order of the file */
	struct jit_code *codes;	   /* parallel to the symbols */
	size_t max_codes;
	struct space space; /* final state: address to symbol */
	struct space_pool pool;
	bool replaced;		     /* some code replaced other code */
	struct history *history;     /* built when first needed */
	const struct jit_dump *dump; /* the file to read what follows from */
	struct jit_source *sources;  /* of code that has lines */
	size_t nr_sources;
	size_t max_sources;
	struct strings files;
};

/*
 * Adds what the file at @path says of the process to @jit. A file of another
 * user (unless forced), a symlink or a malformed file adds nothing; of a
 * truncated file the complete records count. Returns 0 or -ENOMEM. @index must
 * stay valid until jit_fini().
 */
int jit_read_map(const char *path, struct jit_symbols *jit);
int jit_read_dump(struct jit_index *index, const char *path, uint32_t pid,
		  struct jit_symbols *jit);

/* Finds a symbol in the final state, or NULL. See table.h for @around. */
const struct symbol *jit_find(const struct jit_symbols *jit, uint64_t address,
			      struct pmscope_around *around);

/*
 * Finds the symbol at @time; sets @changes if others were there at other times.
 */
const struct symbol *jit_find_at(struct jit_symbols *jit, uint64_t address,
				 uint64_t time, struct pmscope_around *around,
				 bool *changes);

/* Finds the source line at @time. Returns 0, -ENOENT or -ENOMEM. */
int jit_line_at(struct jit_symbols *jit, uint64_t address, uint64_t time,
		struct pmscope_line *line);

/*
 * Reads the code at @time. Returns 0; -ENODATA if no jitdump has it; -ENOMEM;
 * or another error of the jitdump.
 */
int jit_code_at(struct jit_symbols *jit, uint64_t address, uint64_t time,
		const struct code_request *request);

/*
 * Reads the perf-PID.map and the jitdump of @place's process into @jit, below
 * symfs or on the recorded machine. Returns 0 or -ENOMEM.
 */
int jit_files_read(const struct pmscope_symbols_options *options,
		   struct jit_index *index, const struct pmscope_place *place,
		   struct jit_symbols *jit);

void jit_fini(struct jit_symbols *jit);
