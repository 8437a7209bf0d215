// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the hardware may write next: fixed cases and random ones against the
 * rules of Arm ARM D17.7.4.
 */
#include "ktap.h"
#include "spe/buffer.c"

#include "words.h"

#define PAGE	((u64)PAGE_SIZE)
#define NEVER	BIT_ULL(60)

/* The window at @head with @space bytes free, and a wakeup at @wakeup */
static void check(struct spe_buffer buf, const struct spe_caps *caps, u64 head,
		  u64 space, u64 wakeup, u64 start, u64 end)
{
	struct spe_window win;

	ASSERT_TRUE(spe_window_next(&buf, caps, head, space, wakeup, &win));
	EXPECT_EQ(win.start, start);
	EXPECT_EQ(win.end, end);
	EXPECT_EQ(win.pmbptr, start % buf.size);
}

#define PAGES(nr, ...) \
	((struct spe_buffer){ .size = (nr) * PAGE, ##__VA_ARGS__ })
#define CAPS(by, most) \
	(&(struct spe_caps){ .max_record = 64, .align = (by), .max_buffer = (most) })
#define PLAIN	CAPS(64, U64_MAX)

/* perf leaves one byte free, so the last page cannot be used yet. */
TEST(empty_buffer_is_used_up_to_the_last_whole_page)
{
	check(PAGES(16), PLAIN, 0, 16 * PAGE - 1, NEVER, 0, 15 * PAGE);
}

TEST(wakeup_ends_the_window_on_the_page_behind_it)
{
	check(PAGES(16), PLAIN, 0, 16 * PAGE - 1, 3 * PAGE + 1, 0, 4 * PAGE);
}

TEST(unread_data_is_never_covered)
{
	struct spe_buffer buf = PAGES(4);
	struct spe_window win;

	check(buf, PLAIN, 4 * PAGE, 2 * PAGE + 100, NEVER, 4 * PAGE, 6 * PAGE);
	EXPECT_FALSE(spe_window_next(&buf, PLAIN, 4 * PAGE, PAGE - 1, NEVER,
				     &win));
}

/* RHXSYK: 32 bytes are too few for a record of 64, which are just enough. */
TEST(a_record_fits_in_front_of_the_wrap)
{
	check(PAGES(4), PLAIN, 4 * PAGE - 32, 3 * PAGE, NEVER, 4 * PAGE, 6 * PAGE);
	check(PAGES(4), PLAIN, 4 * PAGE - 64, 3 * PAGE, NEVER, 4 * PAGE - 64,
	      4 * PAGE);
}

TEST(pointer_is_aligned)
{
	check(PAGES(4), CAPS(2048, U64_MAX), 1, 3 * PAGE, NEVER, 2048, 3 * PAGE);
}

TEST(snapshot_stops_half_way)
{
	check(PAGES(4, .snapshot = true), PLAIN, 0, 0, 0, 0, 2 * PAGE);
	check(PAGES(4, .snapshot = true), PLAIN, 2 * PAGE, 0, 0, 2 * PAGE, 4 * PAGE);
	check(PAGES(4, .snapshot = true), PLAIN, 4 * PAGE - 1, 0, 0, 4 * PAGE,
	      6 * PAGE);
}

TEST(hypervisor_limits_the_window)
{
	check(PAGES(64), CAPS(64, 3 * PAGE), 64, 64 * PAGE - 1, NEVER, 64,
	      3 * PAGE);
}

TEST(windows_end_where_memory_is_not_contiguous)
{
	struct spe_extent extents[] = {
		{ .end = 3 * PAGE }, { .end = 4 * PAGE }, { .end = 16 * PAGE }
	};
	struct spe_buffer buf = PAGES(16, .extents = extents,
				      .nr_extents = ARRAY_SIZE(extents));
	u64 all = buf.size - 1;

	check(buf, PLAIN, 16 * PAGE, all, NEVER, 16 * PAGE, 19 * PAGE);
	check(buf, PLAIN, 19 * PAGE, all, NEVER, 19 * PAGE, 20 * PAGE);
	/* No record fits into the rest of the second run. */
	check(buf, PLAIN, 20 * PAGE - 32, all, NEVER, 20 * PAGE, 32 * PAGE);
}

/* Each piece of memory, and where the hardware finds a position in it */
TEST(pages_that_follow_each_other_are_one_piece)
{
	void *pages[] = { (void *)(9 * PAGE), (void *)(10 * PAGE),
			  (void *)(4 * PAGE) };
	struct spe_buffer buf = { .size = ARRAY_SIZE(pages) * PAGE };

	ASSERT_EQ(spe_buffer_set_extents(&buf, pages, ARRAY_SIZE(pages)), 0);
	ASSERT_EQ(buf.nr_extents, 2);
	EXPECT_EQ(buf.extents[0].end, 2 * PAGE);
	EXPECT_EQ(buf.extents[1].end, 3 * PAGE);
	EXPECT_EQ(spe_buffer_hw_addr(&buf, buf.size + 64), 9 * PAGE + 64);
	EXPECT_EQ(spe_buffer_hw_addr(&buf, 2 * PAGE - 1), 11 * PAGE - 1);
	EXPECT_EQ(spe_buffer_hw_addr(&buf, 2 * PAGE), 4 * PAGE);
	kvfree(buf.extents);
}

TEST(positions_beyond_4_gib)
{
	u64 size = 1ULL << 34, head = 5 * size + (3ULL << 32);

	check(PAGES(size / PAGE), PLAIN, head, size - 1, NEVER, head, 6 * size);
}

static u64 rnd(u64 below)
{
	return (((u64)random() << 31) ^ (u64)random()) % below;
}

TEST(random_windows_obey_every_rule)
{
	unsigned int i;

	srandom(1);
	for (i = 0; i < 1000000; i++) {
		struct spe_buffer buf = { .size = PAGE << (1 + rnd(19)),
					  .snapshot = rnd(2) };
		struct spe_extent extents[] = {
			{ .end = PAGE * (1 + rnd(buf.size / PAGE)) },
			{ .end = buf.size },
		};
		struct spe_caps caps = { .align = 1U << rnd(12),
					 .max_record = 64U << rnd(6),
					 .max_buffer = rnd(4) ? U64_MAX :
						PAGE + rnd(2 * buf.size) };
		u64 turn = buf.snapshot ? buf.size / 2 : buf.size;
		u64 head = PAGE + rnd(5 * buf.size) + (rnd(2) << 40);
		u64 space = buf.snapshot ? 0 : rnd(buf.size);
		u64 wakeup = buf.snapshot ? 0 : head + rnd(2 * buf.size) - 512;
		struct spe_window win;

		if (rnd(2)) {
			buf.extents = extents;
			buf.nr_extents = extents[0].end < buf.size ? 2 : 1;
		}
		if (!spe_window_next(&buf, &caps, head, space, wakeup, &win)) {
			/* An area that was read completely is never full. */
			ASSERT_TRUE(!buf.snapshot && space < buf.size - 1);
			continue;
		}
		ASSERT_TRUE(win.start >= head);
		ASSERT_EQ(win.start % caps.align, 0);
		ASSERT_EQ(win.end % PAGE, 0);
		ASSERT_TRUE(win.end - win.start >= caps.max_record);
		ASSERT_TRUE(win.end - win.start <= caps.max_buffer);
		ASSERT_TRUE(!buf.extents ||
			    spe_extent_at(&buf, win.start % buf.size) ==
			    spe_extent_at(&buf, (win.end - 1) % buf.size));
		ASSERT_EQ(win.start / turn, (win.end - 1) / turn);
		ASSERT_TRUE(buf.snapshot || win.end <= head + space);
		ASSERT_TRUE(wakeup <= win.start ||
			    win.end <= round_up(wakeup, PAGE));
	}
}

TEST(read_completely_means_room)
{
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		struct spe_buffer buf = { .size = PAGE << (1 + rnd(4)) };
		struct spe_caps caps = { .align = 1U << rnd(12),
					 .max_record = 64U << rnd(6),
					 .max_buffer = U64_MAX };
		u64 head = rnd(5 * buf.size);
		struct spe_window win;

		ASSERT_TRUE(spe_window_next(&buf, &caps, head, buf.size - 1,
					    head + rnd(buf.size), &win));
	}
}
