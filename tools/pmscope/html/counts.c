// SPDX-License-Identifier: GPL-2.0-or-later
#include "html/html.h"

static void slice_move(struct counts *counts, double (*to)[COUNTS_ALL],
		       double (*from)[COUNTS_ALL])
{
	for (uint64_t i = counts->first; i <= counts->last; i++)
		for (size_t event = 0; event < COUNTS_ALL; event++)
			to[i / 2 - counts->first / 2][event] +=
				from[i - counts->first][event];
}

void counts_coarsen(struct counts *counts)
{
	struct counts old = *counts;

	memset(counts->slices, 0, sizeof(counts->slices));
	memset(counts->scaled, 0, sizeof(counts->scaled));
	if (old.begun) {
		slice_move(&old, counts->slices, old.slices);
		slice_move(&old, counts->scaled, old.scaled);
	}
	counts->width *= 2;
	counts->first /= 2;
	counts->last /= 2;
}

/* Lets the first slice be @first, which is not after the present one. */
static void shift(double (*slices)[COUNTS_ALL], uint64_t nr, uint64_t by)
{
	memmove(slices + by, slices, nr * sizeof(*slices));
	memset(slices, 0, by * sizeof(*slices));
}

static void cover(struct counts *counts, uint64_t from, uint64_t to)
{
	uint64_t first, last;

	for (;;) {
		first = from / counts->width;
		last = to / counts->width;
		if (counts->begun && first > counts->first)
			first = counts->first;
		if (counts->begun && last < counts->last)
			last = counts->last;
		if (last - first < CUBE_SLICES)
			break;
		counts_coarsen(counts);
	}
	if (counts->begun && first < counts->first) {
		uint64_t nr = counts->last - counts->first + 1;

		shift(counts->slices, nr, counts->first - first);
		shift(counts->scaled, nr, counts->first - first);
	}
	counts->begun = true;
	counts->first = first;
	counts->last = last;
}

static void spread(struct counts *counts, size_t event,
		   const struct counted *counted, uint64_t to)
{
	uint64_t from = counted->from;

	if (to < from)
		return;
	cover(counts, from, to);
	for (uint64_t i = from / counts->width; i <= to / counts->width; i++) {
		double part = counted_part(counted, to, i * counts->width,
					   counts->width);
		size_t at = i - counts->first;

		counts->slices[at][event] += part * counted->value;
		counts->scaled[at][event] += part * counted->scaled;
	}
}

void counts_add(void *context, const struct counted *counted)
{
	const struct row_counting *counting = context;
	struct html *html = counting->context;

	if (counted->event < COUNTS_EVENTS)
		spread(&html->counts, counted->event, counted,
		       counting->run->group->time);
}

void counts_add_pair(void *context, const struct pmscope_run *run,
		     const struct counted_pair *pair)
{
	struct html *html = context;

	if (!counted_pair_is_whole(pair))
		return;
	spread(&html->counts, COUNTS_CYCLES, &pair->cycles, run->group->time);
	spread(&html->counts, COUNTS_INSTRUCTIONS, &pair->instructions,
	       run->group->time);
}

void counts_settle(struct counts *counts, const struct counters *all)
{
	for (size_t i = 0; i < CUBE_SLICES; i++)
		counters_scale(all, COUNTS_EVENTS, counts->slices[i],
			       counts->scaled[i]);
}
