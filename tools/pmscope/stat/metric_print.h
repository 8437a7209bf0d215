/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "stat/plan.h"
#include "stat/tally.h"

/* The value of a metric, and its error where groups counted in turns. */

/**
 * struct stat_estimate - one metric at one place
 * @counted: the group was counted at that place, and no divisor is 0
 * @value: the formula, applied to all counts of the group
 * @error: half the width of the 95 % range; 0: the group counted all the time,
 *	   below 0: unknown, since there were too few turns
 * @share: of the time that the group counted, 0 to 1
 */
struct stat_estimate {
	bool counted;
	double value;
	double error;
	double share;
};

/*
 * The error comes from the jackknife: the metric is computed again without each
 * of the turns (or blocks of neighbouring turns, or runs); Student's t of their
 * number turns their spread into a range.
 */
struct stat_estimate stat_estimate(const struct stat_tally *tally,
				   const struct metric_plan *plan,
				   const struct plan_item *item, int place);

/* All metrics of @plan, at each place of the rows. */
void stat_print_metrics(const struct stat_printer *p,
			const struct stat_tally *tally,
			const struct metric_plan *plan, double seconds);
