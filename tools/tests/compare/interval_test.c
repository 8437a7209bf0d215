// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits against the exact distributions, whose tails are added up term by
 * term.
 */
#include "ktap.h"

#include "compare/compare.h"

/* Limits may be too wide; too narrow only by so much of the probability. */
#define TOO_NARROW 1.03

static const double deviations[] = {1.96, 3.5, 4.5, 5.5};

static double tail(double z)
{
	return erfc(z / M_SQRT2) / 2;
}

static double binomial(uint64_t k, uint64_t n, double p)
{
	if (p <= 0 || p >= 1)
		return k == (p <= 0 ? 0 : n);
	return exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) +
		   k * log(p) + (n - k) * log1p(-p));
}

static double binomial_sum(uint64_t from, uint64_t to, uint64_t n, double p)
{
	double sum = 0;

	for (uint64_t k = from; k <= to; k++)
		sum += binomial(k, n, p);
	return sum;
}

static double poisson_sum(uint64_t from, uint64_t to, double mean)
{
	double sum = 0;

	for (uint64_t k = from; k <= to; k++)
		sum += exp(k * log(mean) - mean - lgamma(k + 1.0));
	return sum;
}

static void expect_at_most(double probability, double most, const char *what,
			   uint64_t k, uint64_t n, double z)
{
	EXPECT_TRUE(probability <= TOO_NARROW * most);
	if (probability > TOO_NARROW * most)
		ktap_note("%s of %llu in %llu, %g deviations: %g, not %g", what,
			  (unsigned long long)k, (unsigned long long)n, z,
			  probability, most);
}

static void check_share(uint64_t k, uint64_t n, double z)
{
	struct interval range = interval_of_share(k, n, z);
	double p = (double)k / n;

	EXPECT_TRUE(range.low >= 0 && range.low <= p);
	EXPECT_TRUE(range.high <= 1 && range.high >= p);
	if (k)
		expect_at_most(binomial_sum(k, n, n, range.low), tail(z),
			       "lower limit", k, n, z);
	if (k < n)
		expect_at_most(binomial_sum(0, k, n, range.high), tail(z),
			       "upper limit", k, n, z);
}

TEST(shares_are_binomial)
{
	static const uint64_t sizes[] = {1, 2, 20, 100, 1000, 5000};

	for (size_t i = 0; i < ARRAY_SIZE(deviations); i++)
		for (size_t j = 0; j < ARRAY_SIZE(sizes); j++)
			for (uint64_t k = 0; k <= sizes[j];
			     k += 1 + k / 3 + (k > 20) * sizes[j] / 50) {
				check_share(k, sizes[j], deviations[i]);
				check_share(sizes[j] - k, sizes[j],
					    deviations[i]);
			}
}

TEST(counts_are_Poisson)
{
	for (size_t i = 0; i < ARRAY_SIZE(deviations); i++)
		for (uint64_t k = 0; k < 2000; k += 1 + k / 2) {
			double z = deviations[i];
			struct interval range = interval_of_count(k, z);

			EXPECT_TRUE(range.low <= k && range.high > k);
			expect_at_most(poisson_sum(0, k, range.high), tail(z),
				       "upper limit", k, 0, z);
			if (range.low > 0)
				expect_at_most(1 - poisson_sum(0, k - 1,
							       range.low),
					       tail(z) + 1e-12, "lower limit",
					       k, 0, z);
		}
}

/* Not useless: near the normal limits where the counts are large. */
TEST(limits_of_large_counts_are_normal)
{
	struct interval count = interval_of_count(1000000, 3);
	struct interval share = interval_of_share(500000, 1000000, 3);

	EXPECT_TRUE(fabs(count.low - 997000) < 10);
	EXPECT_TRUE(fabs(count.high - 1003000) < 10);
	/* Binomial would be 0.0015; Poisson is wider. */
	EXPECT_TRUE(share.low > 0.4978 && share.low < 0.4986);
	EXPECT_TRUE(share.high < 0.5022 && share.high > 0.5014);
}

