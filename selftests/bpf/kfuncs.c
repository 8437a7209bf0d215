// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kfuncs: captures from every type of BPF program that may call them, of
 * counts that lie between two read(2) of the same group.
 */
#include "kfuncs.h"
#include "ktap.h"
#include "programs.h"
#include "../snapshot/events.h"

#include <sys/wait.h>
#include <linux/pmscope.h>

#include "kfuncs.skel.h"

/* Of what has a program called */
#define TRIES 1000

/* Turns, each of some instructions, and more than a task does beside them */
#define WORK 1000000

static const uint64_t events[MEMBERS] = {CPU_CYCLES,   INST_RETIRED,
					 CPU_CYCLES,   INST_RETIRED,
					 INST_RETIRED, CPU_CYCLES};

struct fixture {
	struct kfuncs_bpf *skel;
	struct bpf_link *link;
	int fds[MEMBERS];
};

static int load_programs(struct fixture *f)
{
	pin_to(GROUP_CPU);
	f->link = NULL;
	f->skel = kfuncs_bpf__open_and_load();
	return f->skel ? 0 : -errno;
}

/* The programs get the group's id. */
static int enable_it(struct fixture *f)
{
	uint64_t id = 0;

	if (ioctl(f->fds[0], PERF_EVENT_IOC_ID, &id))
		return -errno;
	f->skel->bss->group = id;
	return enable_group(f->fds[0]);
}

static int fixture_open(struct fixture *f)
{
	int err = load_programs(f);

	if (err)
		return err;
	if (open_group(events, MEMBERS, -1, GROUP_CPU, f->fds))
		return -EBUSY;
	return enable_it(f);
}

/* The same group, led by a stream. */
static int fixture_open_stream(struct fixture *f, uint64_t config,
			       uint64_t period)
{
	int err = load_programs(f);

	for (int i = 0; i < MEMBERS && !err; i++) {
		struct perf_event_attr attr = snapshot_attr(events[i]);

		if (!i) {
			attr.config |= config;
			attr.sample_period = period;
			attr.disabled = 1;
		}
		f->fds[i] = open_event(&attr, -1, GROUP_CPU,
				       i ? f->fds[0] : -1);
		err = f->fds[i] < 0 ? f->fds[i] : 0;
	}
	return err;
}

static void fixture_close(struct fixture *f)
{
	bpf_link__destroy(f->link);
	kfuncs_bpf__destroy(f->skel);
	close_group(f->fds, MEMBERS);
}

/* All members are of one instant, between the two reads. */
static void check_between(const struct group_value *before,
			  const struct result *result,
			  const struct group_value *after)
{
	ASSERT_EQ(result->ret, MEMBERS);
	for (int i = 0; i < MEMBERS; i++) {
		EXPECT_GE(result->value[i], before->value[i]);
		EXPECT_LE(result->value[i], after->value[i]);
	}
	EXPECT_EQ(result->value[0], result->value[2]);
	EXPECT_EQ(result->value[0], result->value[5]);
	EXPECT_EQ(result->value[1], result->value[3]);
	EXPECT_EQ(result->value[1], result->value[4]);
}

static void check_source(enum source source, const char *program,
			 void (*trigger)(void))
{
	struct group_value before, after;
	struct fixture f;
	struct result *result;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	result = &f.skel->bss->results[source];
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &before));
	f.link = bpf_program__attach(
		bpf_object__find_program_by_name(f.skel->obj, program));
	ASSERT_TRUE(f.link);
	/* A nap may end before the task has left the CPU. */
	for (int i = 0; i < TRIES && !__atomic_load_n(&result->calls,
						      __ATOMIC_ACQUIRE);
	     i++)
		trigger();
	bpf_link__destroy(f.link);
	f.link = NULL;
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &after));
	EXPECT_GT(result->calls, 0);
	check_between(&before, result, &after);
	fixture_close(&f);
}

static void call_getppid(void)
{
	syscall(__NR_getppid);
}

static void let_others_run(void)
{
	usleep(1000);
}

/* What the program of a system call captures is between two reads. */
static void check_capture(struct fixture *f)
{
	struct group_value before, after;

	ASSERT_TRUE(read_group(f->fds[0], MEMBERS, &before));
	ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
	ASSERT_TRUE(read_group(f->fds[0], MEMBERS, &after));
	check_between(&before, &f->skel->bss->first, &after);
}

