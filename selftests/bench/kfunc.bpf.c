// SPDX-License-Identifier: GPL-2.0
/*
 * Two captures of a group of six by the kfunc, back to back; and two reads of
 * the same six counters by the older helper.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define MEMBERS 6

extern int bpf_pmscope_capture(__u64 group, __u64 *values,
			       __u32 values__sz) __ksym;

__u64 group;
__u64 captured[2][MEMBERS];
__u64 helped[2];
long result;

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, MEMBERS);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

SEC("kprobe/__arm64_sys_getppid") int by_kfunc(void *ctx)
{
	__u64 first[MEMBERS] = {}, second[MEMBERS] = {};
	__u64 id = group;
	int a, b;

	a = bpf_pmscope_capture(id, first, sizeof(first));
	b = bpf_pmscope_capture(id, second, sizeof(second));
	result = a == MEMBERS ? b : a;
	for (int i = 0; i < MEMBERS; i++) {
		captured[0][i] = first[i];
		captured[1][i] = second[i];
	}
	return 0;
}

/* From one reading of the first event, across the other five, to the next. */
SEC("kprobe/__arm64_sys_getppid") int by_helper(void *ctx)
{
	struct bpf_perf_event_value value[MEMBERS + 1];

#pragma unroll
	for (int i = 0; i <= MEMBERS; i++)
		bpf_perf_event_read_value(&events, i % MEMBERS, &value[i],
					  sizeof(value[i]));
	helped[0] = value[0].counter;
	helped[1] = value[MEMBERS].counter;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
