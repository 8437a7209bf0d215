/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A sorted table of symbols, from whatever source. */
#ifndef PMSCOPE_SYMBOLS_TABLE_H
#define PMSCOPE_SYMBOLS_TABLE_H

#include <pmscope/recording.h>

#include "base/arena.h"

#include <stdint.h>

/* The kind to look for. Data may be between code: then code has its name. */
enum symbol_kind {
	SYMBOL_CODE,
	SYMBOL_DATA,
	SYMBOL_KINDS
};

struct symbol {
	uint64_t address;
	uint64_t size; /* 0: up to the next */
	const char *name;
	const char *module; /* of the kernel; NULL elsewhere */
	uint8_t rank;	    /* of names for one address the lowest wins */
	uint32_t around;    /* the table's: 0, or 1 and the one it is within */
};

/* Zeros are an empty table. */
struct symbol_table {
	struct symbol *symbols;
	size_t count;
	size_t aside; /* after them: those that no address finds */
	size_t capacity;
	struct arena names;
};

/* Each returns 0 or -ENOMEM. Copies the name, */
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/* or has it of another symbol of the table. */
int symbol_table_add_named(struct symbol_table *table,
			   const struct symbol *symbol);

/* Call once, after the last symbol_table_add(). */
void symbol_table_sort(struct symbol_table *table);

/*
 * NULL when no symbol covers @address. Narrows @around to addresses of the
 * same symbol, or of none.
 */
const struct symbol *symbol_table_find(const struct symbol_table *table,
				       uint64_t address,
				       struct pmscope_around *around);

/* The first that belongs to no module, even if no address finds it; or NULL. */
const struct symbol *symbol_table_named(const struct symbol_table *table,
					const char *name);
void symbol_table_fini(struct symbol_table *table);

#endif /* PMSCOPE_SYMBOLS_TABLE_H */
