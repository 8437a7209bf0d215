/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact histograms of 16-bit values: SPE's counters are not wider, so each mean
 * and percentile covers all values without estimates. Memory depends on the
 * number of different values.
 */
#pragma once

#include "base/std.h"

struct histogram_bin {
	uint64_t count : 48; /* 0: an empty slot */
	uint64_t value : 16;
};

/*
 * Initialize to zeros. @max and the members after it are set at the end. A row
 * has five: they are small.
 */
struct histogram {
	struct histogram_bin *bins; /* a hash table, then a sorted array */
	uint32_t capacity;
	uint32_t used;
	uint16_t max;
	uint64_t count;
	uint64_t sum;
};

/* Returns 0 or -ENOMEM, as the next. Not after histogram_finish(). */
int histogram_add_many(struct histogram *h, uint16_t value, uint64_t count);

static inline int histogram_add(struct histogram *h, uint16_t value)
{
	return histogram_add_many(h, value, 1);
}

/* Sorts the values: to be called once, before the functions below. */
void histogram_finish(struct histogram *h);

/* Adds all of @from to @h; neither is finished. Returns 0 or -ENOMEM. */
int histogram_join(struct histogram *h, const struct histogram *from);

/* How many values are 0, and how many need one bit, two, ... sixteen. */
#define HISTOGRAM_POWERS 17
void histogram_powers(const struct histogram *h, uint64_t *counts);

double histogram_mean(const struct histogram *h);

/* The smallest value that @percent of all values do not exceed; 0 if empty. */
uint16_t histogram_percentile(const struct histogram *h, double percent);

void histogram_fini(struct histogram *h);
