// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of one capture of six counters in a BPF program: the kfunc, from
 * capture to capture, beside six bpf_perf_event_read_value() of armv8_pmuv3,
 * from the first to the first again. Both with the calls from the program.
 */
#include "../snapshot/events.h"
#include "bench.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kfunc.skel.h"

#define ROUNDS	200
#define MEMBERS 6

/* The first one counts instructions, for both. */
static const uint64_t events[MEMBERS] = {0x08, 0x11, 0x08, 0x08, 0x08, 0x08};

static void open_members(const char *pmu, int *fds)
{
	struct perf_event_attr attr = event_attr(bench_pmu_type(pmu), 0);
	int err = open_group_as(attr, events, MEMBERS, -1, 0, fds);

	if (err)
		bench_die(pmu, -err);
	enable_group(fds[0]);
}

/* The least of many rounds, so that interrupts do not count. */
static double least_of(const struct bpf_program *program,
		       const volatile __u64 *from,
		       const volatile __u64 *to)
{
	struct bpf_link *link = bpf_program__attach(program);
	uint64_t least = UINT64_MAX;

	if (!link)
		bench_die("kprobe", errno);
	for (int i = 0; i < ROUNDS; i++) {
		syscall(__NR_getppid);
		if (*to - *from < least)
			least = *to - *from;
	}
	bpf_link__destroy(link);
	return least;
}

static double cost_of_kfunc(struct kfunc_bpf *skel)
{
	int fds[MEMBERS];
	double cost;

	open_members("pmu_snapshot", fds);
	if (ioctl(fds[0], PERF_EVENT_IOC_ID, &skel->bss->group))
		bench_die("PERF_EVENT_IOC_ID", errno);
	cost = least_of(skel->progs.by_kfunc, &skel->bss->captured[0][0],
			&skel->bss->captured[1][0]);
	if (skel->bss->result != MEMBERS)
		bench_die("bpf_pmscope_capture", -skel->bss->result);
	close_group(fds, MEMBERS);
	return cost;
}

static double cost_of_helper(struct kfunc_bpf *skel)
{
	int map = bpf_map__fd(skel->maps.events), fds[MEMBERS];
	double cost;

	open_members(bench_core_pmu(), fds);
	for (int i = 0; i < MEMBERS; i++)
		if (bpf_map_update_elem(map, &i, &fds[i], BPF_ANY))
			bench_die("perf event array", errno);
	cost = least_of(skel->progs.by_helper, &skel->bss->helped[0],
			&skel->bss->helped[1]);
	close_group(fds, MEMBERS);
	return cost;
}

int main(void)
{
	struct kfunc_bpf *skel = kfunc_bpf__open_and_load();
	double ours, peer;

	if (!skel)
		bench_die("BPF", errno);
	pin_to(0);
	ours = cost_of_kfunc(skel);
	peer = cost_of_helper(skel);
	bench_line("capture kfunc, instructions", ours, peer, "instructions");
	kfunc_bpf__destroy(skel);
	return 0;
}
