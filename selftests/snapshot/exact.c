// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts are exact whatever happens between two reads: the same event listed
 * twice in a group has the same count when the task moves between CPUs, execs
 * or makes threads, when others use the PMU, and when a CPU goes away.
 */
#include <pthread.h>

#include "ktap.h"
#include "events.h"

#define ROUNDS 200
#define GROUP  3

static const uint64_t twice[GROUP] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};

/* A group of the task @pid and, with @inherit, of its children */
static int open_task_group(pid_t pid, bool inherit, bool on_exec, int *fds)
{
	struct perf_event_attr attr = snapshot_attr(0);

	attr.inherit = inherit;
	attr.enable_on_exec = on_exec;
	return open_group_as(attr, twice, GROUP, pid, -1, fds);
}

static void check_equal(int leader, uint64_t *cycles)
{
	struct group_value group;

	ASSERT_TRUE(read_group(leader, GROUP, &group));
	EXPECT_EQ(group.value[0], group.value[2]);
	EXPECT_GE(group.value[0], *cycles);
	EXPECT_EQ(group.enabled, group.running);
	*cycles = group.value[0];
}

BEFORE_EACH(NEED_SNAPSHOT());

TEST(a_task_that_migrates)
{
	uint64_t cycles = 0;
	int fds[GROUP];

	NEED_CPUS(2);
	ASSERT_EQ(open_task_group(0, false, false, fds), 0);
	ASSERT_EQ(enable_group(fds[0]), 0);
	for (int i = 0; i < ROUNDS; i++) {
		pin_to(i & 1);
		work(100);
		check_equal(fds[0], &cycles);
	}
}

/* Another task, in any state, is read. */
TEST(a_task_that_is_read_from_outside)
{
	uint64_t cycles = 0;
	int fds[GROUP];
	pid_t child;

	child = fork();
	if (!child)
		for (;;)
			work(1000);
	ASSERT_EQ(open_task_group(child, false, false, fds), 0);
	ASSERT_EQ(enable_group(fds[0]), 0);
	for (int i = 0; i < ROUNDS; i++) {
		sched_yield();
		check_equal(fds[0], &cycles);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_equal(fds[0], &cycles);
	EXPECT_GT(cycles, 0);
}

static void *thread_work(void *turns)
{
	for (int i = 0; i < 20; i++) {
		work(*(int *)turns);
		sched_yield();
	}
	return NULL;
}

TEST(threads_are_counted_exactly)
{
	pthread_t thread[4];
	uint64_t cycles = 0;
	int fds[GROUP], turns[4] = {100, 200, 300, 400};

	ASSERT_EQ(open_task_group(0, true, false, fds), 0);
	ASSERT_EQ(enable_group(fds[0]), 0);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 4; i++)
			ASSERT_EQ(pthread_create(&thread[i], NULL, thread_work,
						 &turns[i]),
				  0);
		for (int i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
		check_equal(fds[0], &cycles);
	}
}

/* A shell from its exec on, and its children */
TEST(a_program_and_its_children)
{
	uint64_t cycles = 0;
	int fds[GROUP], go[2], status;
	pid_t child;
	char byte;

	ASSERT_EQ(pipe(go), 0);
	child = fork();
	if (!child) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 0)
			execl("/bin/sh", "sh", "-c",
			      "for i in 1 2 3 4; do /bin/true; done", NULL);
		_exit(1);
	}
	close(go[0]);
	ASSERT_EQ(open_task_group(child, true, true, fds), 0);
	check_equal(fds[0], &cycles);
	EXPECT_EQ(cycles, 0);
	close(go[1]);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	check_equal(fds[0], &cycles);
	EXPECT_GT(cycles, 0);
}

/* Two groups on a CPU, read in turn: neither changes the other's counts. */
TEST(two_tools_at_once)
{
	uint64_t a_cycles = 0, b_cycles = 0;
	int a[GROUP], b[GROUP];

	pin_to(0);
	ASSERT_EQ(open_group(twice, GROUP, -1, 0, a), 0);
	ASSERT_EQ(open_group(twice, GROUP, -1, 0, b), 0);
	ASSERT_EQ(enable_group(a[0]), 0);
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 10 == 0)
			ASSERT_EQ(enable_group(b[0]), 0);
		check_equal(a[0], &a_cycles);
		check_equal(b[0], &b_cycles);
		if (i % 10 == 5)
			ASSERT_EQ(disable_group(b[0]), 0);
	}
	close_group(b, GROUP);
	check_equal(a[0], &a_cycles);
}

