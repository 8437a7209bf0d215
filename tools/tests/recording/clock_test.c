// SPDX-License-Identifier: GPL-2.0-or-later
/* Ticks to ns. */
#include "bytes.h"
#include "ktap.h"

#include "recording/recording.h"

static struct clock clock_of(uint64_t shift, uint64_t mult, uint64_t zero)
{
	BYTES body = {};
	struct clock clock = {};

	PUT(&body, 8, shift, mult, zero);
	clock_read(&clock, body.data, body.size);
	return clock;
}

TEST(one_ns_a_tick)
{
	struct clock clock = clock_of(0, 1, 0);
	uint64_t ns;

	ASSERT_TRUE(clock_ns(&clock, 7969191665714, &ns));
	EXPECT_EQ(ns, 7969191665714U);
}

/* 62.5 MHz as the kernel gives it: 16 ns a tick. */
TEST(sixteen_ns_a_tick)
{
	struct clock clock = clock_of(27, 16ULL << 27, 1000);
	uint64_t ns;

	ASSERT_TRUE(clock_ns(&clock, 123456789, &ns));
	EXPECT_EQ(ns, 123456789U * 16ULL + 1000);
}

TEST(large_ticks_do_not_overflow)
{
	struct clock clock = clock_of(31, 1ULL << 31, 5);
	uint64_t year = 31536000000000000, ns;

	ASSERT_TRUE(clock_ns(&clock, year, &ns));
	EXPECT_EQ(ns, year + 5);
}

TEST(zero_that_wraps)
{
	struct clock clock = clock_of(0, 1, (uint64_t)-100);
	uint64_t ns;

	ASSERT_TRUE(clock_ns(&clock, 150, &ns));
	EXPECT_EQ(ns, 50U);
}

TEST(multiplier_of_zero_tells_no_time)
{
	struct clock clock = clock_of(10, 0, 0), none = {};
	uint64_t ns;

	EXPECT_FALSE(clock_ns(&clock, 1, &ns));
	EXPECT_FALSE(clock_ns(&none, 1, &ns));
}

TEST(shift_that_is_no_shift_tells_no_time)
{
	struct clock clock = clock_of(64, 1, 0);
	uint64_t ns;

	EXPECT_FALSE(clock_ns(&clock, 1, &ns));
}

TEST(narrow_counter_is_widened)
{
	BYTES body = {};
	struct clock clock = {};
	uint64_t ns;

	PUT(&body, 8, 0, 1, 0);
	put(&body, 0x1fffffff0, 8); /* time_cycles */
	put(&body, 0xffffffff, 8);  /* time_mask */
	put(&body, 1, 1);	    /* cap_user_time_zero */
	put(&body, 1, 1);	    /* cap_user_time_short */
	put_zeros(&body, 6);
	clock_read(&clock, body.data, body.size);
	ASSERT_TRUE(clock_ns(&clock, 0x10, &ns));
	EXPECT_EQ(ns, 0x200000010U);
}

/* As in perf: a recorder that cannot convert writes no such record. */
TEST(a_flag_that_is_not_set_does_not_matter)
{
	BYTES body = {};
	struct clock clock = {};
	uint64_t ns;

	PUT(&body, 8, 0, 3, 7);
	put_zeros(&body, 24); /* cap_user_time_zero among them */
	clock_read(&clock, body.data, body.size);
	ASSERT_TRUE(clock_ns(&clock, 10, &ns));
	EXPECT_EQ(ns, 37U);
}
