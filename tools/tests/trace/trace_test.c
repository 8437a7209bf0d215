// SPDX-License-Identifier: GPL-2.0-or-later
/* Buckets and percentiles of `pmscope trace`. */
#include "ktap.h"
#include "trace/trace.h"

#include <stdlib.h>

TEST(small_values_have_a_bucket_each)
{
	for (uint64_t value = 0; value < TRACE_EXACT; value++) {
		EXPECT_EQ(trace_bucket_of(value), value);
		EXPECT_EQ(trace_bucket_end(value), value);
	}
}

TEST(buckets_follow_each_other_without_gaps)
{
	for (uint32_t b = 0; b < trace_bucket_of(UINT64_MAX); b++) {
		uint64_t end = trace_bucket_end(b);

		ASSERT_EQ(trace_bucket_of(end), b);
		ASSERT_EQ(trace_bucket_of(end + 1), b + 1);
	}
	EXPECT_EQ(trace_bucket_end(trace_bucket_of(UINT64_MAX)), UINT64_MAX);
}

TEST(a_bucket_is_at_most_a_thirty_second_wide)
{
	for (uint64_t value = TRACE_EXACT; value < 1ULL << 62; value *= 3) {
		uint64_t end = trace_bucket_end(trace_bucket_of(value));

		EXPECT_GE(end, value);
		EXPECT_LE(end - value, value / 32);
	}
}

static void add_values(struct trace_row *row, uint64_t value, uint64_t count)
{
	ASSERT_EQ(trace_row_add(row, trace_bucket_of(value), count), 0);
	row->calls += count;
	if (value < row->min)
		row->min = value;
	if (value > row->max)
		row->max = value;
}

TEST(percentiles_are_values_that_came)
{
	struct trace_row row = {.min = UINT64_MAX};

	add_values(&row, 30, 9);
	add_values(&row, 10, 90);
	add_values(&row, 5000, 1);
	EXPECT_EQ(trace_percentile(&row, 50), 10);
	EXPECT_EQ(trace_percentile(&row, 90), 10);
	EXPECT_EQ(trace_percentile(&row, 99), 30);
	EXPECT_EQ(trace_percentile(&row, 100), 5000);
	free(row.bucket);
}

/* The same value repeatedly: every percentile equals it. */
TEST(equal_calls_have_equal_percentiles)
{
	struct trace_row row = {.min = UINT64_MAX};

	add_values(&row, 1001, 500);
	EXPECT_EQ(trace_percentile(&row, 1), 1001);
	EXPECT_EQ(trace_percentile(&row, 50), 1001);
	EXPECT_EQ(trace_percentile(&row, 99), 1001);
	free(row.bucket);
}

/*
 * dwarf_begin_elf() is another file's function, which this one only calls; the
 * sanitizers have none of this name.
 */
TEST(a_program_has_its_own_functions_only)
{
	static const char self[] = "/proc/self/exe";

	EXPECT_TRUE(trace_program_has(self, "main"));
	EXPECT_TRUE(trace_program_has(self, "add_values"));
	EXPECT_FALSE(trace_program_has(self, "dwarf_begin_elf"));
	EXPECT_FALSE(trace_program_has(self, "nosuch"));
	EXPECT_FALSE(trace_program_has("/dev/null", "main"));
	EXPECT_FALSE(trace_program_has("/nosuch", "main"));
}

KTAP_MAIN
