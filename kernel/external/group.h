/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The private data of a pmu_external event, and its group: one capture serves all
 * members.
 */
#ifndef PMSCOPE_EXTERNAL_GROUP_H
#define PMSCOPE_EXTERNAL_GROUP_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct ext_capture;
struct snap_backing;
struct snap_stream;

/**
 * struct ext_event - private data of a perf event
 * @backing: its counter
 * @cpu: the CPU that is watched
 * @idx: hw.idx of the counter while that is on its CPU, or -1
 * @raw: its hw.prev_count
 * @folded: its count up to @raw
 * @total: what the counter had counted at the last capture of the group
 * @valid: @total is of that capture
 * @based: hw.prev_count is a total; else the first capture sets it
 * @stood: the time for which the count stood still, because captures failed
 * @ran: event->total_time_running at the last fold
 * @stream: where its records go; NULL for an event that only counts
 */
struct ext_event {
	struct snap_backing *backing;
	int cpu;
	int idx;
	u64 raw;
	u64 folded;
	u64 total;
	bool valid;
	bool based;
	u64 stood;
	u64 ran;
	struct snap_stream *stream;
};

static inline struct ext_event *to_ext(const struct perf_event *event)
{
	return event->pmu_private;
}

static inline bool ext_is_stopped(const struct perf_event *event)
{
	return event->hw.state & PERF_HES_STOPPED;
}

bool ext_is_ours(const struct perf_event *event);
void ext_fold(struct perf_event *event);
int ext_fold_all(struct perf_event *leader, struct ext_capture *cap);
void ext_group_set_ops(struct pmu *pmu);

#endif /* PMSCOPE_EXTERNAL_GROUP_H */
