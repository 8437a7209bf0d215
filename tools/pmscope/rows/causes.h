/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an operation waited for, by its events and its data source. A record
 * counts for one cause: the first of this list that it fits.
 */
#ifndef PMSCOPE_ROWS_CAUSES_H
#define PMSCOPE_ROWS_CAUSES_H

#include "rows/kinds.h"

/**
 * enum row_cause
 * @CAUSE_SHARING: the cache of another core answered
 * @CAUSE_MEMORY: memory or a device answered, or the last-level cache missed
 * @CAUSE_TLB: the TLB missed, and a cache answered
 * @CAUSE_CACHE: the L1 cache missed, and a farther one answered
 * @CAUSE_BRANCH: a branch was predicted wrongly
 * @CAUSE_NONE: none of these
 */
enum row_cause {
	CAUSE_NONE,
	CAUSE_SHARING,
	CAUSE_MEMORY,
	CAUSE_TLB,
	CAUSE_CACHE,
	CAUSE_BRANCH,
	NR_CAUSES
};

enum row_cause row_cause_of(const struct row_kind *kind);

/* Samples of one cause, and the cycles of their total latencies. */
struct row_wait {
	uint64_t samples;
	uint64_t cycles;
};

#endif /* PMSCOPE_ROWS_CAUSES_H */
