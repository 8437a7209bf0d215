// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/histogram.h"

#include <math.h>

#define FIRST_CAPACITY 4 /* a power of two, as all are */
#define FIRST_CELLS    256
#define MAX_CELLS      4096 /* all values of a counter of 12 bits */
#define GROW_AFTER     64   /* values without a cell, and one for each */

static struct histogram_bin *bin_of(const struct histogram *h, uint16_t value)
{
	/* Odd, so that neighbouring values get slots of their own. */
	size_t at = (value * 40503U) & (h->capacity - 1);

	while (h->bins[at].count && h->bins[at].value != value)
		at = (at + 1) & (h->capacity - 1);
	return &h->bins[at];
}

static int grow(struct histogram *h)
{
	struct histogram bigger = *h;

	bigger.capacity = h->capacity ? 2 * h->capacity : FIRST_CAPACITY;
	bigger.bins = calloc(bigger.capacity, sizeof(*bigger.bins));
	if (!bigger.bins)
		return -ENOMEM;
	for (size_t i = 0; i < h->capacity; i++)
		if (h->bins[i].count)
			*bin_of(&bigger, h->bins[i].value) = h->bins[i];
	free(h->bins);
	*h = bigger;
	return 0;
}

static int bin_add(struct histogram *h, uint16_t value, uint64_t count)
{
	struct histogram_bin *bin;

	if (2 * h->used >= h->capacity && grow(h))
		return -ENOMEM;
	bin = bin_of(h, value);
	h->used += !bin->count;
	bin->value = value;
	bin->count += count;
	return 0;
}

static int reserve_cells(struct histogram *h, uint32_t nr)
{
	uint32_t *cells;

	if (nr <= h->nr_cells)
		return 0;
	cells = realloc(h->cells, nr * sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	memset(cells + h->nr_cells, 0, (nr - h->nr_cells) * sizeof(*cells));
	h->cells = cells;
	h->nr_cells = nr;
	return 0;
}

/* Cells cost more memory than a few bins, and less time than many. */
static int grow_cells(struct histogram *h)
{
	uint32_t nr = h->nr_cells ? 4 * h->nr_cells : FIRST_CELLS;

	h->missed = 0;
	return nr > MAX_CELLS ? 0 : reserve_cells(h, nr);
}

int histogram_add_many(struct histogram *h, uint16_t value, uint64_t count)
{
	if (bin_add(h, value, count))
		return -ENOMEM;
	return ++h->missed >= GROW_AFTER + h->nr_cells ? grow_cells(h) : 0;
}

static int compare(const void *a, const void *b)
{
	const struct histogram_bin *x = a, *y = b;

	return (int)x->value - (int)y->value;
}

/* The bins that have a count, in order of their values. */
static void sort_bins(struct histogram *h)
{
	size_t used = 0;

	for (size_t i = 0; i < h->capacity; i++)
		if (h->bins[i].count)
			h->bins[used++] = h->bins[i];
	if (used)
		qsort(h->bins, used, sizeof(*h->bins), compare);
}

static size_t used_cells(const struct histogram *h)
{
	size_t nr = 0;

	for (uint32_t value = 0; value < h->nr_cells; value++)
		nr += h->cells[value] != 0;
	return nr;
}

/* Puts the cells, which are in order, among the bins; both may have a value. */
static int merge_cells(struct histogram *h)
{
	struct histogram_bin *merged, *end;
	size_t at = 0;

	merged = malloc((h->used + used_cells(h)) * sizeof(*merged));
	if (!merged)
		return -ENOMEM;
	end = merged;
	for (uint32_t value = 0; value < h->nr_cells; value++) {
		uint64_t count = h->cells[value];

		if (at < h->used && h->bins[at].value == value)
			count += h->bins[at++].count;
		if (count)
			*end++ = (struct histogram_bin){.count = count,
							.value = value};
	}
	while (at < h->used)
		*end++ = h->bins[at++];
	free(h->bins);
	free(h->cells);
	h->bins = merged;
	h->used = end - merged;
	h->cells = NULL;
	h->nr_cells = 0;
	return 0;
}

int histogram_finish(struct histogram *h)
{
	sort_bins(h);
	if (h->nr_cells && merge_cells(h))
		return -ENOMEM;
	for (size_t i = 0; i < h->used; i++) {
		h->count += h->bins[i].count;
		h->sum += (uint64_t)h->bins[i].count * h->bins[i].value;
		h->max = h->bins[i].value;
	}
	return 0;
}

/* Values that do not fit in their cell go to a bin. */
static int cell_add(struct histogram *h, uint16_t value, uint32_t count)
{
	return __builtin_add_overflow(h->cells[value], count, &h->cells[value])
		       ? bin_add(h, value, UINT64_C(1) << 32)
		       : 0;
}

int histogram_join(struct histogram *h, const struct histogram *from)
{
	int ret = reserve_cells(h, from->nr_cells);

	for (uint32_t value = 0; value < from->nr_cells && !ret; value++)
		ret = cell_add(h, value, from->cells[value]);
	for (size_t i = 0; i < from->capacity && !ret; i++)
		if (from->bins[i].count)
			ret = bin_add(h, from->bins[i].value,
				      from->bins[i].count);
	return ret;
}

void histogram_powers(const struct histogram *h, uint64_t *counts)
{
	memset(counts, 0, HISTOGRAM_POWERS * sizeof(*counts));
	for (size_t i = 0; i < h->used; i++) {
		unsigned int value = h->bins[i].value;

		counts[value ? 32 - __builtin_clz(value) : 0] +=
			h->bins[i].count;
	}
}

double histogram_mean(const struct histogram *h)
{
	return h->count ? (double)h->sum / h->count : 0;
}

uint16_t histogram_percentile(const struct histogram *h, double percent)
{
	uint64_t rank = ceil(percent / 100 * h->count), seen = 0;

	for (size_t i = 0; i < h->used; i++) {
		seen += h->bins[i].count;
		if (seen >= rank)
			return h->bins[i].value;
	}
	return h->max;
}

void histogram_fini(struct histogram *h)
{
	free(h->bins);
	free(h->cells);
}
