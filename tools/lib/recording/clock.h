/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Converts generic timer ticks to the perf clock (PERF_RECORD_TIME_CONV). */
#pragma once

#include "base/std.h"

/* See perf_event_open(2), perf_event_mmap_page, for the fields. */
struct clock {
	bool known;
	uint64_t shift;
	uint64_t mult;
	uint64_t zero;
	uint64_t cycles; /* with @mask: to widen a counter of fewer bits */
	uint64_t mask;
	bool narrow; /* cap_user_time_short */
};

/* Parses the body of a TIME_CONV record; ignores one that is too short. */
void clock_read(struct clock *clock, const uint8_t *body, size_t size);

/* Returns false if the recording has no clock conversion. */
static inline bool clock_ns(const struct clock *clock, uint64_t ticks,
			    uint64_t *ns)
{
	uint64_t whole, part;

	if (!clock->known)
		return false;
	if (clock->narrow)
		ticks = clock->cycles + ((ticks - clock->cycles) & clock->mask);
	/* Multiplies in two halves, so that no product exceeds 64 bits. */
	whole = ticks >> clock->shift;
	part = ticks & ((UINT64_C(1) << clock->shift) - 1);
	*ns = clock->zero + whole * clock->mult +
	      (part * clock->mult >> clock->shift);
	return true;
}
