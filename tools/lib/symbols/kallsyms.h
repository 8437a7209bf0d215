/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_KALLSYMS_H
#define PMSCOPE_SYMBOLS_KALLSYMS_H

#include "table.h"

/*
 * Reads what a kallsyms file, open as @fd, has of a kind into an empty @table,
 * which is empty again if it cannot be read. Closes @fd; one below 0 is the
 * error. Returns 0 or -errno: -ENODATA when it has no address but 0; -EFBIG
 * when it is larger than any kernel's.
 */
int kallsyms_read(int fd, enum symbol_kind kind, struct symbol_table *table);

#endif /* PMSCOPE_SYMBOLS_KALLSYMS_H */
