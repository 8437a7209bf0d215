// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of a task whose counters are taken by events of a CPU, which have
 * priority: stopped events report it, and no other event stops.
 */
#include "ktap.h"
#include "events.h"

#define BR_RETIRED 0x21
#define TURNS	   200000

/* read(2) of one event */
struct single {
	uint64_t value, enabled, running;
};

static int open_single(uint64_t config, int leader)
{
	struct perf_event_attr attr = snapshot_attr(config);

	attr.read_format &= ~PERF_FORMAT_GROUP;
	return open_event(&attr, 0, -1, leader);
}

static struct single read_single(int fd)
{
	struct single s = {};

	EXPECT_EQ(read(fd, &s, sizeof(s)), (ssize_t)sizeof(s));
	return s;
}

/*
 * All counters of CPU 0 but that of cycles: pinned events of the CPU's own PMU,
 * more than it has counters. Returns how many.
 */
static int take_counters(int *fds)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_RAW,
				       .size = sizeof(attr),
				       .config = BR_RETIRED,
				       .pinned = 1};
	int count = 0;

	while (count < MAX_GROUP) {
		fds[count] = open_event(&attr, -1, 0, -1);
		if (fds[count] < 0)
			break;
		count++;
	}
	return count;
}

/* Its leader kept its own. */
TEST(a_member_without_a_counter_that_is_off_holds_up_nobody)
{
	int leader, member, taken[MAX_GROUP], nr;
	struct single before, after;

	NEED_SNAPSHOT();
	pin_to(0);
	leader = open_single(CPU_CYCLES, -1);
	ASSERT_GE(leader, 0);
	member = open_single(BR_RETIRED, leader);
	ASSERT_GE(member, 0);
	nr = take_counters(taken);
	ASSERT_GE(nr, 1);
	usleep(2000);
	close_group(taken, nr);
	ASSERT_EQ(ioctl(member, PERF_EVENT_IOC_DISABLE, 0), 0);
	usleep(2000);

	before = read_single(leader);
	work(TURNS);
	after = read_single(leader);
	EXPECT_GT(after.running, before.running);
	EXPECT_GT(after.value, before.value);
}

/* A process on CPU 1, so that the task on CPU 0 is not switched out for it. */
static pid_t fork_taker(int *has_taken)
{
	int fds[MAX_GROUP];
	pid_t pid = fork();

	if (pid)
		return pid;
	pin_to(1);
	usleep(50000);
	__atomic_store_n(has_taken, take_counters(fds) ? 1 : -1,
			 __ATOMIC_RELEASE);
	pause();
	_exit(0);
}

/* A read without the group returns no error. */
TEST(the_time_of_a_count_that_stands_still_does_too)
{
	int *has_taken = mmap(NULL, sizeof(*has_taken), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct single first, last;
	pid_t taker;
	int fd;

	NEED_SNAPSHOT();
	NEED_CPUS(2);
	ASSERT_TRUE(has_taken != MAP_FAILED);
	pin_to(0);
	fd = open_single(BR_RETIRED, -1);
	ASSERT_GE(fd, 0);
	taker = fork_taker(has_taken);
	while (!__atomic_load_n(has_taken, __ATOMIC_ACQUIRE))
		read_single(fd);

	first = read_single(fd);
	for (int i = 0; i < 500; i++) {
		work(TURNS / 100);
		last = read_single(fd);
	}
	kill(taker, SIGKILL);
	waitpid(taker, NULL, 0);
	EXPECT_EQ(*has_taken, 1);
	EXPECT_EQ(last.value, first.value);
	EXPECT_GT(last.enabled, first.enabled);
	EXPECT_LT((last.running - first.running) * 4,
		  last.enabled - first.enabled);
}
