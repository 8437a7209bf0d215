// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What perf_event_open() refuses, and with which errno. Nothing is ignored or
 * scaled: an event that cannot be counted exactly is refused at open.
 */
#include <glob.h>

#include "ktap.h"
#include "stream.h"

#include <linux/bpf.h>

#define L1D_CACHE 0x04 /* Only event counters can count it. */

/* 0 when the event opens (and it is closed again), or its errno. */
static int try_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = open_event(attr, pid, cpu, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/*
 * Opens @attr up to MAX_GROUP times, as one group if @grouped. Returns how
 * often it opened; @err: why not once more.
 */
static int open_many(struct perf_event_attr *attr, pid_t pid, int cpu,
		     bool grouped, int *fds, int *err)
{
	int count = 0;

	for (*err = 0; count < MAX_GROUP; count++) {
		attr->disabled = !grouped || !count;
		fds[count] = open_event(attr, pid, cpu,
					grouped && count ? fds[0] : -1);
		if (fds[count] < 0) {
			*err = -fds[count];
			break;
		}
	}
	ktap_note("%d events fit", count);
	EXPECT_GE(count, 2);
	return count;
}

BEFORE_EACH(NEED_SNAPSHOT());

TEST(a_plain_event_opens)
{
	struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);

	EXPECT_EQ(try_open(&attr, -1, 0), 0);
	EXPECT_EQ(try_open(&attr, 0, -1), 0);
	EXPECT_EQ(try_open(&attr, 0, 0), 0);
}

/* An event of cycles, after that change: of a CPU, and of a task. */
#define OPENS(result, ...)                                               \
	do {                                                             \
		struct perf_event_attr attr = snapshot_attr(CPU_CYCLES); \
                                                                         \
		__VA_ARGS__;                                             \
		EXPECT_EQ(try_open(&attr, -1, 0), result);               \
		EXPECT_EQ(try_open(&attr, 0, -1), result);               \
	} while (0)

TEST(streams_open)
{
	OPENS(0, attr.sample_period = PMSCOPE_TIMER_PERIOD_MIN);
	OPENS(0, attr.sample_freq = 1, attr.freq = 1);
	for (uint64_t trigger = PMSCOPE_SNAPSHOT_OVERFLOW;
	     trigger <= PMSCOPE_SNAPSHOT_REQUEST; trigger <<= 1)
		OPENS(0, attr.sample_period = 1000000, attr.config |= trigger);
}

CASE(a_timer_too_fast_is_invalid,
     OPENS(EINVAL, attr.sample_period = PMSCOPE_TIMER_PERIOD_MIN - 1));

TEST(a_trigger_needs_a_period)
{
	OPENS(EINVAL, attr.config |= PMSCOPE_SNAPSHOT_SPE);
	OPENS(EINVAL, attr.config |= PMSCOPE_SNAPSHOT_SPE,
	      attr.sample_freq = 1000, attr.freq = 1);
}

CASE(two_triggers_are_invalid,
     OPENS(EINVAL, attr.sample_period = 1,
	   attr.config |= PMSCOPE_SNAPSHOT_SPE | PMSCOPE_SNAPSHOT_OVERFLOW));

/* read(2) must be one transaction for the whole group. */
CASE(requests_need_the_group_format,
     OPENS(EINVAL, attr.sample_period = 1, attr.read_format = 0,
	   attr.config |= PMSCOPE_SNAPSHOT_REQUEST));

CASE(branch_stacks_are_not_supported,
     OPENS(EOPNOTSUPP, attr.sample_type = PERF_SAMPLE_BRANCH_STACK,
	   attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY));

/* The read of a group goes to its leader. */
TEST(requests_are_for_leaders)
{
	struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);
	int leader, fd;

	leader = open_event(&attr, -1, 0, -1);
	ASSERT_GE(leader, 0);
	attr.config |= PMSCOPE_SNAPSHOT_REQUEST;
	attr.sample_period = 1;
	attr.disabled = 0;
	fd = open_event(&attr, -1, 0, leader);
	EXPECT_EQ(fd, -EINVAL);
}

