// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "recording.h"

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

/*
 * The greatest tick count counts as the latest. If the counter wrapped, a queue
 * is merely checked earlier than necessary.
 */
uint64_t rows_latest(const struct pmscope_recording *rec,
		     const struct pmscope_batch *batch)
{
	uint64_t ticks = 0, time;
	uint32_t any = 0;

	for (size_t row = 0; row < batch->count; row++) {
		uint32_t has = batch->has[row] & PMSCOPE_HAS_TIMESTAMP;
		uint64_t own = has ? batch->timestamp[row] : 0;

		any |= has;
		ticks = MAX(ticks, own);
	}
	return any && clock_ns(&rec->clock, ticks, &time) ? time : 0;
}
