// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which events a program captures when it names a group: while members and
 * leaders come and go, of tasks and their children, of streams.
 */
#include "captures.h"

/* Turns, each of some instructions; far more than a task does otherwise */
#define WORK 1000000

static void member_attrs(struct perf_event_attr *attrs)
{
	for (int i = 0; i < MEMBERS; i++)
		attrs[i] = snapshot_attr(events[i]);
}

/* Opens one group, disabled; 0 or a negative errno. */
static int open_members(struct fixture *f, struct perf_event_attr *attrs,
			pid_t pid, int cpu)
{
	int err = load_programs(f);

	attrs[0].disabled = 1;
	for (int i = 0; i < MEMBERS && !err; i++) {
		f->fds[i] = open_event(&attrs[i], pid, cpu, i ? f->fds[0] : -1);
		err = f->fds[i] < 0 ? f->fds[i] : 0;
	}
	return err;
}

BEFORE_EACH(NEED_KFUNCS());

GROUP_TEST(a_disabled_group_is_refused)
{
	ASSERT_EQ(disable_group(f->fds[0]), 0);
	ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
	EXPECT_EQ(f->skel->bss->first.ret, -ENOENT);
}

/*
 * Its members continue on their own; what a CPU knows of the group ends with
 * it.
 */
GROUP_TEST(a_group_whose_leader_is_closed_first_is_gone)
{
	for (int turn = 0; turn < 2 * MAX_GROUP / MEMBERS; turn++) {
		for (int i = 0; i < MEMBERS; i++)
			close(f->fds[i]);
		ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
		EXPECT_EQ(f->skel->bss->first.ret, -ENOENT);
		ASSERT_EQ(open_group(events, MEMBERS, -1, GROUP_CPU, f->fds),
			  0);
		ASSERT_EQ(enable_it(f), 0);
	}
	check_capture(f);
}

/* One value per member, each between two reads. */
static void check_members(struct fixture *f, int leader, int nr)
{
	const struct result *first = &f->skel->bss->first;
	struct group_value before, after;

	ASSERT_TRUE(read_group(leader, nr, &before));
	ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
	ASSERT_TRUE(read_group(leader, nr, &after));
	ASSERT_EQ(first->ret, nr);
	for (int i = 0; i < nr; i++) {
		EXPECT_GE(first->value[i], before.value[i]);
		EXPECT_LE(first->value[i], after.value[i]);
	}
}

static void close_member(struct fixture *f, int i)
{
	close(f->fds[i]);
	f->fds[i] = -1;
}

GROUP_TEST(members_move_up_when_one_is_closed)
{
	close_member(f, 2);
	check_members(f, f->fds[0], MEMBERS - 1);
	ASSERT_EQ(test_run(f->skel->progs.too_small), 0);
	EXPECT_EQ(f->skel->bss->small_result, MEMBERS - 1);
	close_member(f, MEMBERS - 1);
	check_members(f, f->fds[0], MEMBERS - 2);
}

/* The members of a group stay when a member of another group goes or comes. */
TEST(groups_behind_one_that_changes)
{
	static const uint64_t two[] = {CPU_CYCLES, INST_RETIRED};
	struct fixture f;
	int other[2];

	ASSERT_EQ(start_group(two, 2, -1, GROUP_CPU, other), 0);
	ASSERT_EQ(fixture_open(&f), 0);
	check_members(&f, f.fds[0], MEMBERS);
	ASSERT_EQ(ioctl(other[1], PERF_EVENT_IOC_DISABLE, 0), 0);
	check_members(&f, f.fds[0], MEMBERS);
	ASSERT_EQ(ioctl(other[1], PERF_EVENT_IOC_ENABLE, 0), 0);
	check_members(&f, f.fds[0], MEMBERS);
}