/*
 * Pinned counters of a CPU have priority over those of a task, so a group that
 * counts the CPU takes the counters of a task's group one by one. The task's
 * group ends as a whole at its last capture; a reader sees that.
 */
TEST(counters_that_others_take_away)
{
	struct group_value group;
	uint64_t cycles = 0;
	int task[GROUP], cpu[MAX_GROUP], count = 0;
	bool told = false;

	pin_to(0);
	ASSERT_EQ(open_task_group(0, false, false, task), 0);
	ASSERT_EQ(enable_group(task[0]), 0);
	check_equal(task[0], &cycles);
	for (; count < MAX_GROUP; count++) {
		struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);

		cpu[count] = open_event(&attr, -1, 0, -1);
		if (cpu[count] < 0)
			break;
		work(1000);
		errno = 0;
		if (!read_group(task[0], GROUP, &group)) {
			EXPECT_EQ(errno, EBUSY);
			told = true;
			continue;
		}
		EXPECT_EQ(group.value[0], group.value[2]);
	}
	/* Switched out and not in again: the whole group has stopped. */
	pin_to(1);
	pin_to(0);
	ASSERT_EQ(disable_group(task[0]), 0);
	ASSERT_TRUE(read_group(task[0], GROUP, &group));
	EXPECT_EQ(group.value[0], group.value[2]);
	EXPECT_GE(group.value[0], cycles);
	EXPECT_TRUE(told || group.running < group.enabled);
}

/*
 * Plain events of the core PMU come and go beside the group; one overflows all
 * the time, so that counters are folded between captures.
 */
TEST(beside_plain_events_that_overflow)
{
	struct perf_event_attr attr =
		event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	uint64_t cycles = 0, last = 0, value;
	int fds[GROUP], plain;

	attr.sample_period = 100000;
	pin_to(0);
	ASSERT_EQ(start_group(twice, GROUP, -1, 0, fds), 0);
	for (int i = 0; i < ROUNDS; i++) {
		plain = open_event(&attr, -1, 0, -1);
		ASSERT_GE(plain, 0);
		check_equal(fds[0], &cycles);
		work(1000);
		check_equal(fds[0], &cycles);
		ASSERT_EQ(read(plain, &value, sizeof(value)),
			  (ssize_t)sizeof(value));
		EXPECT_GT(value, 0);
		close(plain);
		EXPECT_GT(cycles, last);
		last = cycles;
	}
}

/* Counts stay; events opened afterwards count again. */
TEST(a_cpu_that_goes_away)
{
	struct group_value before[GROUP], after;
	uint64_t cycles = 0;
	int fds[GROUP];

	NEED_CPUS(2);
	pin_to(0);
	for (int round = 0; round < 3; round++) {
		ASSERT_EQ(start_group(twice, GROUP, -1, 1, fds), 0);
		cycles = 0;
		check_equal(fds[0], &cycles);
		if (!set_online(1, '0'))
			SKIP("CPU 1 cannot go offline");
		/* perf core splits the group. */
		for (int i = 0; i < GROUP; i++)
			ASSERT_TRUE(read_group(fds[i], 1, &before[i]));
		ASSERT_TRUE(set_online(1, '1'));
		for (int i = 0; i < GROUP; i++) {
			ASSERT_TRUE(read_group(fds[i], 1, &after));
			EXPECT_EQ(after.value[0], before[i].value[0]);
		}
		EXPECT_EQ(before[0].value[0], before[2].value[0]);
		EXPECT_GE(before[0].value[0], cycles);
		close_group(fds, GROUP);
	}
	/* The task's group follows it there and back. */
	ASSERT_EQ(open_task_group(0, false, false, fds), 0);
	ASSERT_EQ(enable_group(fds[0]), 0);
	cycles = 0;
	pin_to(1);
	check_equal(fds[0], &cycles);
	ASSERT_TRUE(set_online(1, '0'));
	check_equal(fds[0], &cycles);
	ASSERT_TRUE(set_online(1, '1'));
	pin_to(1);
	work(100);
	check_equal(fds[0], &cycles);
}
