/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_KALLSYMS_H
#define PMSCOPE_SYMBOLS_KALLSYMS_H

#include "table.h"

/*
 * Reads the symbols of a kind from a kallsyms file, open as @fd, into the empty
 * @table. Closes @fd; if it is negative, returns it as the error. Returns 0 or
 * -errno: -ENODATA if all addresses are 0; -EFBIG if the file is larger than
 * any kernel's. On error @table is empty.
 */
int kallsyms_read(int fd, enum symbol_kind kind, struct symbol_table *table);

#endif /* PMSCOPE_SYMBOLS_KALLSYMS_H */
