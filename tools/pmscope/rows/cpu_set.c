// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/histogram.h"

#define MAX_CPU 8191 /* the kernel's maximum */

/* CPUs 64 * @at to 64 * @at + 63. */
static uint64_t word(const struct cpu_set *set, unsigned int at)
{
	if (!at)
		return set->first;
	return at - set->base < set->nr_other ? set->other[at - set->base] : 0;
}

/* How many words there are from CPU 0 on. */
static unsigned int words(const struct cpu_set *set)
{
	return set->nr_other ? set->base + set->nr_other : 1;
}

/* Makes room for word @at. */
static int grow(struct cpu_set *set, unsigned int at)
{
	unsigned int base = set->nr_other && set->base < at ? set->base : at;
	unsigned int end = words(set) > at ? words(set) : at + 1;
	uint64_t *other = calloc(end - base, sizeof(*other));

	if (!other)
		return -ENOMEM;
	if (set->nr_other)
		memcpy(other + (set->base - base), set->other,
		       set->nr_other * sizeof(*other));
	free(set->other);
	set->other = other;
	set->base = base;
	set->nr_other = end - base;
	return 0;
}

int cpu_set_add(struct cpu_set *set, unsigned int cpu)
{
	const uint64_t bit = UINT64_C(1) << cpu % 64;
	unsigned int at = cpu / 64;

	if (cpu > MAX_CPU)
		return 0;
	if (!at) {
		set->first |= bit;
		return 0;
	}
	if (at - set->base >= set->nr_other && grow(set, at))
		return -ENOMEM;
	set->other[at - set->base] |= bit;
	return 0;
}

int cpu_set_next(const struct cpu_set *set, unsigned int cpu)
{
	uint64_t mask = UINT64_MAX << cpu % 64;

	for (unsigned int at = cpu / 64; at < words(set); at++) {
		uint64_t rest = word(set, at) & mask;

		if (rest)
			return 64 * at + __builtin_ctzll(rest);
		mask = UINT64_MAX;
	}
	return -1;
}

void cpu_set_put(FILE *out, const struct cpu_set *set)
{
	const char *separator = "";
	int last;

	for (int cpu = cpu_set_next(set, 0); cpu >= 0;
	     cpu = cpu_set_next(set, last + 1)) {
		last = cpu;
		while (cpu_set_next(set, last + 1) == last + 1)
			last++;
		fprintf(out, cpu == last ? "%s%u" : "%s%u-%u", separator, cpu,
			last);
		separator = ",";
	}
	if (!*separator)
		fputc('-', out);
}

bool cpu_set_is_empty(const struct cpu_set *set)
{
	return !set->first && !set->nr_other;
}

void cpu_set_fini(struct cpu_set *set)
{
	free(set->other);
}
