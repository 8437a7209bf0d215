// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/histogram.h"

#include <math.h>

#define FIRST_CAPACITY 4 /* a power of two, as all are */

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

int histogram_add_many(struct histogram *h, uint16_t value, uint64_t count)
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

static COMPARISON(compare, struct histogram_bin, (int)x->value - (int)y->value);

void histogram_finish(struct histogram *h)
{
	size_t used = 0;

	for (size_t i = 0; i < h->capacity; i++)
		if (h->bins[i].count)
			h->bins[used++] = h->bins[i];
	if (used)
		qsort(h->bins, used, sizeof(*h->bins), compare);
	for (size_t i = 0; i < h->used; i++) {
		h->count += h->bins[i].count;
		h->sum += (uint64_t)h->bins[i].count * h->bins[i].value;
		h->max = h->bins[i].value;
	}
}

int histogram_join(struct histogram *h, const struct histogram *from)
{
	int ret = 0;

	for (size_t i = 0; i < from->capacity && !ret; i++)
		if (from->bins[i].count)
			ret = histogram_add_many(h, from->bins[i].value,
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
}
