/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams: pmu_snapshot events that write a record at each trigger.
 */
#ifndef PMSCOPE_SNAPSHOT_STREAM_H
#define PMSCOPE_SNAPSHOT_STREAM_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct task_struct;

/* For the SPE interrupt */

/**
 * struct pmscope_spe_window - SPE data up to a management event
 * @task: task of the SPE event, NULL for a per-CPU event
 * @owner: effective user of the task that opened it
 * @sees_all: opened with CAP_PERFMON
 * @pmbsr: PMBSR_EL1
 * @pmbptr: PMBPTR_EL1
 * @aux_offset: offset in the AUX area, as in PERF_RECORD_AUX
 * @aux_size: size in bytes
 * @frozen: the counters stopped at the event and have not run since
 */
struct pmscope_spe_window {
	const struct task_struct *task;
	kuid_t owner;
	bool sees_all;
	u64 pmbsr;
	u64 pmbptr;
	u64 aux_offset;
	u64 aux_size;
	bool frozen;
};

bool pmscope_streams_run(void);
void pmscope_stream_spe(const struct pmscope_spe_window *window);

#endif /* PMSCOPE_SNAPSHOT_STREAM_H */
