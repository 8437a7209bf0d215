/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The symbols of an address over time. */
#ifndef PMSCOPE_SYMBOLS_HISTORY_H
#define PMSCOPE_SYMBOLS_HISTORY_H

#include <pmscope/recording.h>

#include "table.h"

#include <stdbool.h>

struct history;

/*
 * For the symbols of @table, added in time order, each with its addresses. NULL
 * if out of memory.
 */
struct history *history_new(const struct symbol_table *table);
void history_free(struct history *history);

/**
 * history_find() - the symbol that an address had at a time
 * @limit: how many of the table's symbols there were then; what is none of them
 *	   is told only where no other is
 * @around: narrowed to addresses that had the same symbols
 * @changes: set to whether the address had several
 *
 * Return: the number of the symbol in the table, or -1 for no symbol.
 */
long history_find(const struct history *history, uint64_t address,
		  uint32_t limit, struct pmscope_around *around, bool *changes);

#endif /* PMSCOPE_SYMBOLS_HISTORY_H */
