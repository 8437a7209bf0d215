/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Source lines of generated code, from a jitdump. */
#ifndef PMSCOPE_SYMBOLS_JIT_LINES_H
#define PMSCOPE_SYMBOLS_JIT_LINES_H

#include <pmscope/symbols.h>

#include "base/strings.h"
#include "jit_index.h"
#include "missing.h"

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

#endif /* PMSCOPE_SYMBOLS_JIT_LINES_H */
