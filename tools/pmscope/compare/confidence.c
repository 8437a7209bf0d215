// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/compare.h"

/* Halvings of an interval until doubles cannot tell its ends apart. */
#define HALVINGS 64

/* No limit is farther: memory has no room for so many comparisons. */
#define MOST_DEVIATIONS 20.0

double interval_deviations(double confidence, size_t comparisons)
{
	double outside = (1 - confidence) / (comparisons ? comparisons : 1);
	double low = 0, high = MOST_DEVIATIONS;

	/* Of a normal distribution, erfc(z / sqrt(2)) is farther off than z. */
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / M_SQRT2) > outside)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/*
 * The cube root of a gamma variable is nearly normal (Wilson and Hilferty
 * 1931). For a sum of weights the gamma distribution has the mean and the
 * variance of the sum; @sum stands for that many events of one weight.
 */
static double gamma_limit(double sum, double squares, double deviations)
{
	double events = sum * sum / squares;
	double root = 1 - 1 / (9 * events) + deviations / (3 * sqrt(events));

	return root > 0 ? sum * root * root * root : 0;
}

struct interval interval_of_sum(const struct weighted *sum, double deviations)
{
	/* One more event of the largest weight may have been missed. */
	double more = sum->sum + sum->most;
	double squares = sum->squares + sum->most * sum->most;

	return (struct interval){
		.low = sum->squares > 0 ? gamma_limit(sum->sum, sum->squares,
						      -deviations)
					: 0,
		.high = squares > 0 ? gamma_limit(more, squares, deviations)
				    : 0,
	};
}

struct interval interval_of_count(uint64_t count, double deviations)
{
	const struct weighted sum = {count, count, 1};

	return interval_of_sum(&sum, deviations);
}

/*
 * The binomial limit from the Poisson limit of the count (Anderson and Burstein
 * 1967, 1968), good where @part is the smaller one.
 */
static struct interval interval_of_smaller(uint64_t part, uint64_t whole,
					   double deviations)
{
	struct interval count = interval_of_count(part, deviations);
	double low = whole - (part - 1.0) / 2 + count.low / 2;
	double high = whole - part / 2.0 + count.high / 2;

	return (struct interval){
		.low = part ? count.low / low : 0,
		.high = fmin(count.high / high, 1),
	};
}

struct interval interval_of_share(uint64_t part, uint64_t whole,
				  double deviations)
{
	struct interval rest;

	if (!whole)
		return (struct interval){0, 1};
	if (part <= whole / 2)
		return interval_of_smaller(part, whole, deviations);
	rest = interval_of_smaller(whole - part, whole, deviations);
	return (struct interval){1 - rest.high, 1 - rest.low};
}

/* The first rank for which the upper limit of rank / whole reaches @p. */
static uint64_t low_rank(uint64_t whole, double p, double deviations)
{
	uint64_t low = 0, high = whole;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (interval_of_share(middle, whole, deviations).high >= p)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The first rank for which the lower limit reaches it, or whole + 1. */
static uint64_t high_rank(uint64_t whole, double p, double deviations)
{
	uint64_t low = 0, high = whole + 1;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (interval_of_share(middle, whole, deviations).low >= p)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct ranks interval_ranks(uint64_t whole, double p, double deviations)
{
	return (struct ranks){
		.low = low_rank(whole, p, deviations),
		.high = high_rank(whole, p, deviations),
	};
}

struct estimate interval_difference(const struct estimate *x,
				    const struct estimate *y)
{
	struct estimate difference = {.value = y->value - x->value};

	difference.range.low =
		difference.value -
		hypot(y->value - y->range.low, x->range.high - x->value);
	difference.range.high =
		difference.value +
		hypot(y->range.high - y->value, x->value - x->range.low);
	return difference;
}
