// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "table.h"
#include "base/around.h"
#include "base/array.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Real programs do not nest symbols deeper. */
#define MAX_DEPTH 64

int symbol_table_add_named(struct symbol_table *table,
			   const struct symbol *symbol)
{
	struct symbol *symbols =
		array_reserve(table->symbols, table->count, &table->capacity,
			      sizeof(*symbols));

	if (!symbols)
		return -ENOMEM;
	table->symbols = symbols;
	symbols[table->count] = *symbol;
	/* Until the table is sorted, this is the order. */
	symbols[table->count].around = table->count;
	table->count++;
	return 0;
}

int symbol_table_add(struct symbol_table *table, const struct symbol *symbol)
{
	struct symbol copy = *symbol;

	copy.name = arena_copy(&table->names, symbol->name,
			       strlen(symbol->name) + 1);
	return copy.name ? symbol_table_add_named(table, &copy) : -ENOMEM;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Chooses between two names of the same rank as perf does. */
static int compare_names(const char *x, const char *y)
{
	size_t of_x = underscores(x), of_y = underscores(y);

	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	of_x = strlen(x);
	of_y = strlen(y);
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int order;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	order = compare_names(x->name, y->name);
	return order ? order : x->around < y->around ? -1 : 1;
}

static bool covers(const struct symbol *symbol, uint64_t address)
{
	return address - symbol->address < symbol->size;
}

/*
 * Returns the number (index + 1) of the innermost symbol that covers @address,
 * starting at @number and going outwards; 0 if there is none.
 */
static uint32_t outer(const struct symbol_table *table, uint32_t number,
		      uint64_t address)
{
	while (number && !covers(&table->symbols[number - 1], address))
		number = table->symbols[number - 1].around;
	return number;
}

/* Returns true if @symbol is an alias, or a label within a function. */
static bool is_of(const struct symbol *symbol, const struct symbol_table *table,
		  size_t kept, uint32_t around)
{
	if (around && !symbol->size)
		return true;
	return kept && symbol->address == table->symbols[kept - 1].address;
}

/* Moves symbol @i to index @kept, before those that were put aside. */
static void keep(struct symbol_table *table, size_t kept, size_t i)
{
	struct symbol symbol = table->symbols[i];

	table->symbols[i] = table->symbols[kept];
	table->symbols[kept] = symbol;
}

void symbol_table_sort(struct symbol_table *table)
{
	uint32_t around = 0;
	size_t kept = 0;

	if (!table->count)
		return;
	qsort(table->symbols, table->count, sizeof(*table->symbols), compare);
	for (size_t i = 0; i < table->count; i++) {
		struct symbol *symbol = &table->symbols[i];

		around = outer(table, around, symbol->address);
		if (is_of(symbol, table, kept, around))
			continue;
		symbol->around = around;
		keep(table, kept++, i);
		if (table->symbols[kept - 1].size)
			around = kept;
	}
	table->aside = table->count - kept;
	table->count = kept;
}

/* Returns @symbol if it covers the address @offset bytes from its start. */
static const struct symbol *covering(const struct symbol *symbol,
				     uint64_t offset,
				     struct pmscope_around *around)
{
	if (symbol->size && offset >= symbol->size) {
		around_begins(around, offset - symbol->size);
		return NULL;
	}
	around_begins(around, offset);
	if (symbol->size)
		around_ends(around, symbol->size - offset - 1);
	return symbol;
}

/*
 * Returns the symbol @number (index + 1) or an enclosing one, if it covers
 * @address.
 */
static const struct symbol *covering_any(const struct symbol_table *table,
					 uint32_t number, uint64_t address,
					 struct pmscope_around *around)
{
	for (int depth = 0; number && depth < MAX_DEPTH; depth++) {
		const struct symbol *symbol = &table->symbols[number - 1];

		if (covering(symbol, address - symbol->address, around))
			return symbol;
		number = symbol->around;
	}
	return NULL;
}

const struct symbol *symbol_table_find(const struct symbol_table *table,
				       uint64_t address,
				       struct pmscope_around *around)
{
	size_t number = array_count_until(table->symbols, table->count,
					  sizeof(*table->symbols), address);

	if (number < table->count)
		around_ends(around,
			    table->symbols[number].address - address - 1);
	return covering_any(table, number, address, around);
}

const struct symbol *symbol_table_named(const struct symbol_table *table,
					const char *name)
{
	for (size_t i = 0; i < table->count + table->aside; i++) {
		const struct symbol *symbol = &table->symbols[i];

		if (!symbol->module && !strcmp(symbol->name, name))
			return symbol;
	}
	return NULL;
}

void symbol_table_fini(struct symbol_table *table)
{
	free(table->symbols);
	arena_fini(&table->names);
}