/* Documentation/reference/attributes.rst has each attribute. */
static const struct {
	const char *name;
	uint64_t flags;
	int err;
} attributes[] = {
	{"disabled", 1 << 0, 0},
	{"inherit", 1 << 1, 0},
	{"pinned", 1 << 2, 0},
	{"exclusive", 1 << 3, EOPNOTSUPP},
	{"exclude_user", 1 << 4, 0},
	{"exclude_kernel", 1 << 5, 0},
	{"exclude_hv", 1 << 6, 0},
	{"exclude_idle", 1 << 7, EOPNOTSUPP},
	{"mmap", 1 << 8, 0},
	{"comm", 1 << 9, 0},
	{"inherit_stat", 1 << 1 | 1 << 11, 0},
	{"enable_on_exec", 1 << 12, 0},
	{"task", 1 << 13, 0},
	{"watermark", 1 << 14, 0},
	{"precise_ip 1", 1 << 15, EOPNOTSUPP},
	{"precise_ip 3", 3 << 15, EOPNOTSUPP},
	{"mmap_data", 1 << 17, 0},
	{"sample_id_all", 1 << 18, 0},
	{"exclude_guest", 1 << 20, 0},
	{"exclude_callchain_kernel", 1 << 21, 0},
	{"exclude_callchain_user", 1 << 22, 0},
	{"mmap2", 1 << 23, 0},
	{"comm_exec", 1 << 24, 0},
	{"use_clockid", 1 << 25, 0},
	{"context_switch", 1 << 26, 0},
	{"write_backward", 1 << 27, 0},
	{"namespaces", 1 << 28, 0},
	{"ksymbol", 1 << 29, 0},
	{"bpf_event", 1 << 30, 0},
	{"aux_output", 1ULL << 31, EOPNOTSUPP},
	{"cgroup", 1ULL << 32, 0},
	{"text_poke", 1ULL << 33, 0},
	{"build_id", 1ULL << 34, 0},
	{"inherit_thread", 1 << 1 | 1ULL << 35, 0},
	{"remove_on_exec", 1ULL << 36, 0},
	{"remove_on_exec, inherit", 1 << 1 | 1ULL << 36, EOPNOTSUPP},
	{"sigtrap", 1ULL << 36 | 1ULL << 37, EOPNOTSUPP},
};

static void check_attributes(uint64_t period)
{
	struct perf_event_attr attr;
	uint64_t *words = (uint64_t *)&attr;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		int err;

		attr = snapshot_attr(CPU_CYCLES);
		attr.sample_period = period;
		attr.clockid = CLOCK_MONOTONIC;
		words[5] = attributes[i].flags;
		err = try_open(&attr, 0, -1);
		if (err != attributes[i].err)
			printf("# %s: %d\n", attributes[i].name, err);
		EXPECT_EQ(err, attributes[i].err);
	}
}

TEST(each_attribute_is_honoured_or_refused)
{
	check_attributes(0);
	check_attributes(1000000);
}

/* Each ioctl without effect is refused; open events test the others. */
TEST(each_ioctl_is_honoured_or_refused)
{
	struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);
	struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr program = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)nothing,
		.insn_cnt = 2,
		.license = (uintptr_t) "GPL",
	};
	uint64_t period = 1000000;
	struct group_value group;
	int fd, bpf;

	fd = open_event(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	bpf = syscall(__NR_bpf, BPF_PROG_LOAD, &program, sizeof(program));
	ASSERT_GE(bpf, 0);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf), -1);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "x"), -1);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), -1);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), -1);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), -1);
	disable_group(fd);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_RESET, 0), 0);
	EXPECT_TRUE(read_group(fd, 1, &group));
	EXPECT_EQ(group.value[0], 0);
}

/* PERF_EVENT_IOC_REFRESH: that many records more */
TEST(a_stream_ends_after_the_records_it_was_given)
{
	struct perf_event_attr attr = stream_attr(CPU_CYCLES, 1000000);
	struct aux_record aux;
	struct stream s;
	int records = 0;

	ASSERT_EQ(stream_open_one(&s, &attr, 0, -1, STREAM_AUX_PAGES), 0);
	EXPECT_EQ(ioctl(s.fds[0], PERF_EVENT_IOC_REFRESH, 3), 0);
	for (int i = 0; i < 100; i++)
		work(100000);
	while (next_aux(s.ring, &aux))
		records += aux.size > 0;
	EXPECT_EQ(records, 3);
}

