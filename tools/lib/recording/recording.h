/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The parts of a recording. */
#ifndef PMSCOPE_RECORDING_RECORDING_H
#define PMSCOPE_RECORDING_RECORDING_H

#include <pmscope/recording.h>

#include "ahead.h"
#include "base/tournament.h"
#include "clock.h"
#include "machine.h"
#include "spe/chunk.h"
#include "spe/record.h"

/* A CPU in AUXTRACE_INFO; zero means unknown. */
struct cpu {
	uint64_t midr;
	uint64_t event_filter; /* events its SPU can filter by */
};

/*
 * A side-band record, kept until its time comes. There can be very many, so
 * only its place is stored.
 */
struct side_event {
	uint64_t time;
	const uint8_t *record; /* in the file; in the arena if compressed */
	uint32_t order;
};

/*
 * The end of an AUX record whose last SPE record is incomplete: the following
 * data does not continue it.
 */
struct window {
	uint64_t area; /* area_of() */
	uint64_t end;  /* offset in the AUX area */
	uint32_t tid;
};

/* At this time everything before this offset of the area was written. */
struct moment {
	uint64_t area; /* area_of() */
	uint64_t offset;
	uint64_t time; /* by the clock of events */
	uint32_t tid;
	bool start; /* a window begins where the one before in its area ended */
};

/*
 * The part of an AUX area that AUX records announce, and how far the file has
 * its trace. Until it is known how areas were opened, a record counts for the
 * area of its CPU and for that of its thread.
 */
struct aux_extent {
	uint64_t area; /* area_of() */
	uint64_t begin;
	uint64_t end;
	uint64_t traced; /* up to here there is trace, or was before the file */
};

/* There is one AUX area per CPU or, without CPUs, per thread. */
static inline uint64_t area_of(uint32_t cpu, uint32_t tid)
{
	return cpu != PMSCOPE_NO_ID ? cpu : UINT64_C(1) << 32 | tid;
}

static inline uint64_t area_of_event(const struct pmscope_perf_event *event)
{
	const struct pmscope_sample_id *id = &event->id;

	return area_of(id->has & PERF_SAMPLE_CPU ? id->cpu : PMSCOPE_NO_ID,
		       id->tid);
}

/* The place of decompressed traces, once all are read. */
struct unpacked {
	int fd;	    /* of the file, or -1 */
	int failed; /* 0, or why it ends here */
	uint64_t size;
	uint64_t taken; /* what it was when it was compressed */
	uint8_t *data;	/* all of it */
	struct unpacked_trace {
		size_t trace;
		uint64_t at;
	} * traces;
	size_t nr_traces;
	size_t max_traces;
};

/* A record whose trace ends within it, though the area goes on. */
struct split_record {
	bool is;
	size_t trace; /* index in queue.traces, and where its next packet is */
	size_t at;
	struct pieced record;
};

/* The part of a queue that no thread decodes yet. */
struct rest {
	size_t trace;
	size_t at;
	size_t padding; /* of the trace's first window, see struct stretch */
	bool inside;	/* the stretch before it did not end at a break */
	size_t window;	/* the next to end, */
	size_t windows_end; /* and those of other areas */
};

/* The traces of one AUX area, and how far they are decoded. */
struct queue {
	uint32_t index;
	uint32_t cpu;
	uint32_t tid;
	uint32_t owner; /* for whom perf opened it, even if it is a CPU's */
	uint64_t midr;
	size_t *traces; /* indices into recording.traces */
	size_t nr_traces;
	size_t max_traces;
	uint64_t bytes; /* of all of them */

	struct rest rest;
	struct ahead_queue ahead;
	struct stretch stretch; /* being decoded; spans are up to a break */
	size_t at;		/* place in its trace */
	struct split_record split;
	struct pmscope_batch *batch; /* NULL: it has none, or it is lent */
	size_t lent;		     /* the capacity of the one lent last */
	size_t row; /* the next to hand out, and when: see row_due() */
	uint64_t due;
	uint64_t latest; /* rows_latest() of @batch; 0 until it is asked for */
	bool begun;	 /* it had a row, so that @due is known */
};

/* Batches that were given back. */
#define MAX_SPARES 32

