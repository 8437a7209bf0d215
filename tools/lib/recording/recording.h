/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The parts of a recording. */
#pragma once

#include "machine.h"
#include "perfdata/reader.h"
#include "spe/spe.h"

#include <pthread.h>

/* Converts generic timer ticks to the perf clock (PERF_RECORD_TIME_CONV). */

/* See perf_event_open(2), perf_event_mmap_page, for the fields. */
struct clock {
	bool known;
	uint64_t shift;
	uint64_t mult;
	uint64_t zero;
	uint64_t cycles; /* with @mask: to widen a counter of fewer bits */
	uint64_t mask;
	bool narrow; /* cap_user_time_short */
};

/* Parses the body of a TIME_CONV record; ignores one that is too short. */
void clock_read(struct clock *clock, const uint8_t *body, size_t size);

/* Returns false if the recording has no clock conversion. */
static inline bool clock_ns(const struct clock *clock, uint64_t ticks,
			    uint64_t *ns)
{
	uint64_t whole, part;

	if (!clock->known)
		return false;
	if (clock->narrow)
		ticks = clock->cycles + ((ticks - clock->cycles) & clock->mask);
	/* Multiplies in two halves, so that no product exceeds 64 bits. */
	whole = ticks >> clock->shift;
	part = ticks & ((UINT64_C(1) << clock->shift) - 1);
	*ns = clock->zero + whole * clock->mult +
	      (part * clock->mult >> clock->shift);
	return true;
}

/*
 * Worker threads decode pieces of traces ahead of the consumer, in the order in
 * which it will probably need them; that is estimated from the times in the
 * pieces before them.
 */
struct piece;
struct pmscope_recording;
struct queue;

struct ahead_queue {
	struct piece *first;  /* its pieces, in the order of the queue */
	struct piece **end;   /* where the next piece is linked */
	unsigned int running; /* pieces that are not done */
	uint64_t due;	      /* estimated time of the next row in no piece */
	uint64_t span;	      /* estimated time that a piece covers */
};

/* What is decoded ahead of all queues */
struct ahead {
	pthread_mutex_t lock; /* protects this, queue.ahead and queue.rest */
	pthread_cond_t done;  /* signalled when a piece is done */
	bool begun;	      /* each queue has its first rows */
	size_t bytes;	      /* of a piece; SIZE_MAX: nothing is ahead */
	struct piece *pieces; /* all pieces */
	size_t nr_pieces;
	struct piece *free;	   /* unused pieces */
	struct tournament soonest; /* queues with bytes left, by their due */
};

/* Call when the queues are known. Returns 0 or -ENOMEM. */
int ahead_init(struct pmscope_recording *rec);
void ahead_fini(struct pmscope_recording *rec);

/* Call when each queue has its first rows: starts decoding ahead. */
void ahead_begin(struct pmscope_recording *rec);

/*
 * Moves a queue whose stretch is done to the next stretch. If that was decoded
 * ahead, its rows replace the queue's empty batch. Returns false if no stretch
 * is left.
 */
bool ahead_next(struct pmscope_recording *rec, struct queue *queue);

/* Is there any stretch left? */
bool ahead_has_next(struct pmscope_recording *rec, struct queue *queue);

/*
 * What programs allocated, by address and time. The file keeps it; what is in
 * memory are the blocks that live in a window of time, and those that are born
 * in it. Windows follow one another as samples do, so that memory depends on
 * how many blocks live, not on how many there were.
 */

/* Where a record is, and when its first entry was. */
struct heap_chunk {
	uint64_t time;
	const uint8_t *record;
};

struct heap_site {
	const uint64_t *frames;
	size_t nr;
};

/* A piece of memory, at @start, and when it was one, in ns */
struct heap_block {
	uint64_t start;
	uint64_t begin;
	uint64_t end;
	uint64_t size; /* bytes; 0: only its end is known, at @begin */
	uint32_t site;
	uint32_t up; /* nearest before that ends behind its end; NO_BLOCK */
};

/*
 * @blocks, by start and begin. @fresh are those of the next window, not in
 * order.
 * @parent: that a child was forked from, whose blocks it still has; 0: none
 */
struct heap_process {
	uint32_t pid;
	uint32_t parent;
	struct heap_block *blocks;
	size_t nr;
	struct heap_block *fresh;
	size_t nr_fresh;
	size_t max_fresh;
};

