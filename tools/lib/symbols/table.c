// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "elf.h"

/* Real programs do not nest symbols deeper. */
#define MAX_DEPTH 64

int symbol_table_add_named(struct symbol_table *table,
			   const struct symbol *symbol)
{
	if (array_room(table->symbols, table->count, table->capacity))
		return -ENOMEM;
	table->symbols[table->count] = *symbol;
	/* Until the table is sorted, this is the order. */
	table->symbols[table->count].around = table->count;
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

void symbol_table_sort(struct symbol_table *table)
{
	uint32_t around = 0;
	size_t kept = 0;

	if (!table->count)
		return;
	qsort(table->symbols, table->count, sizeof(*table->symbols), compare);
	for (size_t i = 0; i < table->count; i++) {
		struct symbol symbol = table->symbols[i];

		around = outer(table, around, symbol.address);
		/* A label within a function, or an alias, is put aside. */
		if ((around && !symbol.size) ||
		    (kept &&
		     symbol.address == table->symbols[kept - 1].address))
			continue;
		symbol.around = around;
		table->symbols[i] = table->symbols[kept];
		table->symbols[kept++] = symbol;
		if (symbol.size)
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

/* The symbol @number (index + 1), or one around it, that covers @address. */
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

/*
 * The history is a segment tree. The start and end addresses of all symbols
 * divide the address space into intervals, which are the leaves. Each symbol is
 * stored in the few nodes that together cover its intervals. The symbols that
 * an address had are those in the nodes from its leaf up to the root. A node's
 * symbols start at first[node]; its parent is node / 2.
 */
struct history {
	uint64_t *ends;
	size_t nr_ends;
	uint32_t *first;
	uint32_t *symbols;
};

static int compare_ends(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* One leaf per boundary; the interval after the last one is empty. */
static size_t leaf_of(const struct history *h, uint64_t end)
{
	return h->nr_ends - 1 +
	       array_count_until(h->ends, h->nr_ends, sizeof(*h->ends), end);
}

static bool find_ends(struct history *h, const struct symbol_table *table)
{
	size_t nr = 0;

	h->ends = malloc(2 * table->count * sizeof(*h->ends));
	if (!h->ends)
		return false;
	for (size_t i = 0; i < table->count; i++) {
		const struct symbol *s = &table->symbols[i];

		h->ends[nr++] = s->address;
		h->ends[nr++] = s->address + s->size;
	}
	qsort(h->ends, nr, sizeof(*h->ends), compare_ends);
	for (size_t i = 0; i < nr; i++)
		if (!i || h->ends[i] != h->ends[h->nr_ends - 1])
			h->ends[h->nr_ends++] = h->ends[i];
	return true;
}

/* The first pass, before h->symbols is allocated, only counts. */
static void put(struct history *h, size_t node, uint32_t number)
{
	if (h->symbols)
		h->symbols[h->first[node]] = number;
	h->first[node]++;
}

static void add(struct history *h, const struct symbol *symbol, uint32_t number)
{
	size_t low = leaf_of(h, symbol->address);
	size_t high = leaf_of(h, symbol->address + symbol->size);

	for (; low < high; low /= 2, high /= 2) {
		if (low & 1)
			put(h, low++, number);
		if (high & 1)
			put(h, --high, number);
	}
}

static void add_all(struct history *h, const struct symbol_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		add(h, &table->symbols[i], i);
}

/* Replaces each node's count with the sum of the counts before it. */
static uint32_t sum_up(uint32_t *first, size_t nr)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t here = first[i];

		first[i] = sum;
		sum += here;
	}
	return sum;
}

static bool fill(struct history *h, const struct symbol_table *table)
{
	size_t nodes = 2 * h->nr_ends;
	uint32_t sum;

	/* One more, for the end of the last node. */
	h->first = calloc(nodes + 1, sizeof(*h->first));
	if (!h->first)
		return false;
	add_all(h, table);
	sum = sum_up(h->first, nodes);
	h->symbols = malloc((sum + 1) * sizeof(*h->symbols));
	if (!h->symbols)
		return false;
	add_all(h, table);
	/* add_all() advanced each start to the next node's: shift them back. */
	for (size_t i = nodes; i; i--)
		h->first[i] = h->first[i - 1];
	h->first[0] = 0;
	return true;
}

struct history *history_new(const struct symbol_table *table)
{
	struct history *h = calloc(1, sizeof(*h));

	if (h && (!find_ends(h, table) || !fill(h, table))) {
		history_free(h);
		return NULL;
	}
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	free(h->ends);
	free(h->first);
	free(h->symbols);
	free(h);
}

/* Counts those of the @nr ascending numbers that are below @limit. */
static uint32_t count_below(const uint32_t *numbers, uint32_t nr,
			    uint32_t limit)
{
	uint32_t low = 0;

	while (low < nr) {
		uint32_t middle = low + (nr - low) / 2;

		if (numbers[middle] < limit)
			low = middle + 1;
		else
			nr = middle;
	}
	return low;
}

long history_find(const struct history *h, uint64_t address, uint32_t limit,
		  struct pmscope_around *around, bool *changes)
{
	size_t part = array_count_until(h->ends, h->nr_ends, sizeof(*h->ends),
					address);
	uint32_t earliest = UINT32_MAX, nr = 0;
	long latest = -1;

	if (!part || part == h->nr_ends)
		return -1;
	around_begins(around, address - h->ends[part - 1]);
	around_ends(around, h->ends[part] - address - 1);
	for (size_t node = h->nr_ends + part - 1; node; node /= 2) {
		const uint32_t *numbers = h->symbols + h->first[node];
		uint32_t here = h->first[node + 1] - h->first[node];
		uint32_t before = count_below(numbers, here, limit);

		if (before && numbers[before - 1] > latest)
			latest = numbers[before - 1];
		if (here && *numbers < earliest)
			earliest = *numbers;
		nr += here;
	}
	*changes = nr > 1;
	return latest < 0 && nr ? (long)earliest : latest;
}
