// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms against an array with a cell for every value. */
#include "ktap.h"
#include "random.h"

#include "histogram.h"

#include <math.h>

static uint16_t model_percentile(const uint32_t *cells, uint64_t count,
				 double percent)
{
	uint64_t seen = 0, rank = ceil(percent / 100 * count);

	for (uint32_t value = 0; value < 65536; value++) {
		seen += cells[value];
		if (cells[value] && seen >= rank)
			return value;
	}
	return 0;
}

static void compare(uint64_t *state, uint32_t values, uint32_t range)
{
	static const double percents[] = {0, 1, 50, 90, 99, 99.9, 100};
	static uint32_t cells[65536];
	struct histogram h = {};
	uint64_t sum = 0;

	memset(cells, 0, sizeof(cells));
	for (uint32_t i = 0; i < values; i++) {
		uint16_t value = random_below(state, range);

		ASSERT_EQ(histogram_add(&h, value), 0);
		cells[value]++;
		sum += value;
	}
	histogram_finish(&h);
	EXPECT_EQ(h.count, values);
	EXPECT_EQ(h.sum, sum);
	EXPECT_EQ(histogram_at_max(&h), cells[h.max]);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
		EXPECT_EQ(histogram_percentile(&h, percents[i]),
			  model_percentile(cells, values, percents[i]));
	histogram_fini(&h);
}

TEST(random_values)
{
	uint64_t state = 11;

	compare(&state, 1, 10);
	compare(&state, 100, 5);
	compare(&state, 5000, 300);
	compare(&state, 300000, 65536);
}

TEST(empty)
{
	struct histogram h = {};

	histogram_finish(&h);
	EXPECT_EQ(histogram_percentile(&h, 50), 0);
	EXPECT_EQ(histogram_at_max(&h), 0U);
	EXPECT_TRUE(histogram_mean(&h) == 0);
	histogram_fini(&h);
}

TEST(mean)
{
	struct histogram h = {};

	histogram_add(&h, 0);
	histogram_add(&h, 65535);
	histogram_finish(&h);
	EXPECT_TRUE(histogram_mean(&h) == 32767.5);
	histogram_fini(&h);
}

KTAP_MAIN
