/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Shared by the parts of the recorder: events, opening them, moving data. */
#ifndef PMSCOPE_SESSION_RECORDER_PRIV_H
#define PMSCOPE_SESSION_RECORDER_PRIV_H

#include "attr.h"
#include "recorder.h"
#include "ring.h"
#include "tally.h"

#include <pmscope/writer.h>

/* An event as it was opened, and the ids of its descriptors. */
struct written_event {
	union pmscope_attr attr;
	const char *name;
	uint64_t *id;
	size_t nr_ids;
};

/**
 * struct recorded_event - an event and all its descriptors
 * @event: as the user wrote it
 * @written: the attr as opened, and the ids of @fd
 * @leader: index of its group's leader
 * @aux: it traces into an AUX area
 * @stream: it leads a group of pmu_snapshot that streams into an AUX area
 * @fd: its @nr_fds descriptors
 * @cpu: CPU of each descriptor, or -1
 * @task: task of each descriptor, or -1
 */
struct recorded_event {
	const struct pmscope_event *event;
	struct written_event written;
	size_t leader;
	bool aux;
	bool stream;
	int *fd;
	int *cpu;
	pid_t *task;
	size_t nr_fds;
};

/* One of the events that fill an AUX area. */
struct recorded_trace {
	const struct pmscope_event *event;
	int fd;
};

/*
 * The ring of a CPU, or of a task (@cpu is -1).  Streams have separate rings
 * (@stream), because a ring has only one AUX area.  @only_tracks: it records
 * only names and mappings.  @to_enable: how many events of @trace to enable
 * again; the kernel disables one when it writes a TRUNCATED AUX record.
 */
struct recorded_ring {
	struct pmscope_ring ring;
	int cpu;
	pid_t task;
	struct recorded_trace *trace;
	size_t nr_traces;
	unsigned int to_enable;
	bool stream;
	bool only_tracks;
};

/*
 * read(2) of a leader: nr, both times if its members may share counters with
 * others, then value, id and lost of each member
 */
#define PMSCOPE_READ_TIMES \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define PMSCOPE_LOST_AT	    3
#define PMSCOPE_MEMBERS_MAX 64
#define PMSCOPE_READ_MAX    (3 + 3 * PMSCOPE_MEMBERS_MAX)

/* Upper limits for the ring and AUX area of each stream */
#define PMSCOPE_STREAM_DATA_SIZE (64UL << 10)
#define PMSCOPE_STREAM_AUX_SIZE	 (1UL << 20)

struct pmscope_recorder {
	const struct pmscope_target *target;
	struct pmscope_recorder_rules rules;
	struct pmscope_event tracking;
	struct recorded_event *event;
	size_t nr_events;
	struct recorded_ring *ring;
	size_t nr_rings;
	bool inherits;
	bool ending;
	struct pmscope_writer *writer;
	const char *path;
	struct pmscope_tally tally;
	char *bounce;
	char *stream_bounce;
};

/* recorder_events.c: the events of @list, and one for mappings; -ENOMEM */
int pmscope_recorder_set_events(struct pmscope_recorder *rec,
				const struct pmscope_event_list *list);

/* Sets @err to why writing to the file failed; returns @ret. */
int pmscope_recorder_write_failed(const struct pmscope_recorder *rec, int ret,
				  struct pmscope_error *err);

/*
 * recorder_lost.c: called after the last drain, and before that of streams.
 * Writes a record for losses that no record reports; -errno
 */
int pmscope_recorder_end_lost(struct pmscope_recorder *rec,
			      struct pmscope_error *err);
/*
 * Writes the final counts of groups over all threads, because samples end
 * before the recording does; -errno
 */
int pmscope_recorder_write_totals(struct pmscope_recorder *rec,
				  struct pmscope_error *err);
/* @lost records of event @e, counted at its descriptor @i */
int pmscope_recorder_write_lost(struct pmscope_recorder *rec,
				const struct recorded_event *e, size_t i,
				uint64_t lost);

/* recorder_stream.c: moves the records of streams into the file; -errno */
int pmscope_recorder_drain_stream(struct pmscope_recorder *rec,
				  struct recorded_ring *r,
				  struct pmscope_error *err);
/* The losses of streams, and the final counts of some, after the last drain */
int pmscope_recorder_end_streams(struct pmscope_recorder *rec,
				 struct pmscope_error *err);
/* Synthesized samples, which the kernel does not write. */
void pmscope_recorder_stream_attrs(struct pmscope_recorder *rec);

#endif /* PMSCOPE_SESSION_RECORDER_PRIV_H */
