/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of CPUs. There may be one for each of millions of cache lines, so it
 * uses memory only for the range from its lowest to its highest CPU.
 */
#pragma once

#include "base/std.h"

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
