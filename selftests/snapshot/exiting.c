// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks that exit while their counts are read.  Before 6.2 perf core frees the
 * hardware events of such a task first; thousands of them stretch the time
 * until its software events follow, and RCU may free what it has let go of
 * meanwhile. Freed memory shows where the kernel poisons it (slub_debug=P) or
 * watches it (KASAN, whose report makes run_kselftest.sh fail the test).
 */
#include <linux/membarrier.h>

#include "ktap.h"
#include "stream.h"

#define GROUP  3
#define OTHERS 40000
#define ROUNDS 4

#define OPEN_SECONDS 3

/* More than any of the tasks here can count, and less than poison. */
#define MUCH (1ULL << 40)

static const uint64_t twice[GROUP] = {CPU_CYCLES, INST_RETIRED, CPU_CYCLES};

struct crowd {
	int fds[OTHERS];
	int count;
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/*
 * Never scheduled, but inherited, and freed one by one, in the order in which
 * they were opened. If a kernel opens them more slowly, it frees them more
 * slowly, so fewer are enough.
 */
static bool open_crowd(struct crowd *crowd)
{
	double until = seconds() + OPEN_SECONDS;
	struct rlimit limit = {OTHERS + 100, OTHERS + 100};
	struct perf_event_attr attr =
		event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	attr.exclude_kernel = 1;
	attr.inherit = 1;
	attr.pinned = 1;
	attr.disabled = 1;
	crowd->count = 0;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return false;
	while (crowd->count < OTHERS && seconds() < until) {
		int fd = open_event(&attr, 0, -1, -1);

		if (fd < 0)
			return false;
		crowd->fds[crowd->count++] = fd;
	}
	ktap_note("%d hardware events", crowd->count);
	return true;
}

/* RCU grace periods, one after another */
static void fork_helper(void)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin_to(1);
	for (;;)
		syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* With so many events a context switch takes long, so it switches rarely. */
static void fork_visitor(int cpu)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin_to(cpu);
	for (;;) {
		work(1000);
		usleep(50000);
	}
}

/*
 * Its own hardware event: its context is not a clone, so it is never swapped.
 */
static pid_t fork_exiting(int cpu)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, 0);
	pid_t pid = fork();

	attr.exclude_kernel = 1;
	attr.disabled = 1;
	if (pid)
		return pid;
	pin_to(cpu);
	close(open_event(&attr, 0, -1, -1));
	work(100000);
	usleep(3000);
	_exit(0);
}

/*
 * When a task exits, perf core adds its counts to the group's events one by one
 * (perf_event_exit_task()), also between two that are read. So equal events can
 * differ by the counts of that task until all its counts are there.
 */
static void check_counts(const struct group_value *before,
			 const struct group_value *after)
{
	for (int i = 0; i < GROUP; i++) {
		EXPECT_GE(after->value[i], before->value[i]);
		EXPECT_LT(after->value[i] - before->value[i], MUCH);
	}
}

enum how {
	READS = 1,   /* the counts are read meanwhile */
	SHARES = 2,  /* another task runs on the same CPU */
	RECORDS = 4, /* a stream on that CPU makes records by a timer */
};

/* A task that exits. Each read interrupts it, so too many delay its end. */
static void exit_once(int leader, enum how how)
{
	struct group_value before, after;
	pid_t child;
	int status;

	ASSERT_TRUE(read_group(leader, GROUP, &before));
	child = fork_exiting(2);
	ASSERT_GT(child, 0);
	while (!waitpid(child, &status, how & READS ? WNOHANG : 0)) {
		if (how & SHARES)
			usleep(1000);
		ASSERT_TRUE(read_group(leader, GROUP, &after));
		check_counts(&before, &after);
		ASSERT_EQ(ktap_result, KTAP_PASS);
	}
	ASSERT_TRUE(read_group(leader, GROUP, &after));
	check_counts(&before, &after);
	EXPECT_EQ(after.value[0], after.value[2]);
	/* All its counts are there. */
	EXPECT_GT(after.value[1] - before.value[1], 3 * 100000);
	/* No time without counters, for which perf would scale up the counts. */
	EXPECT_EQ(after.running, after.enabled);
}

static struct stream stream;

static void open_records(void)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 100000);

	attr.inherit = 1;
	attr.disabled = 0;
	attr.exclude_kernel = 1;
	ASSERT_EQ(stream_open_group(&stream, &attr, 0, 2), 0);
	ASSERT_EQ(stream_map(&stream, STREAM_AUX_PAGES, PROT_READ), 0);
}

/* Our counters are freed last: by then RCU has begun to free. */
static void open_all(struct crowd *crowd, int *fds, enum how how)
{
	ASSERT_TRUE(open_crowd(crowd));
	if (how & RECORDS)
		open_records();
	ASSERT_EQ(open_inherited(twice, GROUP, fds), 0);
	ASSERT_EQ(enable_group(fds[0]), 0);
}

static void exit_rounds(enum how how)
{
	static struct crowd crowd;
	int fds[GROUP];

	NEED_SNAPSHOT();
	NEED_CPUS(3);
	pin_to(0);
	fork_helper();
	if (how & SHARES)
		fork_visitor(2);
	open_all(&crowd, fds, how);
	for (int i = 0; i < ROUNDS && ktap_result == KTAP_PASS; i++)
		exit_once(fds[0], how);
	if (how & RECORDS)
		EXPECT_GT(stream_head(&stream), 0);
}

CASE(an_exiting_task_keeps_no_freed_counter, exit_rounds(0));
CASE(an_exiting_task_is_read, exit_rounds(READS));

/* Timer records on the CPU where the task exits */
CASE(an_exiting_task_is_recorded, exit_rounds(READS | RECORDS));

/* It leaves the CPU and comes back in between. */
CASE(an_exiting_task_shares_its_CPU, exit_rounds(READS | SHARES));
