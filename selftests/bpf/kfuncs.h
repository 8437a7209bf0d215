/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the BPF programs of the kfuncs test and its user-space half. */
#pragma once

#include <linux/types.h>

#define MEMBERS 6
#define GROUP_CPU 0
/* The first two words of struct pmscope_captured */
#define PART 16

enum source {
	KPROBE,
	KRETPROBE,
	FENTRY,
	TP_BTF,
	TRACEPOINT,
	PERF_EVENT,
	UPROBE,
	NR_SOURCES
};

struct result {
	__u64 calls;
	__s64 ret;
	__u64 value[MEMBERS];
};
