// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "table.h"
#include "table/around.h"
#include "table/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int symbol_table_add(struct symbol_table *table, const struct symbol *symbol)
{
	struct symbol *symbols, *copy;

	symbols = array_reserve(table->symbols, table->count, &table->capacity,
				sizeof(*symbols));
	if (!symbols)
		return -ENOMEM;
	table->symbols = symbols;
	copy = &symbols[table->count];
	*copy = *symbol;
	copy->name = arena_copy(&table->names, symbol->name,
				strlen(symbol->name) + 1);
	if (!copy->name)
		return -ENOMEM;
	table->count++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

void symbol_table_sort(struct symbol_table *table)
{
	size_t kept = 0;

	if (!table->count)
		return;
	qsort(table->symbols, table->count, sizeof(*table->symbols), compare);
	for (size_t i = 1; i < table->count; i++)
		if (table->symbols[i].address != table->symbols[kept].address)
			table->symbols[++kept] = table->symbols[i];
	table->count = kept + 1;
}

/* @symbol if it covers the address @offset bytes from its start. */
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

const struct symbol *symbol_table_find(const struct symbol_table *table,
				       uint64_t address,
				       struct pmscope_around *around)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < table->count)
		around_ends(around, table->symbols[low].address - address - 1);
	if (!low)
		return NULL;
	return covering(&table->symbols[low - 1],
			address - table->symbols[low - 1].address, around);
}

void symbol_table_fini(struct symbol_table *table)
{
	free(table->symbols);
	arena_fini(&table->names);
}
