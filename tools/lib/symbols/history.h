/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Which symbols an address had over time. */
#ifndef PMSCOPE_SYMBOLS_HISTORY_H
#define PMSCOPE_SYMBOLS_HISTORY_H

#include <pmscope/recording.h>

#include "table.h"

#include <stdbool.h>

struct history;

/*
 * Builds the history of @table, whose symbols must be in time order. Returns
 * NULL if out of memory. Free with history_free().
 */
struct history *history_new(const struct symbol_table *table);
void history_free(struct history *history);

/**
 * history_find() - the symbol that an address had at a time
 * @history: the history
 * @address: the address
 * @limit: number of symbols that existed then; a later one is returned only if
 *	   the address had none before
 * @around: narrowed to addresses that had the same symbols
 * @changes: set to whether the address had several symbols
 *
 * Return: the index of the symbol in the table, or -1 if there is none.
 */
long history_find(const struct history *history, uint64_t address,
		  uint32_t limit, struct pmscope_around *around, bool *changes);

#endif /* PMSCOPE_SYMBOLS_HISTORY_H */
