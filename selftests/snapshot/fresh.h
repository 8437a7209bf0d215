/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fresh.h - is a capture fresh? If a cycle takes one nanosecond of the generic
 * timer (--icount), cycles captured earlier lag behind the clock by that much.
 */
#pragma once

#include "ktap.h"
#include "stream.h"

#define FRESH_MAX 4096
/* A record's time and its capture are at most this far apart. */
#define FRESH_NS 8000

struct fresh {
	unsigned int records;
	unsigned int captured; /* by the hardware, according to the records */
	/* the lag of the cycles behind the clock, at least and at most */
	int64_t least[FRESH_MAX];
	int64_t most[FRESH_MAX];
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

/* The cycles of a capture that was made between @from and @to of the clock. */
static inline void fresh_note(struct fresh *fresh, uint64_t from, uint64_t to,
			      uint64_t cycles)
{
	if (fresh->records == FRESH_MAX)
		return;
	fresh->least[fresh->records] = from - cycles;
	fresh->most[fresh->records++] = to - cycles;
}

/* All records of @s so far; their first counter is cycles. */
static inline void fresh_drain(struct fresh *fresh, struct stream *s)
{
	const struct pmscope_record *r;
	uint64_t ns;

	while ((r = stream_next(s))) {
		fresh->captured += r->result == PMSCOPE_CAPTURED;
		ns = ticks_to_ns(r->cntvct);
		fresh_note(fresh, ns - FRESH_NS, ns,
			   stream_counter(r, 0)->count);
	}
	stream_release(s);
}

/*
 * Counts stale captures. A frozen capture stops the cycles for some ns, so the
 * lag only grows: no capture can lag more than a later one.
 */
static inline unsigned int fresh_stale(const struct fresh *fresh)
{
	int64_t limit = INT64_MAX;
	unsigned int stale = 0;

	for (unsigned int i = fresh->records; i-- > 0;) {
		if (fresh->most[i] < limit)
			limit = fresh->most[i];
		stale += fresh->least[i] > limit;
	}
	return stale;
}

static inline long snapshot_stat(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), SNAPSHOT_DIR "stats/%s", name);
	return sysfs_number(path);
}