/* Starts as zeros. Without @reads, chunks are not read. */
struct heap {
	bool reads;
	struct heap_chunk *chunks;
	size_t nr_chunks;
	size_t max_chunks;
	size_t chunk; /* the next to read */
	KEYED(struct heap_process, processes, nr_processes, process_of_pid);
	KEYED(struct heap_site, sites, nr_sites, site_of_number);
	struct arena frames;
	size_t nr_blocks;
	uint64_t held; /* the first of the entries that were read too early */
	uint64_t lost;
};

/* Entries of a window, or half as many as blocks. Tests have others. */
extern size_t heap_window;

/* When the next window begins; UINT64_MAX: never */
static inline uint64_t heap_next(const struct heap *heap)
{
	uint64_t held = heap->held ?: UINT64_MAX;

	return heap->reads && heap->chunk < heap->nr_chunks &&
			       heap->chunks[heap->chunk].time < held
		       ? heap->chunks[heap->chunk].time
		       : held;
}

bool heap_is(const struct pmscope_perf_event *event);

/* Keeps the place of a record for later; 0 or -ENOMEM. @record stays. */
int heap_keep(struct heap *heap, const struct clock *clock,
	      const uint8_t *record);

/* Forgets those that were read; unless they are to be, all. */
void heap_drop(struct heap *heap);

/* After that, before they are used. */
void heap_sort(struct heap *heap);

void heap_fini(struct heap *heap);

/* The parts of a recording. */

/* A CPU in AUXTRACE_INFO; zero means unknown. */
struct cpu {
	uint32_t number;
	uint64_t midr;
	uint64_t event_filter; /* events its SPU can filter by */
	uint32_t pmu_type;     /* of its SPE PMU */
};

/* Kept until its time comes. There may be very many: only a pointer is. */
struct side_event {
	uint64_t time;
	const uint8_t *record; /* in the file, or in the arena if compressed */
	uint32_t order;
};

/* The end of an AUX record whose last SPE record no other data continues. */
struct window {
	uint64_t area; /* area_of() */
	uint64_t end;  /* offset in the AUX area */
	uint32_t tid;
};

/* At @time, SPE had written the area up to @offset. */
struct moment {
	uint64_t area; /* area_of() */
	uint64_t offset;
	uint64_t time; /* clock of events */
	uint32_t tid;
	bool start; /* of a window: @offset is the end of the previous one */
};

/*
 * The part of an AUX area that AUX records announce, and how much of it the
 * file contains. Until it is known whether areas are per CPU or per thread, a
 * record counts for both.
 */
struct aux_extent {
	uint64_t area; /* area_of() */
	uint64_t begin;
	uint64_t end;
	uint64_t traced; /* end of the trace in the file */
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

/* A sample that side-band record @event makes: its kind, place and time. */
static inline struct pmscope_sample
sample_of_event(const struct pmscope_perf_event *event,
		enum pmscope_sample_kind kind)
{
	return (struct pmscope_sample){
		.kind = kind,
		.has_time = event->id.has & PERF_SAMPLE_TIME,
		.time = event->id.time,
		.cpu = event->id.has & PERF_SAMPLE_CPU ? event->id.cpu
						       : PMSCOPE_NO_ID,
		.pid = event->id.has & PERF_SAMPLE_TID ? event->id.pid
						       : PMSCOPE_NO_ID,
		.tid = event->id.has & PERF_SAMPLE_TID ? event->id.tid
						       : PMSCOPE_NO_ID,
	};
}

/* The temporary file of decompressed traces. */
struct unpacked {
	int fd;	    /* -1: not created yet */
	int failed; /* -errno after a write failed; nothing is added then */
	uint64_t size;
	uint64_t taken; /* compressed bytes */
	uint8_t *data;	/* the mapped file */
	struct unpacked_trace {
		size_t trace;
		uint64_t at;
	} * traces;
	size_t nr_traces;
	size_t max_traces;
};

/* A record that is split between two traces of an area. */
struct split_record {
	bool is;
	size_t trace; /* index in queue.traces of the next packet */
	size_t at;    /* offset of the next packet in that trace */
	struct pieced record;
};

/* Where the part of a queue begins that is not assigned to a thread yet. */
struct rest {
	size_t trace;
	size_t at;
	size_t padding; /* of the trace's first window, see struct stretch */
	bool inside;	/* the previous stretch did not end at a break */
	size_t window;	/* the next window to end */
	size_t windows_end; /* end of this area's windows */
};

/* The traces of one AUX area, and how far they are decoded. */
struct queue {
	uint32_t index;
	uint32_t cpu;
	uint32_t tid;
	uint32_t owner;	   /* thread that perf opened it for, even if per CPU */
	uint32_t interval; /* of sampling, at the next row; 0: unknown */
	uint32_t breaks;   /* machine_breaks() of its CPU, at the last run */
	uint64_t midr;
	size_t *traces; /* indices into recording.traces */
	size_t nr_traces;
	size_t max_traces;
	size_t fresh;	/* the first trace that was not counted yet */
	uint64_t bytes; /* total size of the traces */