/* The type of the kernel's own PMU of CPU 0; PERF_TYPE_RAW may be another
 * CPU's. */
static long core_pmu_type(void)
{
	glob_t found;
	char path[128];
	long type = -1;

	if (glob("/sys/bus/event_source/devices/armv[89]_*", 0, NULL, &found))
		return -1;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		snprintf(path, sizeof(path), "%s/cpus", found.gl_pathv[i]);
		if (sysfs_number(path) != 0) /* the first of a list */
			continue;
		snprintf(path, sizeof(path), "%s/type", found.gl_pathv[i]);
		type = sysfs_number(path);
	}
	globfree(&found);
	return type;
}

/* Others get the counters of an event that ends at exec. */
TEST(events_removed_at_exec_give_their_counters_back)
{
	struct perf_event_attr attr = snapshot_attr(L1D_CACHE);
	int fds[MAX_GROUP], count = 0, go[2];
	struct group_value group = {};
	pid_t pid;
	char byte;

	pin_to(0);
	ASSERT_EQ(pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		if (read(go[0], &byte, 1) == 1)
			execl("/bin/sh", "sh", "-c", "while :; do :; done",
			      NULL);
		_exit(1);
	}
	attr.remove_on_exec = 1;
	while (count < MAX_GROUP / 2) {
		fds[count] = open_event(&attr, pid, -1, -1);
		if (fds[count] < 0)
			break;
		count++;
	}
	EXPECT_GE(count, 2);
	write(go[1], "", 1);
	usleep(300000);
	attr.remove_on_exec = 0;
	attr.type = core_pmu_type();
	fds[count] = open_event(&attr, pid, -1, -1);
	ASSERT_GE(fds[count], 0);
	usleep(300000);
	EXPECT_TRUE(read_group(fds[count], 1, &group));
	EXPECT_GT(group.running, 0);
	EXPECT_EQ(group.running, group.enabled);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(each_reserved_bit_is_invalid)
{
	for (int bit = 0; bit < 64; bit++) {
		struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);

		attr.config1 = 1ULL << bit;
		EXPECT_EQ(try_open(&attr, -1, 0), EINVAL);
		attr.config1 = 0;
		attr.config2 = 1ULL << bit;
		EXPECT_EQ(try_open(&attr, -1, 0), EINVAL);
		attr.config2 = 0;
		if (bit < 20)
			continue;
		attr.config |= 1ULL << bit;
		EXPECT_EQ(try_open(&attr, -1, 0), EINVAL);
	}
}

/* More of one event than there are counters, as one group, in one open each. */
TEST(a_group_that_cannot_fit_is_refused)
{
	struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);
	int fds[MAX_GROUP], err;

	open_many(&attr, -1, 0, true, fds, &err);
	EXPECT_EQ(err, ENOSPC);
}

/* Events of other PMUs take no counter from a group. */
TEST(members_of_other_pmus_need_no_room)
{
	struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);
	struct perf_event_attr foreign =
		event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int fds[MAX_GROUP], count = 0;

	foreign.disabled = 1;
	for (; count < MAX_GROUP - 1; count++) {
		fds[count] = open_event(&foreign, -1, 0, count ? fds[0] : -1);
		ASSERT_GE(fds[count], 0);
		foreign.disabled = 0;
	}
	attr.disabled = 0;
	EXPECT_GE(open_event(&attr, -1, 0, fds[0]), 0);
}

/* perf core would have them where our counters are not yet. */
TEST(pinned_leaders_of_other_pmus_are_invalid)
{
	struct perf_event_attr other = {.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(other),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.pinned = 1};
	struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);
	int leader, own;

	leader = open_event(&other, 0, -1, -1);
	ASSERT_GE(leader, 0);
	EXPECT_EQ(open_event(&attr, 0, -1, leader), -EINVAL);
	close(leader);
	attr.pinned = 1;
	own = open_event(&attr, 0, -1, -1);
	ASSERT_GE(own, 0);
	other.pinned = 0;
	leader = open_event(&other, 0, -1, own);
	EXPECT_GE(leader, 0);
}

