// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_event_attr.aux_action: events of the group, here system calls, pause and
 * resume the sampling of their leader.
 */
#include "faults/faults.h"
#include "spe.h"

#define PAGES	     64
#define WORK	     50000
#define START_PAUSED 1
#define PAUSE	     2
#define RESUME	     4
#define ABORTS	     4
#define SYSCALLS     "/sys/kernel/tracing/events/syscalls/sys_enter_"

static struct stream s;

/* aux_action is newer than the headers; it was __reserved_3. */
static void set_action(struct perf_event_attr *attr, uint32_t action)
{
	memcpy((char *)attr +
		       offsetof(struct perf_event_attr, aux_sample_size) +
		       sizeof(uint32_t),
	       &action, sizeof(action));
}

/* Samples between the calls of getppid() and getuid(), or all. */
static int open_recorder(uint32_t action)
{
	struct perf_event_attr attr = spe_attr(0, 1024);

	set_action(&attr, action);
	return stream_open_one(&s, &attr, 0, -1, PAGES);
}

/* Adds an event to the group: what it does to the leader. */
static int add_member(struct perf_event_attr *attr, uint32_t action)
{
	int fd;

	set_action(attr, action);
	fd = open_event(attr, 0, -1, s.fds[0]);
	if (fd < 0)
		return fd;
	s.fds[s.count++] = fd;
	return 0;
}

static int add_call(const char *path, uint32_t action)
{
	struct perf_event_attr attr =
		event_attr(PERF_TYPE_TRACEPOINT, sysfs_number(path));

	attr.sample_period = 1;
	return add_member(&attr, action);
}

/* The same work on each side of the calls, and a switch of the task. */
static void do_work(void)
{
	work(WORK);
	usleep(1000);
	syscall(SYS_getppid);
	work(WORK);
	usleep(1000);
	syscall(SYS_getuid);
	work(WORK);
	usleep(1000);
}

/* Bytes of records, and whether something is amiss. */
static uint64_t record_work(void)
{
	uint64_t flags;

	if (enable_group(s.fds[0]))
		return 0;
	do_work();
	disable_group(s.fds[0]);
	flags = stream_aux_flags(&s);
	EXPECT_EQ(flags & ~(uint64_t)PERF_AUX_FLAG_COLLISION, 0);
	return stream_head(&s);
}

static uint64_t record_all(void)
{
	uint64_t bytes = 0;

	if (!open_recorder(0))
		bytes = record_work();
	stream_close(&s);
	return bytes;
}

static uint64_t record_some(uint32_t action)
{
	uint64_t bytes = 0;

	if (!open_recorder(action) &&
	    !add_call(SYSCALLS "getppid/id", RESUME) &&
	    !add_call(SYSCALLS "getuid/id", PAUSE))
		bytes = record_work();
	stream_close(&s);
	return bytes;
}

BEFORE_EACH(NEED_SPE());

TEST(sampling_between_two_calls)
{
	uint64_t all, between;
	int err;

	if (geteuid() || access(SYSCALLS "getppid/id", F_OK))
		SKIP("no tracepoints of system calls");
	if (has_fault("quiet-aborts"))
		SKIP("records are lost here");
	err = open_recorder(START_PAUSED);
	if (err)
		SKIP("the kernel or its driver has no pause (%d)", err);
	stream_close(&s);

	all = record_all();
	ASSERT_GT(all, 0);
	/* A third of it. */
	between = record_some(START_PAUSED);
	EXPECT_GT(between, all / 4);
	EXPECT_LT(between, all / 2);
	/* Two thirds: from the start to the second call. */
	between = record_some(0);
	EXPECT_GT(between, all / 2);
	EXPECT_LT(between, all * 5 / 6);
}

static void end_window(void)
{
	disable_group(s.fds[0]);
	stream_aux_flags(&s);
	stream_skip(&s);
}

/* Bytes that the work alone makes */
static uint64_t record_plainly(void)
{
	uint64_t tail = s.tail;

	enable_group(s.fds[0]);
	work(WORK);
	end_window();
	return s.tail - tail;
}

/* The interrupt that closes a window may be late, on a busy host by far. */
static uint64_t flags_of_the_end(void)
{
	uint64_t flags = 0;

	for (int i = 0; i < 10000 && !(flags & PERF_AUX_FLAG_TRUNCATED); i++) {
		flags |= stream_aux_flags(&s);
		usleep(1000);
	}
	return flags;
}

/*
 * After an External abort that was no management event the pointers are worth
 * nothing (D17.7.4): where the pause ends, the window does.
 */
TEST(a_pause_after_an_abort_ends_the_window)
{
	uint64_t bytes;

	if (!has_fault("quiet-aborts"))
		SKIP("the caller does not say that aborts are quiet here");
	ASSERT_EQ(open_recorder(0), 0);
	ASSERT_EQ(add_call(SYSCALLS "getppid/id", RESUME), 0);
	ASSERT_EQ(add_call(SYSCALLS "getuid/id", PAUSE), 0);
	bytes = record_plainly();
	for (int i = 0; i < ABORTS; i++) {
		uint64_t flags;

		ASSERT_EQ(enable_group(s.fds[0]), 0);
		work(WORK);
		syscall(SYS_getuid);
		flags = stream_aux_flags(&s);
		EXPECT_EQ(flags & PERF_AUX_FLAG_TRUNCATED, 0);
		syscall(SYS_getppid);
		work(4 * WORK);
		flags = flags_of_the_end();
		EXPECT_TRUE(flags & PERF_AUX_FLAG_TRUNCATED);
		/* Since the resume, nothing was sampled. */
		EXPECT_LT(stream_head(&s) - s.tail, 2 * bytes);
		end_window();
	}
}

/* Nobody resumes it: not one record, whatever switches it on and off. */
TEST(paused_for_good)
{
	int err;

	err = open_recorder(START_PAUSED);
	if (err)
		SKIP("the kernel or its driver has no pause (%d)", err);
	EXPECT_EQ(record_work(), 0);
	EXPECT_EQ(record_work(), 0);
}

/* Adds a counter that does it at each overflow. */
static int add_counter(uint64_t config, uint64_t period, uint32_t action)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_HARDWARE, config);

	attr.sample_period = period;
	attr.exclude_kernel = 1;
	return add_member(&attr, action);
}

/* At any moment, in an NMI where the PMU has one: nothing tears. */
TEST(paused_and_resumed_by_overflows)
{
	uint64_t bytes;

	if (has_fault("quiet-aborts"))
		SKIP("records are lost here");
	if (open_recorder(START_PAUSED))
		SKIP("the kernel or its driver has no pause");
	if (add_counter(PERF_COUNT_HW_INSTRUCTIONS, 10007, RESUME) ||
	    add_counter(PERF_COUNT_HW_INSTRUCTIONS, 15013, PAUSE))
		SKIP("no counters to do it");
	bytes = record_work();
	printf("# %llu bytes\n", (unsigned long long)bytes);
	EXPECT_GT(bytes, 0);
}