	struct rest rest;
	struct ahead_queue ahead;
	struct stretch stretch; /* being decoded; its span ends at a break */
	size_t at;		/* offset in its span */
	struct split_record split;
	uint8_t *open;		     /* copy of its bytes, of a pipe */
	struct pmscope_batch *batch; /* NULL: none, or it is lent */
	size_t lent;		     /* capacity of the batch lent last */
	size_t row;		     /* the next to hand out */
	uint64_t due;		     /* row_due() of @row */
	uint64_t latest; /* rows_latest() of @batch; 0: not computed yet */
	bool begun;	 /* @due is valid */
};

/* A place in a pipe, and the latest time of the events before it. */
struct stream_mark {
	uint64_t offset;
	uint64_t time;
	bool is_round; /* perf had read all rings once more */
};

/*
 * A recording that comes from a pipe, read piece by piece. Samples up to
 * @horizon are returned, then more is read. See pipe.c.
 */
struct stream {
	bool is;
	bool settled;  /* the first piece was read */
	bool flushes;  /* everything read so far is returned now */
	size_t size;   /* bytes that are there */
	uint64_t done; /* bytes that are not needed any more */
	uint64_t horizon;
	uint64_t passed; /* the horizon before */
	uint64_t latest; /* time of all events so far */
	struct stream_mark *marks;
	size_t nr_marks;
	size_t max_marks;
	uint64_t copied;  /* bytes of decompressed records in the arena */
	size_t dropped;	  /* traces that were read */
	size_t build_ids; /* that were taken */
};

/* Limit for returned batches that are kept for reuse. */
#define MAX_SPARES 32

struct pmscope_recording {
	struct pmscope_recording_options options;
	struct pmscope_perfdata *reader;
	struct pmscope_losses losses;
	struct arena arena;
	struct clock clock;
	struct machine machine;
	struct heap heap;
	uint32_t kernel; /* DSO with the kernel's build-id + 1; 0: none */
	KEYED(struct cpu, cpus, nr_cpus, cpu_of_number);
	struct cpu thread;	/* for the areas of threads */
	struct cpu untold;	/* for CPUs that AUXTRACE_INFO does not list */
	uint64_t read;		/* see tell_progress() */
	uint32_t trace_type;	/* in AUXTRACE_INFO */
	uint64_t foreign_info;	/* AUXTRACE_INFO of unknown layout: offset */
	uint32_t snapshot_type; /* PMU type of pmu_snapshot */
	bool has_snapshot_type;
	bool namespaces;    /* it has NAMESPACES records */
	bool outermost;	    /* perf ran in the outermost PID namespace */
	bool has_cgroups;   /* some samples tell the control group */
	bool overwrite;	    /* the AUX area was a ring: traces begin anywhere */
	unsigned int flags; /* enum pmscope_decode_flag, for each trace */

	struct side_event *sides;
	size_t nr_sides;
	size_t max_sides;
	size_t side;	     /* the next to apply */
	size_t fresh_side;   /* the first that was not sorted yet */
	uint32_t side_order; /* of the next to keep */

	struct window *windows; /* by area, then by end */
	size_t nr_windows;
	size_t max_windows;
	struct moment *moments;
	size_t nr_moments;
	size_t max_moments;
	KEYED(struct aux_extent, extents, nr_extents, extent_of_area);
	struct pmscope_intervals intervals;
	bool monotonic; /* the clock of events is CLOCK_MONOTONIC */
	int64_t skew;	/* clock of events minus clock of SPE, ns */

