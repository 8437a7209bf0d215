// SPDX-License-Identifier: GPL-2.0
/* Takes one of the places that a kernel function has for programs. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("fentry/__arm64_sys_sched_yield") int stand_there(void *ctx)
{
	return 0;
}

char _license[] SEC("license") = "GPL";
