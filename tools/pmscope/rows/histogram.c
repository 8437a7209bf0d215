// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/histogram.h"
#include "rows/causes.h"

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
static int cpu_set_grow(struct cpu_set *set, unsigned int at)
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
	if (at - set->base >= set->nr_other && cpu_set_grow(set, at))
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

_Static_assert(MAX_KINDS < 1 << KIND_HASH_BITS, "a search ends");

struct row_kinds *row_kinds_new(void)
{
	struct row_kinds *kinds = calloc(1, sizeof(*kinds));

	if (!kinds)
		return NULL;
	kinds->nr = 1;
	for (int cause = 0; cause < NR_CAUSES; cause++)
		for (int op = 0; op < 4 * 256; op++)
			kinds->of_op[cause][op / 256][op % 256] =
				row_cause_with(cause, op / 256, op % 256);
	return kinds;
}

unsigned int row_kind_search(struct row_kinds *kinds,
			     const struct row_kind *wanted, size_t at)
{
	const size_t mask = (1 << KIND_HASH_BITS) - 1;
	unsigned int number;

	for (;; at = (at + 1) & mask) {
		number = kinds->of_hash[at];
		if (row_kind_is(&kinds->kinds[number], wanted))
			return number;
		if (!number)
			break;
	}
	if (kinds->nr == MAX_KINDS)
		return MAX_KINDS;
	kinds->kinds[kinds->nr] = *wanted;
	kinds->causes[kinds->nr] = row_cause_of(wanted);
	kinds->translated[kinds->nr] = row_cause_translated(wanted);
	kinds->of_hash[at] = kinds->nr;
	return kinds->nr++;
}
