/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams: pmu_snapshot events that write a record at each trigger.
 */
#ifndef PMSCOPE_SNAPSHOT_STREAM_H
#define PMSCOPE_SNAPSHOT_STREAM_H

#include "capture.h"

#include <linux/perf_event.h>
#include <linux/types.h>

/* For the SPE interrupt */

/**
 * struct pmscope_spe_window - SPE data up to a management event
 * @task: task of the SPE event, NULL for a per-CPU event
 * @pmbsr: PMBSR_EL1
 * @pmbptr: PMBPTR_EL1
 * @aux_offset: offset in the AUX area, as in PERF_RECORD_AUX
 * @aux_size: size in bytes
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

bool pmscope_streams_run(void);
void pmscope_stream_spe(const struct pmscope_spe_window *window);

/* For BPF programs */
unsigned int snap_stream_request(u64 cookie);

/**
 * struct snap_stream_stats - records of one CPU, or of all
 * @records: written records
 * @lost: records dropped because of a full or missing AUX area
 * @missed: timer periods without a record
 */
struct snap_stream_stats {
	u64 records;
	u64 lost;
	u64 missed;
};

void snap_stream_stats(struct snap_stream_stats *sum);

/* Opening an event that streams */
bool snap_stream_is_wanted(const struct perf_event_attr *attr);
int snap_stream_check(const struct perf_event *event);
int snap_stream_create(struct perf_event *event);
void snap_stream_free(struct perf_event *event);
void snap_stream_overflow(struct perf_event *counter,
			  struct perf_sample_data *data, struct pt_regs *regs);

/* While it runs; the last three are callbacks of its PMU */
void snap_stream_start(struct perf_event *event);
void snap_stream_stop(struct perf_event *event);
void snap_stream_reload(struct perf_event *event);
void snap_stream_was_read(struct perf_event *event,
			  const struct pmscope_capture *cap);
int snap_stream_check_period(struct perf_event *event, u64 period);
void *snap_stream_setup_aux(struct perf_event *event, void **pages,
			    int nr_pages, bool snapshot);
void snap_stream_free_aux(void *aux);

void snap_stream_init(void);
int snap_stream_alloc_room(void);
void snap_stream_free_room(void);

#endif /* PMSCOPE_SNAPSHOT_STREAM_H */
