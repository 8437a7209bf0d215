/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --max-loss: doubles the sampling interval while more than the given share of
 * SPE's buffers lose samples.
 */
#ifndef PMSCOPE_RECORD_ADAPT_H
#define PMSCOPE_RECORD_ADAPT_H

#include "session/recorder.h"

/**
 * struct record_adapt - the limit and the current interval
 * @percent: share of buffers that may lose samples; negative: no limit
 * @period: current interval
 * @raised: how often it was doubled
 */
struct record_adapt {
	int percent;
	uint64_t period;
	unsigned int raised;
	uint64_t buffers; /* when it was doubled, or the rule last held */
	uint64_t lossy;
};

/* The next interval, given what was recorded so far. */
uint64_t record_adapt(struct record_adapt *adapt,
		      const struct recorder_stats *stats);

#endif /* PMSCOPE_RECORD_ADAPT_H */
