// SPDX-License-Identifier: GPL-2.0
/* Programs that have streams make records: once, and at each task switch. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "kfuncs.h"

extern int bpf_pmscope_request(__u64 cookie) __ksym;

__u64 cookie;
int streams;
__u64 calls, taken;

SEC("syscall") int from_syscall(void *ctx)
{
	streams = bpf_pmscope_request(cookie);
	return 0;
}

SEC("tp_btf/sched_switch") int at_switch(void *ctx)
{
	int ret;

	if (bpf_get_smp_processor_id() != GROUP_CPU)
		return 0;
	ret = bpf_pmscope_request(++calls);
	if (ret > 0)
		taken += ret;
	return 0;
}

/* Called by arm_pmu for each counter that it takes off the CPU. */
SEC("fentry/perf_event_update_userpage") int at_update(void *ctx)
{
	bpf_pmscope_request(++calls);
	return 0;
}

char _license[] SEC("license") = "GPL";
