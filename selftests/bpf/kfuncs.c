// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kfuncs: captures from every type of BPF program that may call them, of
 * counts that lie between two read(2) of the same group.
 */
#include "captures.h"
#include "nobody.h"

#include <bpf/btf.h>

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
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &after));
	EXPECT_GT(result->calls, 0);
	check_between(&before, result, &after);
}

static void call_getppid(void)
{
	syscall(__NR_getppid);
}

GROUP_TEST(syscall_programs_capture)
{
	struct group_value before, after;

	ASSERT_TRUE(read_group(f->fds[0], MEMBERS, &before));
	ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
	ASSERT_TRUE(read_group(f->fds[0], MEMBERS, &after));
	check_between(&before, &f->skel->bss->first, &after);
	check_between(&before, &f->skel->bss->second, &after);
	EXPECT_GT(f->skel->bss->second.value[1], f->skel->bss->first.value[1]);
	ktap_note("%llu instructions from capture to capture",
		  f->skel->bss->second.value[1] - f->skel->bss->first.value[1]);
}

CASE(kprobes_capture, check_source(KPROBE, "from_kprobe", call_getppid));
CASE(kretprobes_capture, check_source(KRETPROBE, "from_kretprobe", call_getppid));
CASE(fentry_programs_capture, check_source(FENTRY, "from_fentry", call_getppid));
CASE(btf_tracepoints_capture, check_source(TP_BTF, "from_tp_btf", let_others_run));

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
}

/* A clock event whose every overflow runs the program. */
TEST(perf_event_programs_capture)
{
	struct perf_event_attr attr =
		event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct group_value before, after;
	volatile struct result *result;
	struct fixture f;
	int clock;

	attr.sample_period = 100000;
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
	ASSERT_TRUE(read_group(f.fds[0], MEMBERS, &after));
	check_between(&before, &f.skel->bss->results[PERF_EVENT], &after);
}

GROUP_TEST(no_probe_gets_inside_of_a_capture)
{
	libbpf_set_print(NULL);
	f->link = bpf_program__attach(f->skel->progs.from_within);
	EXPECT_FALSE(f->link);
}

GROUP_TEST(the_last_capture_is_available_raw)
{
	struct pmscope_captured *captured, *part;

	ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
	captured = &f->skel->bss->captured;
	ASSERT_EQ(f->skel->bss->captured_result, 0);
	EXPECT_GE(captured->number, 2);
	EXPECT_GE(__builtin_popcountll(captured->counters), MEMBERS);
	EXPECT_TRUE(captured->backend == 1 || captured->backend == 2);
	part = &f->skel->bss->part;
	ASSERT_EQ(f->skel->bss->part_result, 0);
	EXPECT_EQ(part->number, captured->number);
	EXPECT_EQ(part->counters, captured->counters);
	for (size_t i = PART; i < sizeof(*part); i++)
		EXPECT_EQ(((unsigned char *)part)[i], 0);
}

/* No other test's program captures the last CPU, if there are two. */
TEST(no_capture_is_available_where_none_was)
{
	struct fixture f;

	NEED_KFUNCS();
	ASSERT_EQ(load_programs(&f), 0);
	pin_to(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	ASSERT_EQ(test_run(f.skel->progs.from_syscall), 0);
	EXPECT_EQ(f.skel->bss->captured_result,
		  f.skel->bss->captured.number ? 0 : -ENODATA);
}

GROUP_TEST(an_unknown_group_is_refused)
{
	f->skel->bss->group = ~0ULL;
	ASSERT_EQ(test_run(f->skel->progs.from_syscall), 0);
	EXPECT_EQ(f->skel->bss->first.ret, -ENOENT);
}

GROUP_TEST(too_little_room_is_refused)
{
	ASSERT_EQ(test_run(f->skel->progs.too_small), 0);
	EXPECT_EQ(f->skel->bss->small_result, -ENOSPC);
}

/* The descriptor of the module's BTF, which takes CAP_SYS_ADMIN, or -1 */
static int open_module_btf(void)
{
	char name[64];
	__u32 id = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		struct bpf_btf_info info = {.name = (uintptr_t)name,
					    .name_len = sizeof(name)};
		__u32 size = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (!bpf_obj_get_info_by_fd(fd, &info, &size) &&
		    !strcmp(name, "pmscope"))
			return fd;
		close(fd);
	}
	return -1;
}

/* Loads a syscall program that calls @function of @btf; 0 or an errno. */
static int load_caller(int btf, int function, uint64_t capabilities)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1},
		{.code = BPF_JMP | BPF_CALL,
		 .src_reg = BPF_PSEUDO_KFUNC_CALL,
		 .off = 1,
		 .imm = function},
		{.code = BPF_JMP | BPF_EXIT},
	};
	const int fds[] = {-1, btf};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .fd_array = fds,
		    .prog_flags = BPF_F_SLEEPABLE);
	int status = -1;
	pid_t pid = fork();

	if (!pid && become_nobody(capabilities))
		_exit(255);
	if (!pid)
		_exit(bpf_prog_load(BPF_PROG_TYPE_SYSCALL, NULL, "GPL", insns,
				    3, &opts) < 0 ? errno : 0);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/*
 * CAP_BPF is enough to load and run one; a daemon with more rights may hand out
 * the descriptor.
 */
TEST(syscall_programs_take_CAP_PERFMON)
{
	struct btf *kernel, *module;
	int btf, function;

	NEED_KFUNCS();
	if (getuid())
		SKIP("needs root");
	kernel = btf__load_vmlinux_btf();
	module = btf__load_module_btf("pmscope", kernel);
	ASSERT_TRUE(module);
	function = btf__find_by_name_kind(module, "bpf_pmscope_request",
					  BTF_KIND_FUNC);
	btf = open_module_btf();
	ASSERT_GE(btf, 0);
	EXPECT_EQ(load_caller(btf, function, KEEP_BPF | KEEP_PERFMON), 0);
	EXPECT_EQ(load_caller(btf, function, KEEP_BPF), EACCES);
}

/*
 * 6.1 has no such kfuncs: the programs must fail to load, and name what is
 * missing
 */
TEST(old_kernels_refuse_the_programs)
{
	NEED_SNAPSHOT();
	if (kernel_can())
		SKIP("this kernel can");
	libbpf_set_print(NULL);
	EXPECT_FALSE(kfuncs_bpf__open_and_load());
}
