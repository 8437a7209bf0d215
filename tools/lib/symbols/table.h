/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A sorted table of symbols, from any source. */
#pragma once

#include <pmscope/recording.h>

#include "base/arena.h"

/* What to look for. Data tables have code, too, as it may contain data. */
enum symbol_kind {
	SYMBOL_CODE,
	SYMBOL_DATA,
	SYMBOL_KINDS
};

struct symbol {
	uint64_t address;
	uint64_t size; /* 0: up to the next symbol */
	const char *name;
	const char *module; /* kernel module; else NULL */
	uint8_t rank;	    /* of aliases the lowest wins */
	uint32_t around;    /* index + 1 of the enclosing symbol; or 0 */
};

/* Empty when zeroed. */
struct symbol_table {
	struct symbol *symbols;
	size_t count;
	size_t aside; /* after @count: aliases and labels */
	size_t capacity;
	struct arena names;
};

/* Adds a symbol. Copies its name. Returns 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/* The same, but keeps the pointer to a name that the table has already. */
int symbol_table_add_named(struct symbol_table *table,
			   const struct symbol *symbol);

/* Sorts the table; call it once, after adding all symbols. */
void symbol_table_sort(struct symbol_table *table);

/*
 * Finds the symbol that covers @address, or NULL. Narrows @around to addresses
 * that have the same symbol, or none.
 */
const struct symbol *symbol_table_find(const struct symbol_table *table,
				       uint64_t address,
				       struct pmscope_around *around);

/*
 * Finds the first symbol called @name outside modules, aliases included, or
 * NULL.
 */
const struct symbol *symbol_table_named(const struct symbol_table *table,
					const char *name);
void symbol_table_fini(struct symbol_table *table);

/* Which symbols of a table an address had over time. */
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
