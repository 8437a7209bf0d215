// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "clock.h"
#include "perfdata/reader.h"

/* Sizes of the body in perf before and after 5.9. */
#define BODY_OLD 24
#define BODY_NEW 42

void clock_read(struct clock *clock, const uint8_t *body, size_t size)
{
	if (size < BODY_OLD)
		return;
	*clock = (struct clock){
		.shift = get64(body),
		.mult = get64(body + 8),
		.zero = get64(body + 16),
	};
	/* A kernel that cannot convert sets the multiplier to 0. */
	clock->known = clock->mult && clock->shift < 64;
	if (size < BODY_NEW)
		return;
	clock->cycles = get64(body + 24);
	clock->mask = get64(body + 32);
	/*
	 * cap_user_time_zero, body[40], is set: perf writes no other records.
	 */
	clock->narrow = body[41];
}
