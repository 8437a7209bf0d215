// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks that end, or follow each other on a CPU, while others have hardware
 * events on them: perf core may handle these separately from ours, yet a
 * group's counts stay readable, equal and complete.
 */
#include "ktap.h"
#include "events.h"

#define GROUP  3
#define OTHERS 100

static const uint64_t twice[GROUP] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};

/* Hardware events of @pid, opened by another task; returns how many opened */
static int open_others(pid_t pid, int *fds, int count)
{
	struct perf_event_attr attr =
		event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	for (int i = 0; i < count; i++) {
		fds[i] = open_event(&attr, pid, -1, -1);
		if (fds[i] < 0)
			return i;
	}
	return count;
}

static void check_equal(int leader, uint64_t *cycles)
{
	struct group_value group;

	ASSERT_TRUE(read_group(leader, GROUP, &group));
	EXPECT_EQ(group.value[0], group.value[2]);
	EXPECT_GE(group.value[0], *cycles);
	*cycles = group.value[0];
}

/* Reads the group until @child has gone, or a check has failed. */
static void check_until_end(int leader, pid_t child, uint64_t *cycles)
{
	int status;

	while (!waitpid(child, &status, WNOHANG)) {
		check_equal(leader, cycles);
		ASSERT_EQ(ktap_result, KTAP_PASS);
	}
}

static pid_t fork_busy(int cpu)
{
	pid_t child = fork();

	if (child)
		return child;
	pin_to(cpu);
	for (;;)
		work(1000);
}

/* The more a task has to give up when it ends, the longer that takes. */
TEST(a_task_is_read_while_it_ends)
{
	int fds[GROUP], others[OTHERS], opened;
	uint64_t cycles;
	pid_t child;

	NEED_SNAPSHOT();
	NEED_CPUS(2);
	pin_to(0);
	for (int round = 0; round < 3; round++) {
		cycles = 0;
		child = fork_busy(1);
		ASSERT_EQ(open_group(twice, GROUP, child, -1, fds), 0);
		opened = open_others(child, others, OTHERS);
		ASSERT_EQ(opened, OTHERS);
		ASSERT_EQ(enable_group(fds[0]), 0);
		while (!cycles && ktap_result == KTAP_PASS)
			check_equal(fds[0], &cycles);
		kill(child, SIGKILL);
		check_until_end(fds[0], child, &cycles);
		check_equal(fds[0], &cycles);
		close_group(others, opened);
		close_group(fds, GROUP);
	}
}

#define TURNS	200
#define PER_TURN 1000

/* Passes a byte back and forth: on one CPU the tasks alternate. */
static void play(int from, int to)
{
	char byte = 0;

	pin_to(1);
	for (int i = 0; i < TURNS; i++) {
		if (read(from, &byte, 1) != 1)
			_exit(1);
		work(PER_TURN);
		if (write(to, &byte, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static pid_t fork_player(int from, int to)
{
	pid_t child = fork();

	if (!child)
		play(from, to);
	return child;
}

/*
 * The two have the same events, all of them inherited, so perf core may let them
 * exchange those instead of scheduling them; but one has a hardware event more.
 */
TEST(tasks_that_take_turns_keep_their_counters)
{
	struct group_value before, after;
	int fds[GROUP], ping[2], pong[2], other;
	uint64_t cycles = 0;
	pid_t child[2];

	NEED_SNAPSHOT();
	NEED_CPUS(2);
	pin_to(0);
	ASSERT_EQ(pipe(ping), 0);
	ASSERT_EQ(pipe(pong), 0);
	ASSERT_EQ(open_inherited(twice, GROUP, fds), 0);
	ASSERT_EQ(enable_group(fds[0]), 0);
	child[0] = fork_player(ping[0], pong[1]);
	child[1] = fork_player(pong[0], ping[1]);
	ASSERT_EQ(open_others(child[0], &other, 1), 1);
	ASSERT_TRUE(read_group(fds[0], GROUP, &before));
	ASSERT_EQ(write(ping[1], "", 1), 1);
	for (int i = 0; i < 2; i++)
		check_until_end(fds[0], child[i], &cycles);
	ASSERT_TRUE(read_group(fds[0], GROUP, &after));
	EXPECT_EQ(after.value[0], after.value[2]);
	/* At the least an instruction a turn of each piece of work */
	EXPECT_GT(after.value[1] - before.value[1],
		  2ULL * TURNS * PER_TURN * 3);
	ktap_note("%llu instructions",
		  (unsigned long long)(after.value[1] - before.value[1]));
}
