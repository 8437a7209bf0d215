// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/adapt.h"

/* Buffers to judge by, so that a single one does not decide. */
#define ENOUGH	       4
#define LARGEST_PERIOD (UINT64_C(1) << 24)

/* A buffer may be counted twice; then it lost samples in two ways. */
static uint64_t lossy(const struct recorder_stats *stats)
{
	return stats->truncated + stats->collisions;
}

uint64_t record_adapt(struct record_adapt *a,
		      const struct recorder_stats *stats)
{
	uint64_t buffers = stats->aux_buffers - a->buffers;
	uint64_t lost = lossy(stats) - a->lossy;

	if (a->percent < 0 || buffers < ENOUGH)
		return a->period;
	a->buffers = stats->aux_buffers;
	a->lossy = lossy(stats);
	if (lost * 100 <= buffers * a->percent || a->period >= LARGEST_PERIOD)
		return a->period;
	a->raised++;
	a->period *= 2;
	return a->period;
}
