/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an operation waited for, by its events, its data source, and what it is.
 * A record counts for one cause: the first of this list that it fits.
 */
#pragma once

#include "rows/histogram.h"

/**
 * enum row_cause
 * @CAUSE_SHARING: the cache of another core answered
 * @CAUSE_REMOTE: memory of another socket or node answered
 * @CAUSE_MEMORY: memory or a device answered, or the last-level cache missed
 * @CAUSE_CACHE: the L1 cache missed, and a farther one answered
 * @CAUSE_TLB: the TLB missed, the L1 cache answered, and the translation took
 *	       most of the time, or an unknown part of it
 * @CAUSE_BRANCH: a branch was predicted wrongly
 * @CAUSE_ATOMIC: none of these, CAUSE_SHARING or CAUSE_CACHE, and it is atomic
 * @CAUSE_STORE: none of these, and it is a store
 * @CAUSE_ARITHMETIC: neither load, store nor branch
 * @CAUSE_NONE: none of these
 */
enum row_cause {
	CAUSE_NONE,
	CAUSE_SHARING,
	CAUSE_REMOTE,
	CAUSE_MEMORY,
	CAUSE_CACHE,
	CAUSE_TLB,
	CAUSE_BRANCH,
	CAUSE_ATOMIC,
	CAUSE_STORE,
	CAUSE_ARITHMETIC,
	NR_CAUSES
};

/* By events and source only. */
enum row_cause row_cause_of(const struct row_kind *kind);

/* The same of an operation whose translation is not most of what it took. */
enum row_cause row_cause_translated(const struct row_kind *kind);

/* The same, where the kind says @cause, of an operation. */
enum row_cause row_cause_with(enum row_cause cause, unsigned int op_class,
			      uint8_t op);

/* The same of sample @at of a batch, whose @kind has @number. */
enum row_cause row_cause_at(const struct row_kinds *kinds,
			    const struct row_kind *kind, unsigned int number,
			    const struct pmscope_batch *batch, size_t at);

/* Samples of one cause, and their cycles */
struct row_wait {
	uint64_t samples;
	uint64_t total;	    /* of their total latencies */
	uint64_t own;	    /* from issue to completion, without */
	uint64_t translate; /* that for the translation of their addresses */
	/*
	 * own cycles and translation of the operations that waited before the
	 * issue; with CAUSE_NONE, of the operations that were late
	 */
	uint64_t waiting;
	/* of operations that others may wait for, see row_awaited() */
	uint64_t awaited;
	uint32_t waited; /* how many waited */
	/*
	 * those whose counters are both at their limit: nothing is known of
	 * their own cycles but the translation
	 */
	uint32_t capped;
	/*
	 * what they have of @own, and @slow_translate of @translate, where a
	 * sample has more than SLOW_CYCLES of it
	 */
	uint64_t slow;
	uint64_t slow_translate;
};

/* No operation that waits for nothing is looked at for its instruction. */
#define SLOW_CYCLES 4
#define SLOW_CAPPED 200

/* Adds those of @from, which may be NULL. */
static inline void row_wait_join(struct row_wait *to,
				 const struct row_wait *from)
{
	static const struct row_wait none;

	from = from ?: &none;
	to->samples += from->samples;
	to->total += from->total;
	to->own += from->own;
	to->translate += from->translate;
	to->waiting += from->waiting;
	to->awaited += from->awaited;
	to->waited += from->waited;
	to->capped += from->capped;
	to->slow += from->slow;
	to->slow_translate += from->slow_translate;
}

/* An operation whose issue took longer waited for others. */
#define ROW_WAITED 8

/* Cycles of the quickest operations, and too many for an L1 cache */
#define ROW_QUICK 2
#define ROW_LATE  32

/* Are these what counters of 12 or 16 bits stop at? */
static inline bool row_capped(unsigned int total, unsigned int issue)
{
	return total == issue && (total == 4095 || total == 65535);
}

/* From issue to completion; where that is unknown, the translation alone. */
static inline unsigned int
row_own_cycles(unsigned int total, unsigned int issue, unsigned int translate)
{
	if (row_capped(total, issue))
		return translate;
	return total > issue ? total - issue : 0;
}

/*
 * Others wait for what a cache kept, and for a link of a chain that takes long:
 * one that waits itself. What is quick may be the last one.
 */
