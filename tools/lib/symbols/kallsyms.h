/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_KALLSYMS_H
#define PMSCOPE_SYMBOLS_KALLSYMS_H

#include "table.h"

/*
 * Reads what a kallsyms file has of a kind into an empty @table, which is empty
 * again if it cannot be read. Returns 0; as of open(2) or read(2); -ENODATA
 * when it has no address but 0; -ENOMEM.
 */
int kallsyms_read(const char *path, enum symbol_kind kind,
		  struct symbol_table *table);

#endif /* PMSCOPE_SYMBOLS_KALLSYMS_H */
