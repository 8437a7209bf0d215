/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an operation waited for, by its events, its data source, and what it is.
 * A record counts for one cause: the first of this list that it fits.
 */
#ifndef PMSCOPE_ROWS_CAUSES_H
#define PMSCOPE_ROWS_CAUSES_H

#include "rows/kinds.h"

#include <errno.h>

/**
 * enum row_cause
 * @CAUSE_SHARING: the cache of another core answered
 * @CAUSE_REMOTE: memory of another socket or node answered
 * @CAUSE_MEMORY: memory or a device answered, or the last-level cache missed
 * @CAUSE_TLB: the TLB missed, and a cache answered
 * @CAUSE_CACHE: the L1 cache missed, and a farther one answered
 * @CAUSE_BRANCH: a branch was predicted wrongly
 * @CAUSE_ATOMIC: none of these, or CAUSE_SHARING, and it is atomic
 * @CAUSE_STORE: none of these, and it is a store
 * @CAUSE_ARITHMETIC: neither load, store nor branch
 * @CAUSE_NONE: none of these
 */
enum row_cause {
	CAUSE_NONE,
	CAUSE_SHARING,
	CAUSE_REMOTE,
	CAUSE_MEMORY,
	CAUSE_TLB,
	CAUSE_CACHE,
	CAUSE_BRANCH,
	CAUSE_ATOMIC,
	CAUSE_STORE,
	CAUSE_ARITHMETIC,
	NR_CAUSES
};

/* By events and source only. */
enum row_cause row_cause_of(const struct row_kind *kind);

/* The same, where the kind says @cause, of an operation. */
enum row_cause row_cause_with(enum row_cause cause, unsigned int op_class,
			      uint8_t op);

/**
 * struct row_wait - samples of one cause, and their cycles
 * @total: of their total latencies
 * @own: from issue to completion, without
 * @translate: that for the translation of their addresses
 */
struct row_wait {
	uint64_t samples;
	uint64_t total;
	uint64_t own;
	uint64_t translate;
};

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

/* Returns 0 or -ENOMEM. */
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
	unsigned int own = total > issue ? total - issue : 0;

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
	need_add(needs, NEED_ISSUE, total - own);
	if (need_of[cause])
		need_add(needs, need_of[cause] - 1, own - translate);
	if (cause == CAUSE_NONE && translate)
		need_add(needs, NEED_TRANSLATE, translate);
	return 0;
}

#endif /* PMSCOPE_ROWS_CAUSES_H */
