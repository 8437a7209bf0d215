/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include <pmscope/record.h>
#include <pmscope/writer.h>

#include "pmu.h"
#include "recorder.h"
#include "records.h"

#include <linux/perf_event.h>
#include <sys/types.h>

/* Counts records, and collects names of mapped files, while recording. */

/*
 * The sample_type bits that all events of a recording share, so that the time
 * of a record is found without looking up its event: in samples after
 * IDENTIFIER, IP and TID; in other records before CPU and IDENTIFIER.
 * Recordings without times have neither TIME nor CPU.
 */
#define PMSCOPE_TALLY_UNTIMED \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_IDENTIFIER)
#define PMSCOPE_TALLY_TIMED \
	(PMSCOPE_TALLY_UNTIMED | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* Bytes at the end of a record that is not a sample. */
#define PMSCOPE_TALLY_TRAILER_UNTIMED 16
#define PMSCOPE_TALLY_TRAILER_TIMED   32

/* From this size on, names are to be taken away: memory must not grow */
#define PMSCOPE_TALLY_NAMES_MAX ((size_t)1 << 20)

/* Counts, and the names of mapped files. Starts as zeros. */
struct tally {
	struct recorder_stats stats;
	bool untimed;	  /* records have no times */
	uint64_t aux_end; /* of the last trace that AUX announced */
	void *names;	  /* tsearch(3): @nr_names of @names_size bytes */
	size_t nr_names;
	size_t names_size;
};

/* Accepts whole records of @size bytes; -EBADMSG for anything else, -ENOMEM. */
int tally_records(struct tally *tally, const void *records, size_t size);
void tally_names(const struct tally *tally,
		 void (*visit)(void *context, const char *name), void *context);

/* Moves the names to @to, which has none. */
void tally_move_names(struct tally *tally, struct tally *to);

void tally_free(struct tally *tally);

/* Shared by the parts of the recorder: events, opening them, moving data. */

/* The processes that have begun, and those of them that are still there. */

/* Sorted. Starts as zeros. */
struct living {
	pid_t *pid;
	size_t nr;
	size_t max;
};

/* Adds the process of a FORK or COMM. Returns 0 or -ENOMEM. */
int living_note(struct living *living, const struct perf_event_header *record);

/*
 * Drops those that have ended. Adding does this before it takes more memory.
 * EXIT records do not serve: rings are read one after another, so an exit may
 * be seen before its fork.
 */
void living_prune(struct living *living);

void living_free(struct living *living);

/* An event as it was opened, and the ids of its descriptors. */
struct written_event {
	union attr attr;
	const char *name;
	uint64_t *id;
	size_t nr_ids;
};

struct recorded_event {
	const struct listed_event *event; /* as the user wrote it */
	struct written_event written;	  /* as opened, with the ids of @fd */
	size_t leader;			  /* index of its group's leader */
	bool aux;			  /* it traces into an AUX area */
	bool stream;	   /* leads pmu_snapshot's into an AUX area */
	int *fd;	   /* its @nr_fds descriptors */
	int *cpu;	   /* CPU of each descriptor, or -1 */
	pid_t *task;	   /* task of each descriptor, or -1 */
	struct seam *seam; /* read of each when the file was switched */
	size_t nr_fds;
};

/* read(2) of a leader: @n bytes; 0 or less if it could not be read. */
struct seam {
	ssize_t n;
	uint64_t lost; /* what earlier files report */
	uint64_t *value;
};

/* One of the events that fill an AUX area. */
struct recorded_trace {
	const struct listed_event *event;
	int fd;
	uint64_t id;
	bool off; /* see recorder_switch_events() */
};

/* The largest record of a switch, with its trailer */
#define PMSCOPE_RUNNING_WORDS 8

/*
 * The ring of a CPU, or of a task (@cpu is -1). Streams have separate rings
 * (@stream), because a ring has only one AUX area. @only_tracks: it records
 * only names and mappings. @interval: of @trace, and @samples: of its trace so
 * far, if they are counted. @aux_end: where its last AUX record ends; @running:
 * the last record that says which thread runs. @to_enable: how many events of
 * @trace to enable again; the kernel disables one when it writes a TRUNCATED
 * AUX record. @changing: not now. @saved: trace up to there is in a snapshot.
 */
struct recorded_ring {
	struct ring ring;
	int cpu;
	pid_t task;
	struct recorded_trace *trace;
	size_t nr_traces;
	uint64_t interval;
	uint64_t samples;
	unsigned int to_enable;
	bool changing;
	uint64_t saved;
	uint64_t aux_end;
	uint64_t running[PMSCOPE_RUNNING_WORDS];
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

struct recorder {
	const struct target *target;
	struct recorder_rules rules;
	struct listed_event tracking;
	struct recorded_event *event;
	size_t nr_events;
	struct recorded_ring *ring;
	size_t nr_rings;
	bool inherits;
	bool enabled; /* all events, not only the tracking event */
	bool ending;
	struct pmscope_writer *writer;
	const char *path;
	struct tally tally;
	struct living living;
	/* While the file is switched: the new one, or the old one */
	struct pmscope_writer *other;
	struct tally other_tally;
	uint64_t moved; /* bytes from rings */
	uint64_t drained_ns;
	uint64_t written; /* bytes of earlier files */
	bool saves_names; /* see save_names() */
	char *bounce;
	char *stream_bounce;
	struct pmscope_batch *batch; /* to count samples */
};

/* recorder_events.c: the events of @list, and one for mappings; -ENOMEM */
int recorder_set_events(struct recorder *rec, const struct event_list *list);

/* The head of a file, and its end. Return 0, 1 or -errno. */
int recorder_write_head(struct recorder *rec, struct pmscope_writer *writer,
			struct tally *tally, char *const *argv);
int recorder_write_end(struct recorder *rec, struct pmscope_writer *writer,
		       struct tally *tally);
int recorder_open_failed(const char *path, struct pmscope_error *err);

/* recorder_heap.c: ticks as times of the perf clock; what heaps noted. */
bool recorder_time_conv(const struct recorder *rec,
			struct pmscope_time_conv *conv);
int recorder_drain_heap(struct recorder *rec, struct pmscope_error *err);

/* Writes @data of the AUX area to the file as it is. Returns 0 or -errno. */
int recorder_write_trace(struct recorder *rec, const struct recorded_ring *r,
			 const struct ring_data *data);

/*
 * Moves data of one ring into the file; of SPE, with @sealed, only the trace
 * that AUX records in this file announce.
 */
int recorder_drain_ring(struct recorder *rec, struct recorded_ring *r,
			bool sealed, struct pmscope_error *err);

/* The same for its records only, not for trace. */
int recorder_drain_data(struct recorder *rec, struct recorded_ring *r,
			struct pmscope_error *err);

/* While heads and build-ids are written: drains if it was long ago; -errno. */
int recorder_keep_up(struct recorder *rec);

/* Sets @err to why writing to the file failed; returns @ret. */
int recorder_write_failed(const struct recorder *rec, int ret,
			  struct pmscope_error *err);

/*
 * recorder_totals.c: called after the last drain, and before that of streams.
 * Writes a record for losses that no record reports; -errno
 */
int recorder_end_lost(struct recorder *rec, struct pmscope_error *err);
/* Final counts over all threads, since samples end before; -errno */
int recorder_write_totals(struct recorder *rec, struct pmscope_error *err);
/*
 * Writes @seam of descriptor @i of event @e as a PERF_RECORD_READ: counts at
 * the end of a file have no process, those at its beginning @base; -errno
 */
int recorder_write_counts(struct recorder *rec, const struct recorded_event *e,
			  size_t i, const struct seam *seam, bool base);
/* @lost records of event @e, counted at its descriptor @i */
int recorder_write_lost(struct recorder *rec, const struct recorded_event *e,
			size_t i, uint64_t lost);

/* recorder_interval.c: stops or starts the events that trace into a ring. */
int recorder_switch_ring(struct recorder *rec, struct recorded_ring *r, bool on,
			 struct pmscope_error *err);

/* Writes the intervals that are not those of the events' attributes; -errno */
int recorder_write_intervals(struct recorder *rec,
			     struct pmscope_writer *writer);

/* recorder_stream.c: moves the records of streams into the file; -errno */
int recorder_drain_stream(struct recorder *rec, struct recorded_ring *r,
			  struct pmscope_error *err);
/* The losses of a stream, and its counts @seam as a sample if @final; -errno */
int recorder_end_stream(struct recorder *rec, const struct recorded_event *e,
			size_t i, struct seam *seam, bool final);
/* The losses of streams, and the final counts of some, after the last drain */
int recorder_end_streams(struct recorder *rec, struct pmscope_error *err);
/* Synthesized samples, which the kernel does not write. */
void recorder_stream_attrs(struct recorder *rec);