GROUP_TEST(members_of_a_closed_leader_lead_themselves)
{
	uint64_t id = 0;

	close_member(f, 0);
	ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
	EXPECT_EQ(f->skel->bss->first.ret, -ENOENT);
	for (int i = 1; i < MEMBERS; i++) {
		ASSERT_EQ(ioctl(f->fds[i], PERF_EVENT_IOC_ID, &id), 0);
		f->skel->bss->group = id;
		check_members(f, f->fds[i], 1);
	}
}

/* The member at @foreign belongs to another PMU. */
static int fixture_open_mixed(struct fixture *f, int foreign)
{
	struct perf_event_attr attrs[MEMBERS];
	int err;

	member_attrs(attrs);
	attrs[foreign].type = PERF_TYPE_SOFTWARE;
	attrs[foreign].config = PERF_COUNT_SW_CPU_CLOCK;
	err = open_members(f, attrs, -1, GROUP_CPU);
	return err ?: enable_it(f);
}

TEST(members_move_up_when_one_of_another_PMU_is_closed)
{
	struct fixture f;

	ASSERT_EQ(fixture_open_mixed(&f, 1), 0);
	ASSERT_EQ(test_run(f.skel->progs.too_small), 0);
	EXPECT_EQ(f.skel->bss->small_result, -ENOSPC);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->first.ret, MEMBERS - 1);
	EXPECT_EQ(f.skel->bss->first.value[1], 0);
	close_member(&f, 1);
	check_members(&f, f.fds[0], MEMBERS - 1);
}

TEST(a_closed_leader_of_another_PMU_is_gone)
{
	struct fixture f;

	ASSERT_EQ(fixture_open_mixed(&f, 0), 0);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->first.ret, MEMBERS - 1);
	close_member(&f, 0);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->first.ret, -ENOENT);
}

GROUP_TEST(counts_begin_anew_when_they_are_reset)
{
	work(100000);
	ASSERT_EQ(ioctl(f->fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP),
		  0);
	check_members(f, f->fds[0], MEMBERS);
}

/* The group of a task and of its children, with counts that stay with them */
static int fixture_open_family(struct fixture *f)
{
	struct perf_event_attr attrs[MEMBERS];
	int err;

	member_attrs(attrs);
	for (int i = 0; i < MEMBERS; i++) {
		attrs[i].inherit = 1;
		attrs[i].inherit_stat = 1;
		/* The set of system calls depends on the kernel. */
		attrs[i].exclude_kernel = 1;
	}
	err = open_members(f, attrs, 0, -1);
	return err ?: enable_it(f);
}

/* Captures as often as requested, and reports the values. */
static void capture_in_child(const struct fixture *f, int asked, int told)
{
	char c;

	while (read(asked, &c, 1) == 1)
		if (test_run(f->skel->progs.from_syscall) ||
		    write(told, &f->skel->bss->first, sizeof(struct result)) < 0)
			break;
	_exit(0);
}

/* Hands on what the child reports, and has no events. */
static void relay(int from, int to)
{
	struct result r;

	while (read(from, &r, sizeof(r)) == sizeof(r))
		if (write(to, &r, sizeof(r)) < 0)
			break;
	_exit(0);
}

struct family {
	int ask[2], report[2], hear[2];
	pid_t child, relay;
};

static int start_family(struct family *family, struct fixture *f)
{
	int err;

	if (pipe2(family->ask, O_CLOEXEC) || pipe2(family->report, O_CLOEXEC) ||
	    pipe2(family->hear, O_CLOEXEC))
		return -errno;
	family->relay = fork();
	if (!family->relay)
		relay(family->report[0], family->hear[1]);
	err = fixture_open_family(f);
	if (err)
		return err;
	family->child = fork();
	if (!family->child)
		capture_in_child(f, family->ask[0], family->report[1]);
	return family->child < 0 || family->relay < 0 ? -EAGAIN : 0;
}

static void end_family(struct family *family)
{
	kill(family->child, SIGKILL);
	kill(family->relay, SIGKILL);
}