struct pmscope_recording {
	struct pmscope_recording_options options;
	struct pmscope_perfdata *reader;
	struct pmscope_losses losses;
	struct shapes shapes;
	struct arena arena;
	struct clock clock;
	struct machine machine;
	uint32_t kernel; /* 0, or the DSO that has its build-id and 1 */
	struct cpu *cpus;
	size_t nr_cpus;
	size_t max_cpus;
	struct map cpu_of_number;
	struct cpu thread;	/* of the areas of threads */
	struct cpu untold;	/* of CPUs that are not told */
	uint64_t read;		/* see tell_progress() */
	uint32_t trace_type;	/* of AUXTRACE_INFO */
	uint64_t foreign_info;	/* offset of one of another layout, or 0 */
	uint32_t snapshot_type; /* of pmu_snapshot, where that is told */
	bool has_snapshot_type;
	bool namespaces;    /* of threads are told */
	bool outermost;	    /* some thread is in that, so perf was, too */
	bool overwrite;	    /* the AUX area was a ring: traces begin anywhere */
	unsigned int flags; /* enum pmscope_decode_flag, for each trace */

	struct side_event *sides;
	size_t nr_sides;
	size_t max_sides;
	size_t side; /* the next to apply */

	struct window *windows; /* by area, then by end */
	size_t nr_windows;
	size_t max_windows;
	struct moment *moments;
	size_t nr_moments;
	size_t max_moments;
	struct aux_extent *extents;
	size_t nr_extents;
	size_t max_extents;
	struct map extent_of_area;
	bool monotonic; /* events are timed by CLOCK_MONOTONIC, */
	int64_t skew;	/* which is so much later than SPE's */

	struct pmscope_trace *traces;
	size_t nr_traces;
	size_t max_traces;
	struct unpacked unpacked;
	size_t nr_cut; /* at their end: for queues, what snapshot_overlap_cut()
			  left */
	struct queue *queues;
	size_t nr_queues;
	size_t max_queues;
	struct map queue_of_index;
	struct tournament merge; /* of those that have rows left, by time */
	struct ahead ahead;
	bool merging;
	bool taken; /* the first queue's row was handed out */
	bool shown; /* a run of this epoch was, and no PMSCOPE_CHANGES since */
	struct pmscope_batch *spares[MAX_SPARES];
	size_t nr_spares;
	int failed; /* -ENOMEM, from then on */

	struct pmscope_count *counts;
	size_t max_counts;
	struct pmscope_sample group; /* of the newest run */
};

/* index.c: one pass over all records. Each returns 0 or -ENOMEM. */
int index_perfdata(struct pmscope_recording *rec);
int index_raw(struct pmscope_recording *rec, const uint8_t *data, size_t size);

/* cpus.c: 0 or -ENOMEM; and, when all is read, for queues and traces. */
int cpus_read(struct pmscope_recording *rec,
	      const struct pmscope_perf_event *info);
void cpus_place(struct pmscope_recording *rec);

/* Rows of a batch have fewer bytes, but where one is far from the next. */
#define PACE_STEP ((size_t)1 << 20)

/* Calls the owner each time so many bytes were read: now @bytes more. */
#define PROGRESS_STEP (UINT64_C(64) << 20)

static inline void tell_progress(struct pmscope_recording *rec, uint64_t bytes)
{
	rec->read += bytes;
	if (rec->read < PROGRESS_STEP || !rec->options.progress)
		return;
	rec->read = 0;
	rec->options.progress(rec->options.context);
}

/*
 * packed.c: is the trace compressed? Then it is read in place of the next one;
 * of all of these the bytes are there when the traces are settled. 0 or
 * -ENOMEM.
 */
bool packed_is(const struct pmscope_recording *rec,
	       const struct pmscope_trace *trace);
int packed_read(struct pmscope_recording *rec, struct pmscope_trace *trace);
int packed_settle(struct pmscope_recording *rec);
void packed_fini(struct unpacked *unpacked);

/*
 * snapshot_overlap.c: trace that several snapshots have stays in the first. 0
 * or -ENOMEM.
 */
int snapshot_overlap_cut(struct pmscope_recording *rec);

