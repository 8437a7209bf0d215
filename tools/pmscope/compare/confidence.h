/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confidence intervals of what a recording measured, and of the difference of
 * two recordings. Each function takes the number of standard deviations that
 * the wanted confidence stands for. All limits are closed formulas: there may
 * be millions of them.
 *
 * Counts are Poisson and shares binomial. The difference of two figures comes
 * from the intervals of both (MOVER: Zou and Donner, Statistics in Medicine 27,
 * 2008), so that neither has to be normally distributed.
 */
#pragma once

#include "base/std.h"

/* A limit that the samples do not give is infinite. */
struct interval {
	double low;
	double high;
};

/* A figure with its interval. */
struct estimate {
	double value;
	struct interval range;
};

/*
 * A sum of weights of samples: how often each weight occurs is a Poisson count.
 * @squares: the sum of the squared weights
 * @most: the largest weight that a sample can have
 */
struct weighted {
	double sum;
	double squares;
	double most;
};

/*
 * For @comparisons intervals that together have a @confidence, 0 to 1
 * (Bonferroni, Dunn 1961).
 */
double interval_deviations(double confidence, size_t comparisons);

/* Of the sum (Fay and Feuer 1997); of a plain count, each weight is 1. */
struct interval interval_of_sum(const struct weighted *sum, double deviations);
struct interval interval_of_count(uint64_t count, double deviations);

/* Of the probability that a sample is one of the @part, 0 to 1. */
struct interval interval_of_share(uint64_t part, uint64_t whole,
				  double deviations);

/*
 * The ranks, 0 to @whole, of the order statistics between which the quantile of
 * probability @p lies: of @whole values in ascending order, the value of rank
 * @low is the lower limit; @high may be above @whole: there is no upper limit.
 */
struct ranks {
	uint64_t low;
	uint64_t high;
};
struct ranks interval_ranks(uint64_t whole, double p, double deviations);

/* Of @y - @x. */
struct estimate interval_difference(const struct estimate *x,
				    const struct estimate *y);

/* Is 0, no difference, outside of the interval? */
static inline bool interval_is_change(const struct interval *range)
{
	return range->low > 0 || range->high < 0;
}
