// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures per read, from the counters in stats/: one per group, whatever its
 * size.
 */
#include "ktap.h"
#include "events.h"

#define READS 200

/* Captures during READS reads of a group, or less than 0. */
static long cost_of_reads(int leader, int count)
{
	struct group_value group;
	long before = captures();

	if (before < 0)
		return before;
	for (int i = 0; i < READS; i++)
		if (!read_group(leader, count, &group))
			return -EIO;
	return captures() - before;
}

static const uint64_t events[] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES,
				  CPU_CYCLES};

/* And it is the first try: nothing races with it or makes it fail. */
static void check_one_capture_a_read(const uint64_t *events, int count)
{
	bool hardware = strstr(file_text(SNAPSHOT_DIR "caps/backend"), "hard");
	long raced = sysfs_number(SNAPSHOT_DIR "stats/raced");
	long frozen = sysfs_number(SNAPSHOT_DIR "stats/frozen");
	int fds[MAX_GROUP];

	ASSERT_EQ(start_group(events, count, -1, 0, fds), 0);
	EXPECT_EQ(cost_of_reads(fds[0], count), READS);
	EXPECT_EQ(sysfs_number(SNAPSHOT_DIR "stats/raced"), raced);
	if (hardware)
		EXPECT_EQ(sysfs_number(SNAPSHOT_DIR "stats/frozen"), frozen);
}

BEFORE_EACH(NEED_SNAPSHOT(); pin_to(0));

CASE(a_single_event_costs_one, check_one_capture_a_read(events, 1));
CASE(an_event_without_cycles_costs_one,
     check_one_capture_a_read(events + 1, 1));
CASE(a_group_of_four_costs_one, check_one_capture_a_read(events, 4));

/* If the task is switched out during the reads, there is one more capture. */
TEST(a_task_group_costs_one)
{
	int fds[MAX_GROUP];
	long cost;

	ASSERT_EQ(start_group(events, 4, 0, -1, fds), 0);
	cost = cost_of_reads(fds[0], 4);
	EXPECT_GE(cost, READS);
	EXPECT_LT(cost, READS * 3 / 2);
}

TEST(a_disabled_group_costs_nothing)
{
	int fds[MAX_GROUP];

	ASSERT_EQ(open_group(events, 4, -1, 0, fds), 0);
	EXPECT_EQ(cost_of_reads(fds[0], 4), 0);
}

/* The start of a group and its stop are one capture each. */
TEST(enable_and_disable_cost_one_each)
{
	int fds[MAX_GROUP];
	long before;

	ASSERT_EQ(open_group(events, 4, -1, 0, fds), 0);
	before = captures();
	for (int i = 0; i < READS; i++) {
		ASSERT_EQ(enable_group(fds[0]), 0);
		ASSERT_EQ(disable_group(fds[0]), 0);
	}
	EXPECT_LE(captures() - before, 2 * READS);
}

/*
 * The CPU's own count. PMU_SNAPSHOT is generated after the counters were
 * captured (Arm ARM D13.9), so a capture does not see itself.
 */
TEST(the_hardware_counts_one_capture_a_read)
{
	static const uint64_t event[] = {PMU_SNAPSHOT};
	struct group_value group;
	uint64_t before;
	int fd;

	if (sysfs_number(SNAPSHOT_DIR "stats/frozen") > 0)
		SKIP("captures here are not the hardware's");
	ASSERT_EQ(start_group(event, 1, -1, 0, &fd), 0);
	ASSERT_TRUE(read_group(fd, 1, &group));
	ASSERT_TRUE(read_group(fd, 1, &group));
	before = group.value[0];
	if (!before)
		SKIP("this CPU does not count PMU_SNAPSHOT");
	for (int i = 1; i <= READS; i++) {
		ASSERT_TRUE(read_group(fd, 1, &group));
		ASSERT_EQ(group.value[0], before + i);
	}
}
