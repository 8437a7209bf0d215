/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams: pmu_snapshot events that write a record at each trigger.
 */
#ifndef PMSCOPE_SNAPSHOT_STREAM_H
#define PMSCOPE_SNAPSHOT_STREAM_H

#include "capture.h"

#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * struct pmscope_spe_window - SPE data that a management event closes
 * @task: that the SPE event is of, NULL for one of a CPU
 * @pmbsr: PMBSR_EL1
 * @pmbptr: PMBPTR_EL1
 * @aux_offset: where it starts in the AUX area, as in PERF_RECORD_AUX
 * @aux_size: how much it is
 * @frozen: the counters stopped at the event and have not run since
 */
struct pmscope_spe_window {
	const struct task_struct *task;
	u64 pmbsr;
	u64 pmbptr;
	u64 aux_offset;
	u64 aux_size;
	bool frozen;
};

/* For the SPE interrupt and for BPF programs: snapshot/stream.c */
bool pmscope_streams_run(void);
void pmscope_stream_spe(const struct pmscope_spe_window *window);
unsigned int pmscope_stream_request(u64 cookie);

/**
 * struct pmscope_stream_stats - records of one CPU, or of all
 * @records: written
 * @lost: dropped, there was no room or no AUX area
 * @missed: periods of timers that passed without one
 */
struct pmscope_stream_stats {
	u64 records;
	u64 lost;
	u64 missed;
};

void pmscope_stream_stats(struct pmscope_stream_stats *sum);

/* snapshot_stream_pmu.c */
enum pmscope_trigger snap_attr_trigger(const struct perf_event_attr *attr);
bool snap_attr_streams(const struct perf_event_attr *attr);
int snap_stream_check(const struct perf_event *event);
bool snap_is_stream(const struct perf_event *event);
int snap_stream_type(void);
int snap_stream_register(void);
void snap_stream_unregister(void);

/* snapshot/stream.c */
int snap_stream_create(struct perf_event *event);
void snap_stream_free(struct perf_event *event);
void snap_stream_init(void);
int snap_stream_alloc_room(void);
void snap_stream_free_room(void);
void snap_stream_start(struct perf_event *event);
void snap_stream_stop(struct perf_event *event);
void snap_stream_reload(struct perf_event *event);
void snap_stream_was_read(struct perf_event *event,
			  const struct pmscope_capture *cap);
void snap_stream_overflow(struct perf_event *counter,
			  struct perf_sample_data *data, struct pt_regs *regs);

#endif /* PMSCOPE_SNAPSHOT_STREAM_H */