/*
 * An overflow event takes two counters, both when a group is too large and of
 * the remaining ones: if only one is left, it stays free.
 */
TEST(a_trigger_takes_a_counter_of_its_own)
{
	struct perf_event_attr attr = snapshot_attr(L1D_CACHE), stream = attr;
	int fds[MAX_GROUP], count, err;

	stream.config |= PMSCOPE_SNAPSHOT_OVERFLOW;
	stream.sample_period = 1000000;
	count = open_many(&attr, -1, 0, true, fds, &err);
	ASSERT_GE(count, 2);
	close(fds[--count]);
	EXPECT_EQ(open_event(&stream, -1, 0, fds[0]), -ENOSPC);
	EXPECT_EQ(try_open(&stream, -1, 0), EBUSY);
	attr.disabled = 1;
	EXPECT_EQ(try_open(&attr, -1, 0), 0);
}

/* Counters are held, not shared: the first event too many is refused. */
TEST(events_beyond_the_counters_are_refused)
{
	struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);
	int fds[MAX_GROUP], err, count;

	count = open_many(&attr, -1, 0, false, fds, &err);
	EXPECT_EQ(err, EBUSY);
	close_group(fds, count);
	/* All of them are free again. */
	EXPECT_EQ(try_open(&attr, -1, 0), 0);
}

/* Each is its own group; that its counter is missing shows when it runs. */
TEST(events_of_a_task_that_cannot_fit_are_refused)
{
	struct perf_event_attr attr = snapshot_attr(CPU_CYCLES);
	int fds[MAX_GROUP], go[2], count = 0, err = 0;
	struct group_value group;
	char byte;
	pid_t pid;

	ASSERT_EQ(pipe(go), 0);
	pid = fork();
	if (!pid) {
		if (read(go[0], &byte, 1) == 1)
			work(100000);
		_exit(0);
	}
	for (; count < MAX_GROUP; count++) {
		fds[count] = open_event(&attr, pid, -1, -1);
		attr.config = INST_RETIRED;
		if (fds[count] < 0) {
			err = -fds[count];
			break;
		}
	}
	ktap_note("%d events fit", count);
	EXPECT_GE(count, 2);
	EXPECT_EQ(err, ENOSPC);
	EXPECT_EQ(write(go[1], "", 1), 1);
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < count; i++) {
		EXPECT_TRUE(read_group(fds[i], 1, &group));
		EXPECT_GT(group.value[0], 0);
		EXPECT_EQ(group.running, group.enabled);
	}
}

TEST(closing_gives_the_counters_back)
{
	static const uint64_t four[] = {CPU_CYCLES, CPU_CYCLES, CPU_CYCLES,
					CPU_CYCLES};
	int fds[4];

	for (int turn = 0; turn < 100; turn++) {
		ASSERT_EQ(open_group(four, 4, -1, 0, fds), 0);
		close_group(fds, 4);
	}
}

static int open_without_privilege(struct perf_event_attr attr, pid_t pid,
				  int cpu)
{
	return setgid(NOBODY) || setuid(NOBODY) ? 255
						: try_open(&attr, pid, cpu);
}

TEST(perf_event_paranoid_is_obeyed)
{
	struct perf_event_attr user = user_attr(CPU_CYCLES);

	PARANOID_IS(2);
	EXPECT_EQ(IN_CHILD(open_without_privilege(user, 0, -1)), 0);
	EXPECT_EQ(IN_CHILD(open_without_privilege(snapshot_attr(CPU_CYCLES), 0,
						  -1)),
		  EACCES);
	EXPECT_EQ(IN_CHILD(open_without_privilege(user, -1, 0)), EACCES);
}

#define ATTEMPTS 100

