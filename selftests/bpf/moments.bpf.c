// SPDX-License-Identifier: GPL-2.0-or-later
/* An event is read at moments when perf core is about to change it. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

__u64 reads;

static void read_event(void)
{
	struct bpf_perf_event_value value;

	bpf_perf_event_read_value(&events, 0, &value, sizeof(value));
	reads++;
}

/* Its hardware counter is gone; perf core has not noticed yet. */
SEC("fexit/armpmu_del")
int BPF_PROG(behind_del)
{
	read_event();
	return 0;
}

/* The event was never scheduled in. */
SEC("fentry/snap_add")
int BPF_PROG(before_add)
{
	read_event();
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