static inline bool row_awaited(enum row_cause cause, unsigned int own,
			       unsigned int issue)
{
	if (cause == CAUSE_NONE || cause == CAUSE_BRANCH ||
	    cause == CAUSE_STORE || cause == CAUSE_ARITHMETIC)
		return issue > ROW_WAITED && own > ROW_QUICK;
	return true;
}

/*
 * What counts for the instruction of @own cycles: none without a wait, and as
 * many for each access whose counters are at their limit.
 */
static inline unsigned int row_slow(enum row_cause cause, unsigned int own,
				    bool capped)
{
	if (capped)
		return cause >= CAUSE_SHARING && cause <= CAUSE_TLB
			       ? SLOW_CAPPED
			       : 0;
	return own > SLOW_CYCLES ? own : 0;
}

/* Those that a row has; it has few. @of: index + 1, or 0. */
struct row_waits {
	uint8_t nr;
	uint8_t of[NR_CAUSES];
	struct row_wait all[];
};

/* Returns that of a cause, which may be new; NULL: no memory. */
struct row_wait *row_waits_get(struct row_waits **waits, enum row_cause cause);

/* That of a cause, if there is one. */
static inline const struct row_wait *row_waits_at(const struct row_waits *waits,
						  enum row_cause cause)
{
	return waits && waits->of[cause] ? &waits->all[waits->of[cause] - 1]
					 : NULL;
}

int row_waits_join(struct row_waits **to, const struct row_waits *from);

/*
 * How many cycles operations need if nothing is wrong: the low percentiles of
 * those without a miss. Longer ones are counted in the last bin.
 */
enum row_need {
	NEED_ACCESS,	 /* own cycles of a load */
	NEED_ATOMIC,	 /* the same of what CAUSE_ATOMIC counts */
	NEED_STORE,	 /* of what CAUSE_STORE counts */
	NEED_ARITHMETIC, /* of what CAUSE_ARITHMETIC counts */
	NEED_TRANSLATE,	 /* cycles of a translation */
	NEED_ISSUE,	 /* cycles before the issue, of any operation */
	NR_NEEDS
};

#define NEED_CYCLES 256

struct row_needs {
	uint64_t nr[NR_NEEDS][NEED_CYCLES];
};

void row_needs_join(struct row_needs *to, const struct row_needs *from);
unsigned int row_need(const struct row_needs *needs, enum row_need need);

static inline void need_add(struct row_needs *needs, enum row_need need,
			    unsigned int cycles)
{
	needs->nr[need][cycles < NEED_CYCLES ? cycles : NEED_CYCLES - 1]++;
}

/* Adds a sample; 0 stands for a latency that it lacks. 0 or -ENOMEM. */
static inline int row_waits_add(struct row_waits **waits,
				struct row_needs *needs, enum row_cause cause,
				unsigned int total, unsigned int issue,
				unsigned int translate)
{
	static const uint8_t need_of[NR_CAUSES] = {
		[CAUSE_NONE] = NEED_ACCESS + 1,
		[CAUSE_ATOMIC] = NEED_ATOMIC + 1,
		[CAUSE_STORE] = NEED_STORE + 1,
		[CAUSE_ARITHMETIC] = NEED_ARITHMETIC + 1,
	};
	struct row_wait *wait =
		*waits && (*waits)->of[cause]
			? &(*waits)->all[(*waits)->of[cause] - 1]
			: row_waits_get(waits, cause);
	unsigned int own = row_own_cycles(total, issue, translate);
	bool capped = row_capped(total, issue);

	if (!wait)
		return -ENOMEM;
	wait->samples++;
	if (!total)
		return 0;
	if (translate > own)
		translate = own;
	wait->total += total;
	wait->own += own - translate;
	wait->translate += translate;
	wait->capped += capped;
	if (cause == CAUSE_NONE ? own >= ROW_LATE : issue > ROW_WAITED) {
		wait->waited++;
		wait->waiting += own;
	}
	if (!capped && row_awaited(cause, own, issue))
		wait->awaited += own;
	wait->slow += row_slow(cause, own - translate, capped);
	wait->slow_translate += row_slow(CAUSE_TLB, translate, false);
	need_add(needs, NEED_ISSUE, total - own);
	if (need_of[cause] && !capped)
		need_add(needs, need_of[cause] - 1, own - translate);
	if (cause == CAUSE_NONE && translate)
		need_add(needs, NEED_TRANSLATE, translate);
	return 0;
}
