// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams: what a timer or the overflow of a pmu_snapshot event with a
 * sample_period writes to its AUX area, of a CPU, a task, and its children.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "stream_check.h"

#define RECORDS 20
/* Turns of work() until a test gives up: minutes even where it is slow */
#define PATIENCE 200000

static struct stream s;

/* Works until there is a record; NULL when none comes. */
static const struct pmscope_record *wait_for_record(void)
{
	const struct pmscope_record *r;

	for (int i = 0; i < PATIENCE; i++) {
		r = stream_next(&s);
		if (r)
			return r;
		work(1000);
	}
	return NULL;
}

/* The counts rise by @step and more, but for the latency of the first. */
static void check_periodic(int trigger, uint64_t step)
{
	const struct pmscope_record *r;
	uint64_t time = 0, first = 0;

	for (int i = 0; i < RECORDS; i++) {
		r = wait_for_record();
		ASSERT_TRUE(r != NULL);
		check_record(&s, r, trigger);
		EXPECT_EQ(r->lost, 0);
		EXPECT_GT(r->time, time);
		if (i)
			EXPECT_GT(stream_counter(r, 0)->count + step,
				  first + i * step);
		else
			first = stream_counter(r, 0)->count;
		time = r->time;
		stream_release(&s);
	}
	EXPECT_EQ(stream_aux_flags(&s) & PERF_AUX_FLAG_PARTIAL, 0);
}

TEST(timer_on_a_cpu)
{
	NEED_SNAPSHOT();
	pin_to(0);
	ASSERT_EQ(stream_open(&s, CPU_CYCLES, 1000000, -1, 0), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_TIMER, 0);
	stream_close(&s);
}

TEST(timer_of_a_task)
{
	NEED_SNAPSHOT();
	ASSERT_EQ(stream_open(&s, CPU_CYCLES, 1000000, 0, -1), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_TIMER, 0);
	stream_close(&s);
}

TEST(a_frequency_sets_the_timer)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 0);
	long limit;

	NEED_SNAPSHOT();
	/* perf core lowers the limit where interrupts take long. */
	limit = sysfs_number("/proc/sys/kernel/perf_event_max_sample_rate");
	attr.freq = 1;
	attr.sample_freq = limit < 1000 ? limit : 1000;
	pin_to(0);
	ASSERT_EQ(stream_open_group(&s, &attr, -1, 0), 0);
	ASSERT_EQ(stream_map(&s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_TIMER, 0);
	stream_close(&s);
}

TEST(a_timer_takes_a_new_period_at_once)
{
	uint64_t period = 1000000;

	NEED_SNAPSHOT();
	pin_to(0);
	ASSERT_EQ(stream_open(&s, CPU_CYCLES, 1000000000000, -1, 0), 0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	ASSERT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_PERIOD, &period), 0);
	check_periodic(PMSCOPE_TRIGGER_TIMER, 0);
	stream_close(&s);
}

/*
 * More than a CPU can do: without a rest behind each record, what comes after
 * the timers would never run.
 */
TEST(short_periods_leave_time_to_others)
{
	struct perf_event_attr attr =
		stream_attr(INST_RETIRED, PMSCOPE_TIMER_PERIOD_MIN);
	long missed;
	static struct stream many[4];

	NEED_SNAPSHOT();
	missed = sysfs_number(SNAPSHOT_DIR "stats/periods_missed");
	pin_to(0);
	for (int i = 0; i < 4; i++) {
		many[i] = (struct stream){.count = 1};
		many[i].fds[0] = open_event(&attr, -1, 0, -1);
		ASSERT_GE(many[i].fds[0], 0);
		ASSERT_EQ(stream_map(&many[i], STREAM_AUX_PAGES, PROT_READ), 0);
		ASSERT_EQ(enable_group(many[i].fds[0]), 0);
	}
	work(1000000);
	for (int i = 0; i < 4; i++)
		stream_close(&many[i]);
	EXPECT_GT(sysfs_number(SNAPSHOT_DIR "stats/periods_missed"), missed);
}

TEST(overflow_of_the_event)
{
	uint64_t period = 1000000;

	NEED_SNAPSHOT();
	pin_to(0);
	ASSERT_EQ(stream_open(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_OVERFLOW,
			      period, -1, 0),
		  0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_OVERFLOW, period);
	stream_close(&s);
}

TEST(overflow_in_a_task)
{
	uint64_t period = 1000000;

	NEED_SNAPSHOT();
	ASSERT_EQ(stream_open(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_OVERFLOW,
			      period, 0, -1),
		  0);
	ASSERT_EQ(enable_group(s.fds[0]), 0);
	check_periodic(PMSCOPE_TRIGGER_OVERFLOW, period);
	stream_close(&s);
}

/* What this task forks from now on writes to the area of CPU 0. */
static int stream_to_children(void)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 1000000);
	int ret;

	pin_to(0);
	attr.inherit = 1;
	ret = stream_open_group(&s, &attr, 0, 0);
	if (!ret)
		ret = stream_map(&s, STREAM_AUX_PAGES, PROT_READ | PROT_WRITE);
	return ret ? ret : enable_group(s.fds[0]);
}

/* A child of the task writes to the area of its CPU, under its own name. */
TEST(children_stream_too)
{
	const struct pmscope_record *r;
	bool seen = false;
	pid_t child;

	NEED_SNAPSHOT();
	ASSERT_EQ(stream_to_children(), 0);
	child = fork();
	if (!child)
		for (;;)
			work(1000);
	for (int i = 0; i < PATIENCE && !seen; i++) {
		work(1000);
		while ((r = stream_next(&s))) {
			check_record(&s, r, PMSCOPE_TRIGGER_TIMER);
			seen |= (pid_t)r->pid == child;
		}
		stream_release(&s);
	}
	EXPECT_TRUE(seen);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	stream_close(&s);
}

/* A process of a namespace of its own, whose child tells @to and is busy */
static void run_in_namespace(int to)
{
	struct perf_event_attr alone = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(alone),
		.config = PERF_COUNT_SW_DUMMY,
	};
	pid_t child;

	if (unshare(CLONE_NEWPID))
		_exit(1);
	if (fork())
		pause();
	/* It is the namespace's first, and takes all of it along. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Tasks whose events are all inherited exchange them. */
	open_event(&alone, 0, -1, -1);
	/* Made by one who is in the namespace, not by one who made it. */
	child = fork();
	if (child)
		pause();
	write(to, "", 1);
	for (;;)
		work(1000);
}

/* PIDs are those of whoever opened the event, wherever a child was made. */
TEST(children_in_a_pid_namespace_have_the_owners_pids)
{
	const struct pmscope_record *r;
	int ready[2], records = 0;
	pid_t child;
	char byte;

	NEED_SNAPSHOT();
	if (geteuid())
		SKIP("needs root");
	if (access("/proc/self/ns/pid", F_OK))
		SKIP("this kernel has no PID namespaces");
	ASSERT_EQ(stream_to_children(), 0);
	ASSERT_EQ(pipe(ready), 0);
	child = fork();
	if (!child)
		run_in_namespace(ready[1]);
	close(ready[1]);
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	while (stream_next(&s))
		;
	stream_release(&s);
	for (int i = 0; i < PATIENCE && records < RECORDS; i++) {
		work(1000);
		while (records < RECORDS && (r = stream_next(&s))) {
			EXPECT_GE((pid_t)r->pid, getpid());
			records += (pid_t)r->pid != getpid();
		}
		stream_release(&s);
	}
	EXPECT_EQ(records, RECORDS);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	stream_close(&s);
}

KTAP_MAIN