TEST(syscall_programs_capture)
{
	struct group_value before, after;
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &before));
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &after));
	check_between(&before, &f.skel->bss->first, &after);
	check_between(&before, &f.skel->bss->second, &after);
	EXPECT_GT(f.skel->bss->second.value[1], f.skel->bss->first.value[1]);
	ktap_note("%llu instructions from capture to capture",
		  f.skel->bss->second.value[1] - f.skel->bss->first.value[1]);
	fixture_close(&f);
}

TEST(kprobes_capture)
{
	check_source(KPROBE, "from_kprobe", call_getppid);
}

TEST(kretprobes_capture)
{
	check_source(KRETPROBE, "from_kretprobe", call_getppid);
}

TEST(fentry_programs_capture)
{
	check_source(FENTRY, "from_fentry", call_getppid);
}

TEST(btf_tracepoints_capture)
{
	check_source(TP_BTF, "from_tp_btf", let_others_run);
}

TEST(tracepoints_capture)
{
	if (access("/sys/kernel/tracing/events/syscalls/sys_enter_getppid",
		   F_OK))
		SKIP("no tracepoints of system calls here");
	check_source(TRACEPOINT, "from_tracepoint", call_getppid);
}

__attribute__((noinline)) static void probed(void)
{
	__asm__ volatile("" ::: "memory");
}

TEST(uprobes_capture)
{
	struct group_value before, after;
	struct fixture f;
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = "probed");

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	f.link = bpf_program__attach_uprobe_opts(f.skel->progs.from_uprobe, 0,
						 "/proc/self/exe", 0, &opts);
	ASSERT_TRUE(f.link);
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &before));
	probed();
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &after));
	EXPECT_EQ(f.skel->bss->results[UPROBE].calls, 1);
	check_between(&before, &f.skel->bss->results[UPROBE], &after);
	fixture_close(&f);
}

/* A clock event whose every overflow runs the program. */
TEST(perf_event_programs_capture)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 100000,
	};
	struct group_value before, after;
	volatile struct result *result;
	struct fixture f;
	int clock;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	result = &f.skel->bss->results[PERF_EVENT];
	clock = open_event(&attr, 0, -1, -1);
	ASSERT_GE(clock, 0);
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &before));
	f.link = bpf_program__attach_perf_event(f.skel->progs.from_perf_event,
						clock);
	ASSERT_TRUE(f.link);
	while (!result->calls)
		work(1000);
	/* Closes the event, too. */
	bpf_link__destroy(f.link);
	f.link = NULL;
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &after));
	check_between(&before, &f.skel->bss->results[PERF_EVENT], &after);
	fixture_close(&f);
}

TEST(no_probe_gets_inside_of_a_capture)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	libbpf_set_print(NULL);
	f.link = bpf_program__attach(f.skel->progs.from_within);
	EXPECT_FALSE(f.link);
	fixture_close(&f);
}

TEST(the_last_capture_is_told_raw)
{
	struct pmscope_captured *captured;
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	captured = &f.skel->bss->captured;
	ASSERT_EQ(f.skel->bss->captured_result, 0);
	EXPECT_GE(captured->number, 2);
	EXPECT_GE(__builtin_popcountll(captured->counters), MEMBERS);
	EXPECT_TRUE(captured->backend == 1 || captured->backend == 2);
	fixture_close(&f);
}

TEST(an_unknown_group_is_refused)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	f.skel->bss->group = ~0ULL;
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->first.ret, -ENOENT);
	fixture_close(&f);
}

TEST(a_disabled_group_is_refused)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	ASSERT_EQ(disable_group(f.fds[0]), 0);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->first.ret, -ENOENT);
	fixture_close(&f);
}

/* Its members go on, each for itself; what a CPU knows of them ends with them. */
TEST(a_group_whose_leader_is_closed_first_is_gone)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	for (int turn = 0; turn < 2 * MAX_GROUP / MEMBERS; turn++) {
		for (int i = 0; i < MEMBERS; i++)
			close(f.fds[i]);
		ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
		EXPECT_EQ(f.skel->bss->first.ret, -ENOENT);
		ASSERT_EQ(open_group(events, MEMBERS, -1, GROUP_CPU, f.fds), 0);
		ASSERT_EQ(enable_it(&f), 0);
	}
	check_capture(&f);
	fixture_close(&f);
}

