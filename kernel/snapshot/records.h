/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of streams, of pmu_snapshot and of pmu_external: the AUX area that they go
 * to, what is lost, and the timer that triggers them.
 */
#ifndef PMSCOPE_SNAPSHOT_RECORDS_H
#define PMSCOPE_SNAPSHOT_RECORDS_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/perf_event.h>
#include <linux/pmscope.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <asm/local64.h>

struct pmscope_capture;
struct pmscope_spe_window;

/**
 * struct snap_trigger - why a record is made
 * @by: the trigger
 * @cookie: of a BPF program
 * @throttled: perf stops the trigger until the next tick
 * @spe: for an SPE buffer management event, else NULL
 */
struct snap_trigger {
	enum pmscope_trigger by;
	u64 cookie;
	bool throttled;
	const struct pmscope_spe_window *spe;
};

struct snap_stream;

/*
 * Makes a record from @cap, or from a capture of now if that is NULL; @record has room
 * for all counters.  Returns false if it cannot be captured.
 */
typedef bool (*snap_record_fn)(struct snap_stream *stream,
			       struct pmscope_record *record,
			       const struct snap_trigger *trigger,
			       const struct pmscope_capture *cap);

/**
 * struct snap_stream - the streaming side of an event
 * @event: the event
 * @fill: makes its records
 * @by: its trigger
 * @timer: hrtimer, if @by is time
 * @turns: triggers since the last record, if sample_period counts triggers
 * @lost: records missing since the last one that was written
 * @rest_until: its timer makes no record before this time
 * @throttled: since the last record its rest has taken periods
 * @owner: effective user of the task that opened it
 * @sees_all: opened with CAP_PERFMON: records may have kernel addresses, and be
 *	triggered by others' SPE sessions and by BPF programs
 * @watches: it is of pmu_external
 * @node: in the list of its CPU, while it runs
 */
struct snap_stream {
	struct perf_event *event;
	snap_record_fn fill;
	enum pmscope_trigger by;
	struct hrtimer timer;
	u64 turns;
	local64_t lost;
	ktime_t rest_until;
	bool throttled;
	kuid_t owner;
	bool sees_all;
	bool watches;
	struct hlist_node node;
};

/**
 * struct snap_stream_stats - records of one CPU, or of all
 * @records: written records
 * @lost: records dropped because of a full or missing AUX area
 * @missed: timer periods in which no record was tried
 */
struct snap_stream_stats {
	u64 records;
	u64 lost;
	u64 missed;
};

int snap_records_init(void);
void snap_records_exit(void);

void *snap_records_setup_aux(struct perf_event *event, void **pages,
			     int nr_pages, bool snapshot);
void snap_records_free_aux(void *aux);

struct pmscope_record_counter *
snap_records_next_counter(struct pmscope_record *record);
void snap_records_make(struct snap_stream *stream,
		       const struct snap_trigger *trigger,
		       const struct pmscope_capture *cap);

struct snap_stream *snap_records_create(struct perf_event *event,
					enum pmscope_trigger by,
					snap_record_fn fill,
					const struct snap_stream *parent);
struct hlist_head *snap_records_running(void);
void snap_records_start(struct snap_stream *stream);
void snap_records_stop(struct snap_stream *stream);
void snap_records_reload(struct snap_stream *stream);
int snap_records_check_timer(const struct perf_event_attr *attr);

void snap_records_stats(struct snap_stream_stats *sum, bool watches);

#endif /* PMSCOPE_SNAPSHOT_RECORDS_H */