/* A user without privilege repeats refused opens. */
static void try_as_nobody(pid_t pid)
{
	pid_t child = fork();
	int status;

	if (!child) {
		struct perf_event_attr attr = user_attr(L1D_CACHE);
		int others = 0;

		pin_to(1);
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(255);
		for (int i = 0; i < ATTEMPTS; i++)
			others += try_open(&attr, pid, -1) != EACCES;
		_exit(others > 0);
	}
	while (!waitpid(child, &status, WNOHANG))
		work(1000);
	EXPECT_EQ(status, 0);
}

/* A task's group that takes all event counters */
static int open_all_counters(pid_t pid, int *fds)
{
	int count = sysfs_number(SNAPSHOT_DIR "caps/counters");
	struct perf_event_attr attr = snapshot_attr(L1D_CACHE);

	/* For the kernel's own PMU, which others may use first. */
	attr.type = PERF_TYPE_RAW;
	for (int i = 0; i < count; i++) {
		attr.disabled = !i;
		fds[i] = open_event(&attr, pid, -1, i ? fds[0] : -1);
		if (fds[i] < 0)
			return fds[i];
	}
	enable_group(fds[0]);
	return count;
}

/* Does @pid keep its counters? False if they never were on the CPU. */
static bool nobody_takes_a_counter_of(pid_t pid)
{
	struct group_value group = {};
	int fds[MAX_GROUP] = {}, count;

	count = open_all_counters(pid, fds);
	EXPECT_GT(count, 0);
	if (count <= 0)
		return false;
	try_as_nobody(pid);
	EXPECT_TRUE(read_group(fds[0], count, &group));
	close_group(fds, count);
	if (!group.running)
		return false;
	EXPECT_EQ(group.running, group.enabled);
	return true;
}

/* perf core checks credentials after it has created the event. */
TEST(one_who_may_not_trace_a_task_takes_no_counter_of_it)
{
	PARANOID_IS(2);
	/* There may be CPUs that this PMU does not count on. */
	pin_to(0);
	if (!nobody_takes_a_counter_of(getpid()))
		SKIP("the kernel's PMU is that of other CPUs");
}

#define IDS 6

/* A busy task without root's IDs, except for one; it is not dumpable. */
static pid_t fork_with_an_id_of_root(int which)
{
	int ids[IDS], ready[2];
	pid_t child;
	char byte;

	if (pipe(ready))
		return -1;
	for (int i = 0; i < IDS; i++)
		ids[i] = i == which ? 0 : NOBODY;
	child = fork();
	if (!child) {
		if (setresgid(ids[3], ids[4], ids[5]) ||
		    setresuid(ids[0], ids[1], ids[2]))
			_exit(1);
		prctl(PR_SET_DUMPABLE, 0);
		write(ready[1], "", 1);
		for (;;)
			work(1000);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		child = -1;
	close(ready[0]);
	return child;
}

/* With IDS all of them are: then it is that the task is not dumpable. */
TEST(each_id_of_a_task_has_to_be_ones_own)
{
	bool counts = true;

	PARANOID_IS(2);
	pin_to(0);
	for (int which = 0; which <= IDS && counts; which++) {
		pid_t child = fork_with_an_id_of_root(which);

		ASSERT_GT(child, 0);
		counts = nobody_takes_a_counter_of(child);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	if (!counts)
		SKIP("the kernel's PMU is that of other CPUs");
}

/* An unprivileged user opens an event on a task of the same user */
static int open_of_same_user(void)
{
	struct perf_event_attr attr = user_attr(CPU_CYCLES);
	pid_t other;
	int err;

	/* Rights that a new user ID has removed */
	if (setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		return 255;
	other = fork();
	if (!other)
		pause();
	err = try_open(&attr, other, -1);
	kill(other, SIGKILL);
	return err;
}

TEST(tasks_of_the_same_user_are_counted)
{
	PARANOID_IS(2);
	EXPECT_EQ(IN_CHILD(open_of_same_user()), 0);
}

/* Like a program started with another user's set-user-ID bit. */
TEST(one_counts_oneself_whatever_ones_ids)
{
	struct perf_event_attr attr = user_attr(CPU_CYCLES);

	PARANOID_IS(2);
	EXPECT_EQ(IN_CHILD(setresuid(NOBODY, NOBODY - 1, NOBODY - 1)
				   ? 255
				   : try_open(&attr, 0, -1)),
		  0);
}