/* Are these bytes of two traces the same? */
bool traces_alike(struct pmscope_recording *rec, const uint8_t *a,
		  const uint8_t *b, size_t size);

/* windows.c */
bool areas_are_of_threads(const struct pmscope_recording *rec);
void areas_settle(struct pmscope_recording *rec);
int window_add(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *aux, uint64_t end);
void windows_sort(struct pmscope_recording *rec);

/* Orders windows, and moments, by their first two members. */
int area_compare(const void *a, const void *b);

/*
 * missing_trace.c: @aux announces its area from @begin to @end; 0 or -ENOMEM.
 * And, when all is read: counts gaps between traces and, in a @whole file, what
 * was announced behind the last. Rings leave such gaps and are not counted.
 */
int aux_extent_add(struct pmscope_recording *rec,
		   const struct pmscope_perf_event *aux, uint64_t begin,
		   uint64_t end);
void missing_trace_count(struct pmscope_recording *rec, bool whole);

/* What else the file has twice. 0 or -ENOMEM. */
int doubled_count(struct pmscope_recording *rec);

/*
 * Takes @bytes of what is left, or fewer: up to a break, or the end of a trace;
 * its span ends there, and is one of queue.traces. False at the end.
 */
bool stretch_cut(const struct pmscope_recording *rec, struct queue *queue,
		 size_t bytes, struct stretch *stretch);

/*
 * skew.c: @event tells of an area up to @offset, or that a window begins; and,
 * when all is read and areas are settled, side-band events are due by SPE's
 * clock. Each returns 0 or -ENOMEM.
 */
int moment_add(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event, uint64_t offset);
int moment_of_start(struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event);
int skew_settle(struct pmscope_recording *rec);

/* False when the time of a row is not known. */
static inline bool row_time(const struct pmscope_recording *rec,
			    const struct pmscope_batch *batch, size_t row,
			    uint64_t *time)
{
	return batch->has[row] & PMSCOPE_HAS_TIMESTAMP &&
	       clock_ns(&rec->clock, batch->timestamp[row], time);
}

/*
 * When a row is due: at its time, but not before the one before it in its
 * queue, which is due @before; with that one if its time is not known.
 */
static inline uint64_t row_due(const struct pmscope_recording *rec,
			       const struct pmscope_batch *batch, size_t row,
			       uint64_t before)
{
	uint64_t time = 0;

	row_time(rec, batch, row, &time);
	return time > before ? time : before;
}

/*
 * split_record.c: the record where the queue is goes on in the next trace. And,
 * with the first stretch of that: puts the record in the batch and returns
 * where in that trace the next one begins. Where the batch is full, or
 * PACE_STEP bytes were looked at, split.is stays set and it has to be called
 * again.
 */
void split_record_begin(struct queue *queue);
size_t split_record_join(struct pmscope_recording *rec, struct queue *queue);

/* queue.c. The latest known time of the rows, or 0. */
uint64_t rows_latest(const struct pmscope_recording *rec,
		     const struct pmscope_batch *batch);

/* Its batch is the caller's from now on. */
void queue_lend(struct queue *queue);

/* Returns 1 when there is a row, 0 at the end, -ENOMEM. */
int queue_fill(struct pmscope_recording *rec, struct queue *queue);
void queue_fini(struct queue *queue);

static inline const struct pmscope_trace *
queue_trace(const struct pmscope_recording *rec, const struct queue *queue,
	    size_t index)
{
	return &rec->traces[queue->traces[index]];
}

/* Where in the area a trace would begin that follows it. */
static inline uint64_t trace_end(const struct pmscope_trace *trace)
{
	return trace->offset + trace->size;
}

static inline bool queue_is_cut_up(const struct queue *queue)
{
	return queue->rest.trace == queue->nr_traces;
}

/*
 * group.c: is @event a sample of an event whose samples have a group? Or does
 * it have what was read at the end, a PERF_RECORD_READ of no process?
 */
bool group_is(const struct pmscope_recording *rec,
	      const struct pmscope_perf_event *event);
bool group_is_total(const struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event);

/* 1 when @event is such a sample and has its group, else 0, or -ENOMEM. */
int group_read(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event,
	       struct pmscope_sample *sample);

#endif /* PMSCOPE_RECORDING_RECORDING_H */
