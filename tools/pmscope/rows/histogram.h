/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <pmscope/record.h>

#include "base/std.h"

/*
 * Exact histograms of 16-bit values: SPE's counters are not wider, so each mean
 * and percentile covers all values without estimates. Memory depends on the
 * number of different values.
 */
struct histogram_bin {
	uint64_t count : 48; /* 0: an empty slot */
	uint64_t value : 16;
};

/* Initialize to zeros. @max and what follows is set at the end. */
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

/*
 * A set of CPUs. There may be one for each of millions of cache lines, so it
 * uses memory only for the range from its lowest to its highest CPU.
 */

/* Initialize to zeros. */
struct cpu_set {
	uint64_t first;	 /* CPUs 0 to 63 */
	uint64_t *other; /* from CPU 64 * @base on */
	uint16_t base;
	uint16_t nr_other;
};

/* Ignores CPU numbers that no kernel uses. Returns 0 or -ENOMEM. */
int cpu_set_add(struct cpu_set *set, unsigned int cpu);

/* The lowest CPU of the set from @cpu on; -1: none. */
int cpu_set_next(const struct cpu_set *set, unsigned int cpu);

/* Writes "0-3,7", or "-" for none. */
void cpu_set_put(FILE *out, const struct cpu_set *set);
bool cpu_set_is_empty(const struct cpu_set *set);
void cpu_set_fini(struct cpu_set *set);

/*
 * A kind is a combination of events and Data Source. There are few kinds, so a
 * row counts records by kind, and names are looked up at the end.
 */

/* A CPU has fewer; excess ones of a damaged trace get no number. */
#define MAX_KINDS      256
#define KIND_HASH_BITS 11

/* What such records have in common */
struct row_kind {
	uint64_t events; /* theirs */
	/*
	 * the Data Source in bits [15:0], if bit 16 is set; and in bits [63:32]
	 * MIDR_EL1 of the CPU, which gives it its name
	 */
	uint64_t source;
};

#define KIND_SOURCED (1U << 16)

/* Number 0 belongs to the all-zero kind, so an empty place needs no mark. */
struct row_kinds {
	struct row_kind kinds[MAX_KINDS];
	uint8_t causes[MAX_KINDS];     /* enum row_cause of each */
	uint8_t translated[MAX_KINDS]; /* the same if the TLB cost little */
	uint8_t of_op[16][4][256]; /* with each operation: row_cause_with() */
	uint16_t nr;
	uint16_t of_hash[1 << KIND_HASH_BITS]; /* or of the place behind */
};

/* NULL if out of memory; free with free(). */
struct row_kinds *row_kinds_new(void);

/* The rare part of row_kind_number(): @at is the place of its hash. */
unsigned int row_kind_search(struct row_kinds *kinds,
			     const struct row_kind *wanted, size_t at);

static inline struct row_kind row_kind_of(const struct pmscope_batch *batch,
					  size_t at, uint32_t midr)
{
	bool sourced = batch->has[at] & PMSCOPE_HAS_SOURCE;

	return (struct row_kind){
		.events = batch->events[at],
		.source = (uint64_t)midr << 32 | (sourced ? KIND_SOURCED : 0) |
			  batch->source[at],
	};
}

static inline bool row_kind_is(const struct row_kind *kind,
			       const struct row_kind *wanted)
{
	return kind->events == wanted->events && kind->source == wanted->source;
}

/* Below @kinds->nr; MAX_KINDS if all numbers are in use. */
static inline unsigned int row_kind_number(struct row_kinds *kinds,
					   const struct row_kind *wanted)
{
	uint64_t sum = wanted->events * UINT64_C(0x9e3779b97f4a7c15) +
		       wanted->source * UINT64_C(0xc2b2ae3d27d4eb4f);
	size_t at = sum >> (64 - KIND_HASH_BITS);
	unsigned int number = kinds->of_hash[at];

	return row_kind_is(&kinds->kinds[number], wanted)
		       ? number
		       : row_kind_search(kinds, wanted, at);
}
