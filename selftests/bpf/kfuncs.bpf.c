// SPDX-License-Identifier: GPL-2.0
/* A program of each type that may capture, and what each of them got. */
#include <linux/bpf.h>
#include <linux/errno.h>
#include <linux/pmscope.h>
#include <bpf/bpf_helpers.h>

#include "kfuncs.h"

extern int bpf_pmscope_capture(__u64 group, __u64 *values,
			       __u32 values__sz) __ksym;
extern int bpf_pmscope_captured(struct pmscope_captured *captured,
				__u32 captured__sz) __ksym;

__u64 group;
struct result results[NR_SOURCES];
struct result first, second;
/* Only the part of @part that it claims to have is written. */
struct pmscope_captured captured, part;
int captured_result, part_result, small_result;
__u64 refused, torn;

static __always_inline void capture_into(struct result *result)
{
	__u64 values[MEMBERS] = {};

	/* The group counts there; a program may run anywhere. */
	if (bpf_get_smp_processor_id() != GROUP_CPU)
		return;
	result->ret = bpf_pmscope_capture(group, values, sizeof(values));
	for (int i = 0; i < MEMBERS; i++)
		result->value[i] = values[i];
	result->calls++;
}

/* The two captures have nothing but the kfunc's own code between them. */
SEC("syscall") int from_syscall(void *ctx)
{
	__u64 before[MEMBERS] = {}, after[MEMBERS] = {};
	__u64 id = group;
	int ret, again;

	ret = bpf_pmscope_capture(id, before, sizeof(before));
	again = bpf_pmscope_capture(id, after, sizeof(after));
	first.ret = ret;
	second.ret = again;
	for (int i = 0; i < MEMBERS; i++) {
		first.value[i] = before[i];
		second.value[i] = after[i];
	}
	captured_result = bpf_pmscope_captured(&captured, sizeof(captured));
	part_result = bpf_pmscope_captured(&part, PART);
	return 0;
}

SEC("syscall") int too_small(void *ctx)
{
	__u64 values[MEMBERS - 1] = {};

	small_result = bpf_pmscope_capture(group, values, sizeof(values));
	return 0;
}

SEC("kprobe/__arm64_sys_getppid") int from_kprobe(void *ctx)
{
	capture_into(&results[KPROBE]);
	return 0;
}

SEC("kretprobe/__arm64_sys_getppid") int from_kretprobe(void *ctx)
{
	capture_into(&results[KRETPROBE]);
	return 0;
}

SEC("fentry/__arm64_sys_getppid") int from_fentry(void *ctx)
{
	capture_into(&results[FENTRY]);
	return 0;
}

SEC("tp_btf/sched_switch") int from_tp_btf(void *ctx)
{
	capture_into(&results[TP_BTF]);
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_getppid") int from_tracepoint(void *ctx)
{
	capture_into(&results[TRACEPOINT]);
	return 0;
}

SEC("perf_event") int from_perf_event(void *ctx)
{
	capture_into(&results[PERF_EVENT]);
	return 0;
}

SEC("uprobe") int from_uprobe(void *ctx)
{
	capture_into(&results[UPROBE]);
	return 0;
}

/* Called by arm_pmu for each counter that it takes off the CPU. */
SEC("fentry/perf_event_update_userpage") int from_update(void *ctx)
{
	__u64 values[MEMBERS] = {};
	int ret;

	if (bpf_get_smp_processor_id() != GROUP_CPU)
		return 0;
	ret = bpf_pmscope_capture(group, values, sizeof(values));
	if (ret == -EAGAIN)
		refused++;
	if (ret == MEMBERS &&
	    (values[0] != values[2] || values[1] != values[3]))
		torn++;
	return 0;
}

/*
 * On a function that the kfunc calls: this would be a capture inside a capture.
 */
SEC("kprobe/pmscope_capture_masked") int from_within(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
