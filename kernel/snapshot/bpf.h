/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Captures for BPF programs.
 */
#ifndef PMSCOPE_BPF_H
#define PMSCOPE_BPF_H

#include "compat.h"

#include <linux/types.h>

struct perf_event;
struct pmscope_captured;

#ifdef PMSCOPE_KFUNCS

int snap_bpf_init(unsigned int (*request)(u64 cookie));
void snap_bpf_exit(void);
void snap_bpf_add(struct perf_event *event, struct perf_event *counter);
void snap_bpf_del(const struct perf_event *event);

/* kfuncs */
int bpf_pmscope_capture(u64 group, u64 *values, u32 values__sz);
int bpf_pmscope_captured(struct pmscope_captured *captured, u32 captured__sz);
int bpf_pmscope_request(u64 cookie);

#else

static inline int snap_bpf_init(unsigned int (*request)(u64 cookie))
{
	return 0;
}

static inline void snap_bpf_exit(void)
{
}

static inline void snap_bpf_add(struct perf_event *event,
				struct perf_event *counter)
{
}

static inline void snap_bpf_del(const struct perf_event *event)
{
}

#endif

#endif /* PMSCOPE_BPF_H */