TEST(nothing_counted)
{
	struct interval count = interval_of_count(0, 1.96);
	struct interval share = interval_of_share(0, 0, 1.96);
	const struct weighted none = {0, 0, 0};
	struct interval sum = interval_of_sum(&none, 1.96);

	EXPECT_TRUE(count.low == 0);
	/* exp(-3.69) is 0.025. */
	EXPECT_TRUE(count.high > 3.6 && count.high < 3.8);
	EXPECT_TRUE(share.low == 0 && share.high == 1);
	EXPECT_TRUE(sum.low == 0 && sum.high == 0);
}

TEST(one_weight_is_a_multiple_of_a_count)
{
	struct interval count = interval_of_count(50, 3);
	const struct weighted sum = {50 * 7, 50 * 7 * 7, 7};
	struct interval weighted = interval_of_sum(&sum, 3);

	EXPECT_TRUE(fabs(weighted.low - 7 * count.low) < 1e-9);
	EXPECT_TRUE(fabs(weighted.high - 7 * count.high) < 1e-9);
}

/* The rank @low is too high, or @high too low, as seldom as promised. */
TEST(ranks_of_quantiles)
{
	static const double quantiles[] = {0, 0.5, 0.9, 0.99, 1};
	static const uint64_t sizes[] = {1, 10, 100, 2000};

	for (size_t i = 0; i < ARRAY_SIZE(deviations); i++)
		for (size_t j = 0; j < 4; j++)
			for (size_t k = 1; k < 4; k++) {
				double z = deviations[i], p = quantiles[k];
				uint64_t n = sizes[j];
				struct ranks ranks = interval_ranks(n, p, z);

				EXPECT_TRUE(ranks.low <= ranks.high);
				if (ranks.low)
					expect_at_most(
						binomial_sum(0, ranks.low - 1,
							     n, p),
						tail(z), "low rank", ranks.low,
						n, z);
				if (ranks.high <= n)
					expect_at_most(binomial_sum(ranks.high,
								    n, n, p),
						       tail(z), "high rank",
						       ranks.high, n, z);
			}
	EXPECT_EQ(interval_ranks(10, 0.99, 3).high, 11U);
	EXPECT_EQ(interval_ranks(10, 0.5, 5).low, 0U);
}

TEST(deviations_for_many_comparisons)
{
	EXPECT_TRUE(fabs(interval_deviations(0.95, 1) - 1.959964) < 1e-6);
	EXPECT_TRUE(fabs(interval_deviations(0.95, 0) - 1.959964) < 1e-6);
	EXPECT_TRUE(fabs(interval_deviations(0.95, 50) - 3.290527) < 1e-6);
	EXPECT_TRUE(fabs(interval_deviations(0.95, 50000000) - 6.109410) <
		    1e-4);
}

TEST(differences)
{
	const struct estimate x = {10, {7, 14}}, y = {20, {17, 24}};
	const struct estimate same = {10, {10, 10}};
	const struct estimate open = {20, {17, INFINITY}};
	struct estimate d = interval_difference(&x, &y);

	EXPECT_TRUE(d.value == 10);
	EXPECT_TRUE(fabs(d.range.low - 5) < 1e-12);
	EXPECT_TRUE(fabs(d.range.high - 15) < 1e-12);
	EXPECT_TRUE(interval_is_change(&d.range));
	d = interval_difference(&y, &x);
	EXPECT_TRUE(d.range.high < 0 && interval_is_change(&d.range));
	d = interval_difference(&x, &x);
	EXPECT_TRUE(d.value == 0 && !interval_is_change(&d.range));
	d = interval_difference(&same, &same);
	EXPECT_FALSE(interval_is_change(&d.range));
	d = interval_difference(&x, &open);
	EXPECT_TRUE(isinf(d.range.high) && d.range.low == 5);
}
