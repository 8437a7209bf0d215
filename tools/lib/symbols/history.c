// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * A segment tree. The start and end addresses of all symbols divide the address
 * space into intervals, which are the leaves. Each symbol is stored in the few
 * nodes that together cover its intervals. The symbols that an address had are
 * those in the nodes from its leaf up to the root.
 */
#include "history.h"
#include "base/around.h"
#include "base/array.h"

#include <stdlib.h>

/* A node's symbols start at first[node]; its parent is node / 2. */
struct history {
	uint64_t *ends;
	size_t nr_ends;
	uint32_t *first;
	uint32_t *symbols;
};

static int compare(const void *a, const void *b)
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
	qsort(h->ends, nr, sizeof(*h->ends), compare);
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
