/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact histograms of 16-bit values: SPE's counters are no wider, so every
 * mean and percentile is that of all values, not of an estimate. Memory goes
 * with the number of different values.
 */
#ifndef PMSCOPE_HISTOGRAM_H
#define PMSCOPE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

struct histogram_bin {
	uint32_t count; /* 0: an empty slot */
	uint16_t value;
};

/* Zeros are an empty histogram. */
struct histogram {
	struct histogram_bin *bins; /* a hash table, then a sorted array */
	size_t capacity;
	size_t used;
	uint64_t count;
	uint64_t sum;
	uint16_t max;
};

/* Returns 0 or -ENOMEM. Not after histogram_finish(). */
int histogram_add(struct histogram *h, uint16_t value);

/* Sorts the values: to be called once, before the functions below. */
void histogram_finish(struct histogram *h);

double histogram_mean(const struct histogram *h);

/* The smallest value that @percent of all values do not exceed; 0 if empty. */
uint16_t histogram_percentile(const struct histogram *h, double percent);

/* How many values equal the largest. */
uint64_t histogram_at_max(const struct histogram *h);
void histogram_fini(struct histogram *h);

#endif /* PMSCOPE_HISTOGRAM_H */