/* @hear: where the reports of the child arrive */
static void check_counts_stay(struct fixture *f, int ask, int hear)
{
	struct result *mine, its;

	for (int i = 0; i < 10; i++) {
		work(WORK);
		ASSERT_EQ(write(ask, "", 1), 1);
		ASSERT_EQ(read(hear, &its, sizeof(its)), sizeof(its));
		EXPECT_EQ(its.ret, MEMBERS);
		EXPECT_LT(its.value[1], WORK);
		ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
		mine = &f->skel->bss->first;
		EXPECT_EQ(mine->ret, MEMBERS);
		EXPECT_GT(mine->value[1], (i + 1) * WORK);
	}
	ktap_note("%llu instructions of mine, %llu of the child",
		  mine->value[1], its.value[1]);
}

/*
 * Tasks that follow each other on a CPU and inherited the same events exchange
 * them, and perf core exchanges the counts back.
 */
TEST(counts_stay_with_their_task)
{
	struct family family;
	struct fixture f;

	ASSERT_EQ(start_family(&family, &f), 0);
	kill(family.relay, SIGSTOP);
	check_counts_stay(&f, family.ask[1], family.report[0]);
	end_family(&family);
}

/* The exchange is in one direction only: the relay runs between child and us. */
TEST(counts_stay_if_another_task_runs_between)
{
	struct family family;
	struct fixture f;

	pin_to(GROUP_CPU);
	ASSERT_EQ(start_family(&family, &f), 0);
	check_counts_stay(&f, family.ask[1], family.hear[0]);
	end_family(&family);
}

/* The counts are those of the task, on any CPU. */
TEST(a_group_of_a_task_is_captured_in_it)
{
	struct fixture f;

	ASSERT_EQ(load_programs(&f), 0);
	ASSERT_EQ(open_group(events, MEMBERS, 0, -1, f.fds), 0);
	ASSERT_EQ(enable_it(&f), 0);
	check_capture(&f);
}

/* The same group, led by a stream */
static int fixture_open_stream(struct fixture *f, uint64_t config,
			       uint64_t period)
{
	struct perf_event_attr attrs[MEMBERS];

	member_attrs(attrs);
	attrs[0].config |= config;
	attrs[0].sample_period = period;
	return open_members(f, attrs, -1, GROUP_CPU);
}

/* Its counters count from open, the group from enable. */
TEST(a_group_led_by_a_stream_is_captured)
{
	struct fixture f;

	ASSERT_EQ(fixture_open_stream(&f, PMSCOPE_SNAPSHOT_REQUEST, 1), 0);
	work(100000);
	ASSERT_EQ(enable_it(&f), 0);
	check_capture(&f);
}

/* perf core stops the leader, and starts it again. */
TEST(a_stream_with_another_period_is_captured)
{
	uint64_t period = 1000 * 1000 * 1000;
	struct fixture f;

	ASSERT_EQ(fixture_open_stream(&f, 0, period), 0);
	ASSERT_EQ(enable_it(&f), 0);
	for (int i = 0; i < TRIES; i++)
		ASSERT_EQ(ioctl(f.fds[0], PERF_EVENT_IOC_PERIOD, &period), 0);
	check_members(&f, f.fds[0], MEMBERS);
}

/*
 * When arm_pmu takes a counter off the CPU, the counter is off but still has
 * its number when the program runs. The counters of a task go at each nap.
 */
TEST(a_counter_that_stops_is_refused)
{
	struct group_value after;
	struct fixture f;

	ASSERT_EQ(load_programs(&f), 0);
	ASSERT_EQ(open_group(events, MEMBERS, 0, -1, f.fds), 0);
	f.link = bpf_program__attach(f.skel->progs.from_update);
	ASSERT_TRUE(f.link);
	ASSERT_EQ(enable_it(&f), 0);
	for (int i = 0; i < TRIES && !f.skel->bss->refused; i++)
		let_others_run();
	bpf_link__destroy(f.link);
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &after));
	EXPECT_GT(f.skel->bss->refused, 0);
	EXPECT_EQ(f.skel->bss->torn, 0);
}
