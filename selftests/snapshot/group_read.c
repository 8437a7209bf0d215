// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One read(2) of a group is one capture: the same event listed twice has the
 * same count, in the first read as in every later one.
 */
#include "ktap.h"
#include "events.h"

#define READS 1000

static const uint64_t twice[] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};
#define GROUP 3

/* Reads a group READS times; the cycles must rise with each. */
static void check_reads(pid_t pid, int cpu)
{
	struct group_value group;
	uint64_t before = 0;
	int fds[GROUP];

	ASSERT_EQ(start_group(twice, GROUP, pid, cpu, fds), 0);
	for (int i = 0; i < READS; i++) {
		ASSERT_TRUE(read_group(fds[0], GROUP, &group));
		ASSERT_EQ(group.value[0], group.value[2]);
		ASSERT_GT(group.value[0], before);
		ASSERT_EQ(group.running, group.enabled);
		before = group.value[0];
		work(i % 97);
	}
}

BEFORE_EACH(NEED_SNAPSHOT());

CASE(cpu_group_is_equal_in_every_read, pin_to(0); check_reads(-1, 0));
CASE(task_group_is_equal_in_every_read, check_reads(0, -1));

/* The read comes from another CPU: one IPI, still one capture there. */
TEST(remote_cpu_group_is_equal_in_every_read)
{
	NEED_CPUS(2);
	pin_to(0);
	check_reads(-1, 1);
}

/* The start and the end of a group are one capture each, too. */
TEST(counts_are_equal_after_disable)
{
	struct group_value group;
	int fds[GROUP];

	pin_to(0);
	ASSERT_EQ(open_group(twice, GROUP, -1, 0, fds), 0);
	for (int i = 0; i < 50; i++) {
		ASSERT_EQ(enable_group(fds[0]), 0);
		work(100 + i);
		ASSERT_EQ(disable_group(fds[0]), 0);
		work(100);
		ASSERT_TRUE(read_group(fds[0], GROUP, &group));
		ASSERT_EQ(group.value[0], group.value[2]);
		ASSERT_GT(group.value[0], 0);
	}
}

TEST(counts_stand_still_while_disabled)
{
	struct group_value first, second;
	int fds[GROUP];

	pin_to(0);
	ASSERT_EQ(start_group(twice, GROUP, -1, 0, fds), 0);
	work(1000);
	ASSERT_EQ(disable_group(fds[0]), 0);
	ASSERT_TRUE(read_group(fds[0], GROUP, &first));
	work(1000);
	ASSERT_TRUE(read_group(fds[0], GROUP, &second));
	EXPECT_EQ(first.value[0], second.value[0]);
	EXPECT_EQ(first.value[1], second.value[1]);
}

/*
 * Instructions: cycles go on while an emulated CPU waits for its host.  What
 * runs between the reset and the read is much less than the work.
 */
TEST(reset_starts_again_from_zero)
{
	struct group_value before, after;
	int fds[GROUP];

	pin_to(0);
	ASSERT_EQ(start_group(twice, GROUP, -1, 0, fds), 0);
	work(1000000);
	ASSERT_TRUE(read_group(fds[0], GROUP, &before));
	ASSERT_EQ(ioctl(fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	ASSERT_TRUE(read_group(fds[0], GROUP, &after));
	EXPECT_LT(after.value[1], before.value[1]);

	ASSERT_EQ(disable_group(fds[0]), 0);
	ASSERT_EQ(ioctl(fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	ASSERT_TRUE(read_group(fds[0], GROUP, &after));
	for (int i = 0; i < GROUP; i++)
		EXPECT_EQ(after.value[i], 0);
}
