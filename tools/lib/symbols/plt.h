/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Names for the stubs of the procedure linkage table, which have no symbols. */
#ifndef PMSCOPE_SYMBOLS_PLT_H
#define PMSCOPE_SYMBOLS_PLT_H

#include "table.h"

#include <libelf.h>

/* Adds "NAME@plt" for each stub of @file. Returns 0 or -ENOMEM. */
int plt_read(Elf *file, struct symbol_table *table);

#endif /* PMSCOPE_SYMBOLS_PLT_H */