	struct pmscope_trace *traces;
	size_t nr_traces;
	size_t max_traces;
	struct unpacked unpacked;
	size_t nr_cut; /* the last ones: parts that snapshot_overlap_cut()
			  made of others */
	KEYED(struct queue, queues, nr_queues, queue_of_index);
	struct tournament merge; /* queues that have rows left, by time */
	struct ahead ahead;
	struct stream stream;
	bool merging;
	bool taken; /* the first queue's row was returned */
	bool shown; /* a run was returned since the last PMSCOPE_CHANGES */
	struct pmscope_batch *spares[MAX_SPARES];
	size_t nr_spares;
	int failed; /* -ENOMEM; every later call fails, too */

	struct pmscope_count *counts;
	size_t max_counts;
	uint64_t tick;
	uint64_t *chain;
	size_t max_chain;
	struct pmscope_sample group; /* the last group that was returned */
};

/* index.c: a record of the first pass; a bare trace. Return 0 or -ENOMEM. */
int index_event(struct pmscope_recording *rec,
		const struct pmscope_perf_event *event);
int index_raw(struct pmscope_recording *rec, const uint8_t *data, size_t size);

/* Prepares what was read for the second pass. Returns 0 or -ENOMEM. */
int index_settle(struct pmscope_recording *rec, bool whole);

/*
 * pipe.c: one pass over all records of a file. Of a pipe, stream_begin()
 * waits for the first ones. stream_refill() reads more, drops what is done, and
 * sets the next horizon. All return 0 or -ENOMEM.
 */
extern struct stream_limits {
	uint64_t hold;	   /* bytes held back */
	uint64_t hold_max; /* more is never held, even if a round is larger:
			    * then its samples may come late */
	uint64_t mark;	   /* between places for a horizon without rounds */
} stream_limits;	   /* tests have others */

int stream_read_all(struct pmscope_recording *rec);
int stream_begin(struct pmscope_recording *rec, size_t size);
int stream_refill(struct pmscope_recording *rec);
void stream_fini(struct stream *stream);

/* May more traces and events come? */
static inline bool stream_goes_on(const struct pmscope_recording *rec)
{
	return rec->stream.is && rec->reader->grows;
}

/* Must more be read before what is due at @time? */
static inline bool stream_is_behind(const struct pmscope_recording *rec,
				    uint64_t time)
{
	return stream_goes_on(rec) && !rec->stream.flushes &&
	       time > rec->stream.horizon;
}

/* heap.c: the next window, with records that begin by @limit; 0 or -ENOMEM. */
int heap_advance(struct pmscope_recording *rec, uint64_t limit);

/* cpus.c: returns 0 or -ENOMEM. */
int cpus_read(struct pmscope_recording *rec,
	      const struct pmscope_perf_event *info);
void cpus_place(struct pmscope_recording *rec);
const struct cpu *cpu_get(const struct pmscope_recording *rec, uint32_t number);

/*
 * sampling_interval.c: is @event a change of the interval? Then
 * interval_apply() makes it, when its time comes. intervals_begin() sets the
 * first of each queue.
 */
bool interval_is(struct pmscope_recording *rec,
		 const struct pmscope_perf_event *event);
void interval_apply(struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event);
void intervals_begin(struct pmscope_recording *rec);

/* The rows of a batch have fewer bytes, unless padding is very long. */
#define PACE_STEP ((size_t)1 << 20)

/* Calls options.progress once per PROGRESS_STEP bytes; @bytes were added. */
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
 * packed.c: traces that simpleperf compressed. packed_read() decompresses one
 * into a temporary file; its data is valid after packed_settle(). Both return 0
 * or -ENOMEM.
 */
bool packed_is(const struct pmscope_recording *rec,
	       const struct pmscope_trace *trace);
int packed_read(struct pmscope_recording *rec, struct pmscope_trace *trace);
int packed_settle(struct pmscope_recording *rec);
void packed_fini(struct unpacked *unpacked);

/* snapshot_overlap.c: keeps what snapshots share in the first; 0 or -ENOMEM. */
int snapshot_overlap_cut(struct pmscope_recording *rec);

/* Are the bytes of two traces the same? */
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
 * missing_trace.c: @aux announces its area from @begin to @end; returns 0 or
 * -ENOMEM. missing_trace_count() then counts gaps between traces and, if the
 * file is complete (@whole), trace announced after the last one. Gaps in an
 * overwritten ring are normal and not counted.
 */
int aux_extent_add(struct pmscope_recording *rec,
		   const struct pmscope_perf_event *aux, uint64_t begin,
		   uint64_t end);
void missing_trace_count(struct pmscope_recording *rec, bool whole);

/* Counts trace that the file contains twice. Returns 0 or -ENOMEM. */
int doubled_count(struct pmscope_recording *rec);

/*
 * Cuts the next @stretch off the queue: @bytes, or fewer up to a break or the
 * end of the trace. Its span is the trace up to there. Returns false at the end
 * of the queue.
 */
bool stretch_cut(const struct pmscope_recording *rec, struct queue *queue,
		 size_t bytes, struct stretch *stretch);

/* Does the next trace continue the record that the last one left open? */
bool trace_goes_on(const struct pmscope_recording *rec,
		   const struct queue *queue);

/*
 * skew.c: moment_add() notes that an area was written up to @offset at the time
 * of @event, moment_of_start() that a window began. skew_settle(), after
 * areas_settle(), converts side-band events to SPE's clock. Each returns 0 or
 * -ENOMEM.
 */
int moment_add(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event, uint64_t offset);
int moment_of_start(struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event);
int skew_settle(struct pmscope_recording *rec);

/* Returns false if the time of the row is unknown. */
static inline bool row_time(const struct pmscope_recording *rec,
			    const struct pmscope_batch *batch, size_t row,
			    uint64_t *time)
{
	return batch->has[row] & PMSCOPE_HAS_TIMESTAMP &&
	       clock_ns(&rec->clock, batch->timestamp[row], time);
}

/*
 * When a row is due: at its time, but not before the previous row of its queue
 * (@before); together with that row if its time is unknown.
 */
static inline uint64_t row_due(const struct pmscope_recording *rec,
			       const struct pmscope_batch *batch, size_t row,
			       uint64_t before)
{
	uint64_t time = 0;

	row_time(rec, batch, row, &time);
	return MAX(time, before);
}

/*
 * split_record.c: split_record_begin() notes that the record at queue.at
 * continues in the next trace. split_record_join(), when the queue is in that
 * trace, adds the record to the batch and returns the offset of the next record
 * in the trace. If the batch is full, or PACE_STEP bytes were read, split.is
 * stays set: call it again.
 */
void split_record_begin(struct queue *queue);
size_t split_record_join(struct pmscope_recording *rec, struct queue *queue);

/* queue.c. The latest known time of the rows, or 0. */
uint64_t rows_latest(const struct pmscope_recording *rec,
		     const struct pmscope_batch *batch);

/* The caller takes the queue's batch over. */
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

/* The offset in the area where @trace ends. */
static inline uint64_t trace_end(const struct pmscope_trace *trace)
{
	return trace->offset + trace->size;
}

static inline bool queue_is_cut_up(const struct queue *queue)
{
	return queue->rest.trace == queue->nr_traces;
}

/*
 * group.c: does @event carry the values of a group, as a sample or, in
 * group_is_total(), as a PERF_RECORD_READ of no process with the counts at the
 * end or, for BASE_PROCESS, at the beginning of the file?
 */
bool group_is(const struct pmscope_recording *rec,
	      const struct pmscope_perf_event *event);
bool group_is_total(const struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event);

/* Does @event, a sample, have a call chain and no group? */
bool chain_is(const struct pmscope_recording *rec,
	      const struct pmscope_perf_event *event);

/*
 * The same of a sample of a clock with an address that has neither; whether an
 * event is of such a clock; and, of any sample, whether
 * it is of a clock, with its address.
 */
bool tick_is(const struct pmscope_recording *rec,
	     const struct pmscope_perf_event *event);
bool tick_has_address(const struct pmscope_recording *rec,
		      const struct pmscope_perf_event *event);
void tick_tell(const struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event,
	       struct pmscope_sample *sample);

/* Fills @sample with it; returns 1, or 0 if it is damaged. */
int tick_read(struct pmscope_recording *rec,
	      const struct pmscope_perf_event *event,
	      struct pmscope_sample *sample);

/* Fills @sample with the chain; returns 1, 0 if it is damaged, or -ENOMEM. */
int chain_read(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event,
	       struct pmscope_sample *sample);

/*
 * cgroup_read() returns whether @event is a sample that tells the
 * control group of its thread, and which. cgroups_foresee() notes the first of
 * each thread; 0 or -ENOMEM.
 */
bool cgroup_read(const struct pmscope_recording *rec,
		 const struct pmscope_perf_event *event, uint64_t *id);
int cgroups_foresee(struct pmscope_recording *rec);

/* Fills @sample with the group; returns 1, 0 if there is none, or -ENOMEM. */
int group_read(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event,
	       struct pmscope_sample *sample);
