// SPDX-License-Identifier: GPL-2.0-or-later
/* From readings to the figures of `pmscope stat`. */
#include "ktap.h"
#include "stat/stat.h"

static struct listed_event events[] = {
	{.group = 0}, {.group = 0}, {.group = 1}};
static const struct event_list list = {.event = events, .nr = 3};

/* All were counted, the first group during a quarter of the time. */
static void take(struct stat_tally *tally, uint64_t times)
{
	const uint64_t first[] = {100 * times, 30 * times},
		       second[] = {7 * times};
	const struct pmscope_reading readings[] = {
		{.nr = 2,
		 .cpu = -1,
		 .enabled = 4000 * times,
		 .running = 1000 * times,
		 .value = first},
		{.first = 2,
		 .nr = 1,
		 .cpu = -1,
		 .enabled = 4000 * times,
		 .running = 4000 * times,
		 .value = second},
	};

	ASSERT_EQ(stat_tally_take(tally, readings, 2), 0);
	EXPECT_EQ(tally->nr_readings, 2U);
	stat_tally_delta(tally);
	ASSERT_EQ(tally->table.nr, 3U);
}

static void expect_row(const struct stat_tally *tally, size_t index,
		       uint64_t value, uint64_t enabled, uint64_t running)
{
	const struct stat_row *row = &tally->table.row[index];

	EXPECT_EQ(row->value, value);
	EXPECT_EQ(row->enabled, enabled);
	EXPECT_EQ(row->running, running);
}

TEST(what_ran_in_turns_is_scaled)
{
	struct stat_tally tally = {.events = &list};

	take(&tally, 1);
	expect_row(&tally, 0, 400, 4000, 1000);
	expect_row(&tally, 1, 120, 4000, 1000);
	expect_row(&tally, 2, 7, 4000, 4000);
	stat_tally_free(&tally);
}

/* An interval has its own times and counts. */
TEST(interval_is_what_came_since_the_last)
{
	struct stat_tally tally = {.events = &list};

	take(&tally, 3);
	stat_tally_next_interval(&tally);
	take(&tally, 5);
	expect_row(&tally, 0, 800, 8000, 2000);
	expect_row(&tally, 2, 14, 8000, 8000);
	stat_tally_next_interval(&tally);
	take(&tally, 5);
	expect_row(&tally, 0, 0, 0, 0);
	stat_tally_free(&tally);
}

/* One event on two CPUs; on one it counted half of the time. */
static void take_cpus(struct stat_tally *tally)
{
	static const uint64_t values[] = {60, 30};
	const struct pmscope_reading readings[] = {
		{.first = 2,
		 .nr = 1,
		 .cpu = 0,
		 .enabled = 1000,
		 .running = 1000,
		 .value = &values[0]},
		{.first = 2,
		 .nr = 1,
		 .cpu = 1,
		 .enabled = 1000,
		 .running = 500,
		 .value = &values[1]},
	};

	ASSERT_EQ(stat_tally_take(tally, readings, 2), 0);
	stat_tally_delta(tally);
}

TEST(cpus_have_one_row_or_one_each)
{
	struct stat_tally all = {.events = &list};
	struct stat_tally each = {.events = &list, .by = STAT_BY_CPU};

	take_cpus(&all);
	ASSERT_EQ(all.table.nr, 1U);
	EXPECT_EQ(all.table.row[0].cpu, -1);
	EXPECT_EQ(all.table.row[0].cpus, 2U);
	expect_row(&all, 0, 120, 2000, 1500);
	stat_tally_free(&all);
	take_cpus(&each);
	ASSERT_EQ(each.table.nr, 2U);
	EXPECT_EQ(each.table.row[1].cpu, 1);
	EXPECT_EQ(each.table.row[1].cpus, 1U);
	expect_row(&each, 0, 60, 1000, 1000);
	expect_row(&each, 1, 60, 1000, 500);
	stat_tally_free(&each);
}

/*
 * Runs of 7 and 21: their mean is 14, its standard error 7. The runs of one
 * value have none.
 */
TEST(repeated_runs_have_a_mean_and_its_error)
{
	struct stat_tally tally = {.events = &list};

	take(&tally, 1);
	EXPECT_TRUE(tally.table.row[2].spread < 0);
	stat_tally_add_run(&tally);
	take(&tally, 3);
	stat_tally_add_run(&tally);
	stat_tally_average(&tally, 2);
	EXPECT_EQ(tally.table.row[0].value, 800U);
	EXPECT_EQ(tally.table.row[2].value, 14U);
	/* Values that occurred once and three times. */
	EXPECT_EQ(tally.table.row[0].running, 2000U);
	EXPECT_TRUE(tally.table.row[2].spread > 49.9 &&
		    tally.table.row[2].spread < 50.1);
	stat_tally_free(&tally);
	tally = (struct stat_tally){.events = &list};
	for (int run = 0; run < 2; run++) {
		take(&tally, 1);
		stat_tally_add_run(&tally);
	}
	stat_tally_average(&tally, 2);
	EXPECT_EQ(tally.table.row[2].value, 7U);
	EXPECT_TRUE(tally.table.row[2].spread == 0);
	stat_tally_free(&tally);
}
