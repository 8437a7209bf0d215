/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fresh.h - is what a capture holds of now? Where a cycle takes as long as a
 * nanosecond of the generic timer (--icount), cycles that were captured earlier
 * are behind the clock by that much.
 */
#ifndef PMSCOPE_SELFTESTS_FRESH_H
#define PMSCOPE_SELFTESTS_FRESH_H

#include "ktap.h"
#include "stream.h"

#define FRESH_MAX 4096
/* From the capture to the reading of the clock, with all that may come between
 */
#define FRESH_NS 8000

struct fresh {
	unsigned int records;
	unsigned int captured; /* by the hardware, as the records say */
	int64_t behind[FRESH_MAX];
};

static inline uint64_t ticks_to_ns(uint64_t ticks)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	return ticks * (1000000000 / frequency);
}

static inline uint64_t clock_ns(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0"
			 : "=r"(ticks)
			 :
			 : "memory");
	return ticks_to_ns(ticks);
}

/* The cycles of a capture; shortly behind it the clock was @ns. */
static inline void fresh_note(struct fresh *fresh, uint64_t ns, uint64_t cycles)
{
	if (fresh->records < FRESH_MAX)
		fresh->behind[fresh->records++] = ns - cycles;
}

/* All records of @s so far; their first counter is that of cycles. */
static inline void fresh_drain(struct fresh *fresh, struct stream *s)
{
	const struct pmscope_record *r;

	while ((r = stream_next(s))) {
		fresh->captured += r->result == PMSCOPE_CAPTURED;
		fresh_note(fresh, ticks_to_ns(r->cntvct),
			   stream_counter(r, 0)->count);
	}
	stream_release(s);
}

/*
 * How many are older than they should be. A capture by the frozen back end
 * stops the cycles for some ns, so they fall behind little by little: each is
 * compared with those that follow it.
 */
static inline unsigned int fresh_stale(const struct fresh *fresh)
{
	int64_t least = INT64_MAX;
	unsigned int stale = 0;

	for (unsigned int i = fresh->records; i-- > 0;) {
		if (fresh->behind[i] < least)
			least = fresh->behind[i];
		stale += fresh->behind[i] - least > FRESH_NS;
	}
	return stale;
}

static inline long snapshot_stat(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), SNAPSHOT_DIR "stats/%s", name);
	return sysfs_number(path);
}

#endif /* PMSCOPE_SELFTESTS_FRESH_H */