/* As many values as members, each between two reads. */
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

TEST(members_move_up_when_one_is_closed)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	close_member(&f, 2);
	check_members(&f, f.fds[0], MEMBERS - 1);
	ASSERT_EQ(test_run(f.skel->progs.too_small), 0);
	EXPECT_EQ(f.skel->bss->small_result, MEMBERS - 1);
	close_member(&f, MEMBERS - 1);
	check_members(&f, f.fds[0], MEMBERS - 2);
	fixture_close(&f);
}

TEST(members_of_a_closed_leader_lead_themselves)
{
	struct fixture f;
	uint64_t id = 0;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	close_member(&f, 0);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->first.ret, -ENOENT);
	for (int i = 1; i < MEMBERS; i++) {
		ASSERT_EQ(ioctl(f.fds[i], PERF_EVENT_IOC_ID, &id), 0);
		f.skel->bss->group = id;
		check_members(&f, f.fds[i], 1);
	}
	fixture_close(&f);
}

/* The member at @foreign is of another PMU. */
static int fixture_open_mixed(struct fixture *f, int foreign)
{
	int err = load_programs(f);

	for (int i = 0; i < MEMBERS && !err; i++) {
		struct perf_event_attr attr = snapshot_attr(events[i]);

		if (i == foreign) {
			attr.type = PERF_TYPE_SOFTWARE;
			attr.config = PERF_COUNT_SW_CPU_CLOCK;
		}
		attr.disabled = !i;
		f->fds[i] = open_event(&attr, -1, GROUP_CPU,
				       i ? f->fds[0] : -1);
		err = f->fds[i] < 0 ? f->fds[i] : 0;
	}
	return err ?: enable_it(f);
}

TEST(members_move_up_when_one_of_another_PMU_is_closed)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open_mixed(&f, 1), 0);
	ASSERT_EQ(test_run(f.skel->progs.too_small), 0);
	EXPECT_EQ(f.skel->bss->small_result, -ENOSPC);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->first.ret, MEMBERS - 1);
	EXPECT_EQ(f.skel->bss->first.value[1], 0);
	close_member(&f, 1);
	check_members(&f, f.fds[0], MEMBERS - 1);
	fixture_close(&f);
}

TEST(a_closed_leader_of_another_PMU_is_gone)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open_mixed(&f, 0), 0);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->first.ret, MEMBERS - 1);
	close_member(&f, 0);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->first.ret, -ENOENT);
	fixture_close(&f);
}

TEST(counts_begin_anew_when_they_are_reset)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	work(100000);
	ASSERT_EQ(ioctl(f.fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP),
		  0);
	check_members(&f, f.fds[0], MEMBERS);
	fixture_close(&f);
}

/* The group of a task and of its children, with counts that stay with them */
static int fixture_open_family(struct fixture *f)
{
	int err = load_programs(f);

	for (int i = 0; i < MEMBERS && !err; i++) {
		struct perf_event_attr attr = snapshot_attr(events[i]);

		attr.disabled = !i;
		attr.inherit = 1;
		attr.inherit_stat = 1;
		/* What system calls take depends on the kernel. */
		attr.exclude_kernel = 1;
		f->fds[i] = open_event(&attr, 0, -1, i ? f->fds[0] : -1);
		err = f->fds[i] < 0 ? f->fds[i] : 0;
	}
	return err ?: enable_it(f);
}

/* Captures as often as it is asked to, and tells what it got. */
static void capture_in_child(const struct fixture *f, int asked, int told)
{
	char c;

	while (read(asked, &c, 1) == 1)
		if (test_run(f->skel->progs.from_syscall) ||
		    write(told, &f->skel->bss->first, sizeof(struct result)) < 0)
			break;
	_exit(0);
}

static pid_t start_child(const struct fixture *f, int *ask, int *hear)
{
	int down[2], up[2];
	pid_t child;

	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC))
		return -1;
	child = fork();
	if (!child) {
		close(down[1]);
		capture_in_child(f, down[0], up[1]);
	}
	*ask = down[1];
	*hear = up[0];
	return child;
}

/*
 * Tasks that follow each other on a CPU and inherited the same events exchange
 * them, and perf core exchanges the counts back.
 */
