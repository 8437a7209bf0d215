/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private data of a pmu_snapshot event, shared by all files of pmu_snapshot.
 */
#ifndef PMSCOPE_SNAPSHOT_EVENT_H
#define PMSCOPE_SNAPSHOT_EVENT_H

#include <linux/perf_event.h>
#include <linux/pmscope.h>
#include <linux/types.h>

struct snap_backing;
struct snap_stream;

/**
 * struct snap_event - private data of a perf event
 * @backing: its counters, or those of the event it was inherited from
 * @counter: the backing counter, while the event is scheduled in and has one
 * @served: generation of the last capture it took
 * @tstamp: event->tstamp at its last read or start
 * @before: hw.prev_count before the last fold
 * @ran: event->total_time_running at the last fold
 * @ran_before: the same at the fold before that
 * @error: its group has lost a counter and no longer counts
 * @stream: where its records go; NULL for an event that only counts
 */
struct snap_event {
	struct snap_backing *backing;
	struct perf_event *counter;
	u64 served;
	u64 tstamp;
	u64 before;
	u64 ran;
	u64 ran_before;
	bool error;
	struct snap_stream *stream;
};

static inline struct snap_event *to_snap(const struct perf_event *event)
{
	return event->pmu_private;
}

/* The id that PERF_EVENT_IOC_ID returns: a child has that of its parent. */
static inline u64 snap_primary_id(const struct perf_event *event)
{
	return event->parent ? event->parent->id : event->id;
}

/* pmu_snapshot, and pmscope_stream for its events that stream */
extern struct pmu *snap_counting_pmu, *snap_streaming_pmu;

/* Is this event of pmu_snapshot, or does it stream? */
static inline bool snap_event_is_ours(const struct perf_event *event)
{
	return event->pmu == snap_counting_pmu ||
	       event->pmu == snap_streaming_pmu;
}

/* Is this the attr of an event that streams? */
static inline bool snap_event_streams(const struct perf_event_attr *attr)
{
	return attr->sample_period || attr->config & PMSCOPE_SNAPSHOT_ALL ||
	       attr->config & PMSCOPE_SNAPSHOT_TRIGGER_MASK;
}

/**
 * struct snap_stream_ops - what an event that streams needs beside counters
 * @check: is its attr valid?  In event_init, not of an inherited event
 * @create: allocates snap_event.stream
 * @overflow: overflow handler of its trigger; the context is its backing
 */
struct snap_stream_ops {
	int (*check)(const struct perf_event *event);
	int (*create)(struct perf_event *event);
	perf_overflow_handler_t overflow;
};

int snap_event_init(struct perf_event *event,
		    const struct snap_stream_ops *streams);

#endif /* PMSCOPE_SNAPSHOT_EVENT_H */
