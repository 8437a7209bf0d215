// SPDX-License-Identifier: GPL-2.0-or-later
/* The interval that --rate chooses from the samples that a CPU took. */
#include "ktap.h"

#include "record/record.h"

#define SECOND UINT64_C(1000000000)

static const struct record_rate rate = {.wanted = 1000, .least = 1024};

static uint64_t next(uint64_t interval, uint64_t samples, uint64_t ns)
{
	return record_rate_next(&rate, interval, samples, ns);
}

TEST(a_rate_that_is_near_changes_nothing)
{
	EXPECT_EQ(next(4096, 1000, SECOND), 4096U);
	EXPECT_EQ(next(4096, 800, SECOND), 4096U);
	EXPECT_EQ(next(4096, 1250, SECOND), 4096U);
	EXPECT_EQ(next(4096, 500, SECOND / 2), 4096U);
	EXPECT_EQ(next(4096, 7, 0), 4096U);
}

TEST(the_interval_grows_with_the_rate)
{
	EXPECT_EQ(next(4096, 2000, SECOND), 8192U);
	EXPECT_EQ(next(4096, 300, SECOND / 10), 12288U);
	EXPECT_EQ(next(4096, 500000, SECOND), 16 * 4096U);
	EXPECT_EQ(next(4096, UINT32_MAX, 1), 16 * 4096U);
	EXPECT_EQ(next(0xffffff00, 2000, SECOND), 0xffffff00U);
}

/* Half a second, or a second of few samples; not longer than a flood takes. */
TEST(when_the_rate_is_known)
{
	EXPECT_TRUE(!record_rate_is_due(&rate, 999, SECOND / 2 - 1));
	EXPECT_TRUE(record_rate_is_due(&rate, 999, SECOND / 2));
	EXPECT_TRUE(record_rate_is_due(&rate, 1000, SECOND / 100));
	EXPECT_TRUE(!record_rate_is_due(&rate, 255, SECOND - 1));
	EXPECT_TRUE(record_rate_is_due(&rate, 0, SECOND));
	EXPECT_TRUE(!record_rate_is_due(&(struct record_rate){.wanted = 10},
					255, SECOND / 2));
}

/* One that is not a multiple of 256 would be rounded by the driver. */
TEST(intervals_are_those_of_the_hardware)
{
	for (uint64_t samples = 0; samples < 100000; samples += 333)
		EXPECT_EQ(next(8192, samples, SECOND) % 256, 0U);
}

/* A CPU that was idle must not begin with the shortest interval at once. */
TEST(it_shrinks_in_steps)
{
	EXPECT_EQ(next(65536, 700, SECOND), 45824U);
	EXPECT_EQ(next(65536, 1, SECOND), 32768U);
	EXPECT_EQ(next(65536, 0, SECOND), 32768U);
	EXPECT_EQ(next(1536, 0, SECOND), 1024U);
	EXPECT_EQ(next(1024, 0, SECOND), 1024U);
}

/* Whatever the work, the rate is near after a few looks of a second. */
TEST(it_comes_near_from_anywhere)
{
	static const uint64_t speeds[] = {UINT64_C(6) << 30, 30000000, 2000000};

	for (size_t i = 0; i < 3; i++)
		for (uint64_t interval = 1024; interval < 1U << 26;
		     interval *= 16) {
			uint64_t now = interval;

			for (int look = 0; look < 20; look++)
				now = next(now, speeds[i] / now, SECOND);
			EXPECT_GE(speeds[i] / now, 790U);
			EXPECT_LE(speeds[i] / now, 1255U);
		}
}

TEST(the_kernel_wakes_us_often_enough)
{
	EXPECT_EQ(record_rate_watermark(1000, 1 << 20), 8000U);
	EXPECT_EQ(record_rate_watermark(1000000, 1 << 20), 1U << 19);
}
