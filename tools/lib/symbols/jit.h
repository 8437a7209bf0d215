/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Functions that programs made while they ran, as they tell of them: lines of
 * /tmp/perf-PID.map, or records of a jit-PID.dump.
 */
#ifndef PMSCOPE_SYMBOLS_JIT_H
#define PMSCOPE_SYMBOLS_JIT_H

#include "table.h"

#include <stdbool.h>

/* Do programs run code of their own making from a mapping of this name? */
bool jit_is_mapping(const char *dso);

/*
 * Each adds to @table, not sorted, what the file says of @pid; a file of
 * somebody else, a link, or one in no such form adds nothing, and what is cut
 * short adds what is whole. Returns 0 or -ENOMEM.
 */
int jit_read_map(const char *path, struct symbol_table *table);
int jit_read_dump(const char *path, uint32_t pid, struct symbol_table *table);

#endif /* PMSCOPE_SYMBOLS_JIT_H */
