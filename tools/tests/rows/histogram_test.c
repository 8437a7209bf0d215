// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms against an array with a cell for every value. */
#include "ktap.h"
#include "bytes.h"

#include "rows/histogram.h"

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

static void compare(struct histogram *h, const uint32_t *cells, uint64_t count,
		    uint64_t sum)
{
	static const double percents[] = {0, 1, 50, 90, 99, 99.9, 100};

	histogram_finish(h);
	EXPECT_EQ(h->count, count);
	EXPECT_EQ(h->sum, sum);
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++)
		EXPECT_EQ(histogram_percentile(h, percents[i]),
			  model_percentile(cells, count, percents[i]));
}

/* All in one histogram, and in some of them that are joined in the end. */
static void add_random(uint64_t *state, uint32_t values, uint32_t range)
{
	static uint32_t cells[65536];
	struct histogram whole = {}, parts[3] = {};
	uint64_t sum = 0;

	memset(cells, 0, sizeof(cells));
	for (uint32_t i = 0; i < values; i++) {
		uint16_t value = random_below(state, range);
		struct histogram *part = &parts[random_below(state, 3)];

		ASSERT_EQ(histogram_add(&whole, value), 0);
		ASSERT_EQ(histogram_add(part, value), 0);
		cells[value]++;
		sum += value;
	}
	ASSERT_EQ(histogram_join(&parts[0], &parts[1]), 0);
	ASSERT_EQ(histogram_join(&parts[0], &parts[2]), 0);
	compare(&whole, cells, values, sum);
	compare(&parts[0], cells, values, sum);
	histogram_fini(&whole);
	for (size_t i = 0; i < 3; i++)
		histogram_fini(&parts[i]);
}

TEST(random_values)
{
	uint64_t state = 11;

	add_random(&state, 1, 10);
	add_random(&state, 100, 5);
	add_random(&state, 5000, 300);
	add_random(&state, 300000, 65536);
}

TEST(more_than_32_bits_count)
{
	uint64_t most = UINT32_MAX;
	struct histogram h = {}, other = {};

	ASSERT_EQ(histogram_add(&h, 9), 0);
	ASSERT_EQ(histogram_add_many(&h, 7, most), 0);
	ASSERT_EQ(histogram_add_many(&other, 7, most - 1), 0);
	ASSERT_EQ(histogram_add(&h, 7), 0);
	ASSERT_EQ(histogram_join(&h, &other), 0);
	histogram_finish(&h);
	EXPECT_EQ(h.count, 1 + 2 * most);
	EXPECT_EQ(h.sum, 9 + 7 * 2 * most);
	EXPECT_EQ(h.bins[0].value, 7);
	EXPECT_EQ(h.bins[0].count, 2 * most);
	histogram_fini(&h);
	histogram_fini(&other);
}

TEST(empty)
{
	CLEANUP(histogram_fini) struct histogram h = {};

	histogram_finish(&h);
	EXPECT_EQ(histogram_percentile(&h, 50), 0);
	EXPECT_TRUE(histogram_mean(&h) == 0);
}

TEST(mean)
{
	CLEANUP(histogram_fini) struct histogram h = {};

	histogram_add(&h, 0);
	histogram_add(&h, 65535);
	histogram_finish(&h);
	EXPECT_TRUE(histogram_mean(&h) == 32767.5);
}