TEST(counts_stay_with_their_task)
{
	struct result *mine, its;
	struct fixture f;
	int ask, hear;
	pid_t child;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open_family(&f), 0);
	child = start_child(&f, &ask, &hear);
	ASSERT_GT(child, 0);
	for (int i = 0; i < 10; i++) {
		work(WORK);
		ASSERT_EQ(write(ask, "", 1), 1);
		ASSERT_EQ(read(hear, &its, sizeof(its)), sizeof(its));
		EXPECT_EQ(its.ret, MEMBERS);
		EXPECT_LT(its.value[1], WORK);
		ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
		mine = &f.skel->bss->first;
		EXPECT_EQ(mine->ret, MEMBERS);
		EXPECT_GT(mine->value[1], (i + 1) * WORK);
	}
	ktap_note("%llu instructions of mine, %llu of the child",
		  mine->value[1], its.value[1]);
	close(ask);
	waitpid(child, NULL, 0);
	fixture_close(&f);
}

TEST(too_little_room_is_refused)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	ASSERT_EQ(test_run(f.skel->progs.too_small), 0);
	EXPECT_EQ(f.skel->bss->small_result, -ENOSPC);
	fixture_close(&f);
}

/* Its counts are those of the task, wherever it runs. */
TEST(a_group_of_a_task_is_captured_in_it)
{
	struct fixture f;
	uint64_t id = 0;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open(&f), 0);
	close_group(f.fds, MEMBERS);
	ASSERT_EQ(open_group(events, MEMBERS, 0, -1, f.fds), 0);
	ASSERT_EQ(ioctl(f.fds[0], PERF_EVENT_IOC_ID, &id), 0);
	f.skel->bss->group = id;
	ASSERT_EQ(enable_group(f.fds[0]), 0);
	check_capture(&f);
	fixture_close(&f);
}

/* Its counters count from when it is opened, the group from when it is enabled. */
TEST(a_group_led_by_a_stream_is_captured)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open_stream(&f, PMSCOPE_SNAPSHOT_REQUEST, 1), 0);
	work(100000);
	ASSERT_EQ(enable_it(&f), 0);
	check_capture(&f);
	fixture_close(&f);
}

/* perf core stops the leader, and starts it again. */
TEST(a_stream_with_another_period_is_captured)
{
	uint64_t period = 1000 * 1000 * 1000;
	struct group_value before, after;
	struct result *first;
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(fixture_open_stream(&f, 0, period), 0);
	ASSERT_EQ(enable_it(&f), 0);
	for (int i = 0; i < TRIES; i++)
		ASSERT_EQ(ioctl(f.fds[0], PERF_EVENT_IOC_PERIOD, &period), 0);
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &before));
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &after));
	first = &f.skel->bss->first;
	ASSERT_EQ(first->ret, MEMBERS);
	for (int i = 0; i < MEMBERS; i++) {
		EXPECT_GE(first->value[i], before.value[i]);
		EXPECT_LE(first->value[i], after.value[i]);
	}
	fixture_close(&f);
}

/*
 * Where arm_pmu takes a counter off the CPU, it is off and still has its number
 * when the program comes.  The counters of a task go at each nap.
 */
TEST(a_counter_that_stops_is_refused)
{
	struct group_value after;
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(load_programs(&f), 0);
	ASSERT_EQ(open_group(events, MEMBERS, 0, -1, f.fds), 0);
	f.link = bpf_program__attach(f.skel->progs.from_update);
	ASSERT_TRUE(f.link);
	ASSERT_EQ(enable_it(&f), 0);
	for (int i = 0; i < TRIES && !f.skel->bss->refused; i++)
		let_others_run();
	bpf_link__destroy(f.link);
	f.link = NULL;
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &after));
	EXPECT_GT(f.skel->bss->refused, 0);
	EXPECT_EQ(f.skel->bss->torn, 0);
	fixture_close(&f);
}

/* 6.1 has no such kfuncs: the programs must not load, and say what is missing */
TEST(old_kernels_refuse_the_programs)
{
	struct kfuncs_bpf *skel;

	NEED_SNAPSHOT();
	if (kernel_can())
		SKIP("this kernel can");
	libbpf_set_print(NULL);
	skel = kfuncs_bpf__open_and_load();
	EXPECT_FALSE(skel);
	kfuncs_bpf__destroy(skel);
}

KTAP_MAIN
