// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The second pass: rows of all queues and side-band events, in time order. */
#include "recording.h"
#include "base/options.h"
#include "base/names.h"

/* The feature PMU_MAPPINGS: the PMU types of the recorded machine. */

/* The type and the length of the name, which follows. */
#define HEAD 8

/* The feature is a count of PMUs, then the PMUs; names are zero-padded. */
static bool pmu_type_find(const struct pmscope_perfdata *reader,
			  const char *name, uint32_t *type)
{
	size_t size, at = sizeof(uint32_t), length;
	const uint8_t *data = pmscope_perfdata_feature_data(
		reader, PMSCOPE_FEATURE_PMU_MAPPINGS, &size);

	for (; data && at <= size && size - at >= HEAD; at += HEAD + length) {
		const char *text = (const char *)data + at + HEAD;

		length = get32(data + at + 4);
		if (length > size - at - HEAD)
			return false;
		if (strnlen(text, length) == strlen(name) &&
		    !memcmp(text, name, strlen(name))) {
			*type = get32(data + at);
			return true;
		}
	}
	return false;
}

static int open_perfdata(struct pmscope_recording *rec, const uint8_t *data,
			 size_t size)
{
	int opened = pmscope_perfdata_open(data, size, &rec->reader), ret;

	/* If the header is unreadable, the reader has no records. */
	if (opened == -ENOMEM)
		return opened;
	ret = !opened && rec->options.more ? stream_begin(rec, size)
					   : stream_read_all(rec);
	rec->has_snapshot_type =
		pmu_type_find(rec->reader, SNAPSHOT_PMU, &rec->snapshot_type);
	return ret ?: ahead_init(rec) ?: opened;
}

int pmscope_recording_open(const uint8_t *data, size_t size,
			   const struct pmscope_recording_options *options,
			   struct pmscope_recording **recording)
{
	struct pmscope_recording *rec = calloc(1, sizeof(*rec));
	int ret;

	*recording = NULL;
	if (!rec)
		return -ENOMEM;
	rec->unpacked.fd = -1;
	ret = options_read(&rec->options, sizeof(rec->options), options);
	if (!ret)
		ret = rec->options.raw
			      ? index_raw(rec, data, size) ?: ahead_init(rec)
			      : open_perfdata(rec, data, size);
	rec->flags =
		(rec->options.brief ? PMSCOPE_DECODE_BRIEF : 0) |
		(rec->options.skip_by_size ? PMSCOPE_DECODE_SKIP_BY_SIZE : 0);
	if (ret && ret != -EBADMSG) {
		pmscope_recording_free(rec);
		return ret;
	}
	*recording = rec;
	return ret;
}

void pmscope_recording_free(struct pmscope_recording *rec)
{
	if (!rec)
		return;
	ahead_fini(rec);
	for (size_t i = 0; i < rec->nr_queues; i++)
		queue_fini(&rec->queues[i]);
	while (rec->nr_spares)
		pmscope_batch_free(rec->spares[--rec->nr_spares]);
	tournament_fini(&rec->merge);
	free(rec->traces);
	stream_fini(&rec->stream);
	packed_fini(&rec->unpacked);
	free(rec->sides);
	free(rec->windows);
	free(rec->moments);
	keyed_fini(&rec->extent_of_area);
	free(rec->counts);
	free(rec->chain);
	keyed_fini(&rec->queue_of_index);
	keyed_fini(&rec->cpu_of_number);
	machine_fini(&rec->machine);
	heap_fini(&rec->heap);
	arena_fini(&rec->arena);
	pmscope_perfdata_free(rec->reader);
	free(rec);
}

/*
 * CONTEXTIDR holds the TID in the outermost PID namespace, but perf records
 * use the TIDs of perf's own namespace. So for an unknown TID, use the thread
 * that was last switched in, unless perf ran in the outermost namespace (then
 * the record that described the TID was lost). If NAMESPACES records show that
 * perf ran in another namespace, ignore CONTEXTIDR, except 0 (idle threads).
 */
static uint32_t row_tid(const struct pmscope_recording *rec,
			const struct pmscope_run *run, size_t row)
{
	uint32_t context = context_tid(run->batch, row);
	uint32_t told = run->tid != PMSCOPE_NO_ID ? run->tid : run->running;
	const struct thread *thread;

	if (context && rec->namespaces && !rec->outermost &&
	    told != PMSCOPE_NO_ID)
		return told;
	if (!context)
		return context;
	if (context == PMSCOPE_NO_ID)
		return told;
	thread = machine_thread(&rec->machine, context);
	if (thread)
		return thread->is_now ? thread->is_now : context;
	if (rec->outermost ||
	    (run->tid == PMSCOPE_NO_ID && !rec->machine.switches))
		return context;
	return told != PMSCOPE_NO_ID ? told : context;
}

static void sample_set_thread(const struct pmscope_recording *rec,
			      struct pmscope_sample *sample)
{
	const struct thread *thread;

	if (sample->tid == PMSCOPE_NO_ID)
		return;
	/* No record describes the idle threads. */
	if (!sample->tid) {
		sample->pid = 0;
		sample->comm = "swapper";
		return;
	}
	thread = machine_thread(&rec->machine, sample->tid);
	if (!thread)
		return;
	if (sample->pid == PMSCOPE_NO_ID)
		sample->pid = thread->pid;
	if (thread->comm && *thread->comm)
		sample->comm = thread->comm;
}

static void sample_set_cgroup(const struct pmscope_recording *rec,
			      struct pmscope_sample *sample)
{
	const struct machine *m = &rec->machine;
	uint32_t group;

	if (!m->nr_cgroups || sample->tid == PMSCOPE_NO_ID)
		return;
	group = cgroup_of(m, machine_thread(m, sample->tid), sample->tid);
	if (group)
		sample->cgroup = m->cgroups[group - 1].name;
}

void pmscope_recording_run_sample(const struct pmscope_recording *rec,
				  const struct pmscope_run *run, size_t row,
				  struct pmscope_sample *sample)
{
	if (run->group) {
		*sample = *run->group;
		return;
	}
	*sample = (struct pmscope_sample){
		.kind = PMSCOPE_SAMPLE_SPE,
		.cpu = run->cpu,
		.pid = PMSCOPE_NO_ID,
		.tid = row_tid(rec, run, row),
		.midr = run->midr,
		.interval = run->interval,
		.batch = run->batch,
		.row = row,
	};
	sample->has_time = row_time(rec, run->batch, row, &sample->time);
	sample_set_thread(rec, sample);
	sample_set_cgroup(rec, sample);
}

/* Begins a run with the next row of @q; the caller sets its end. */
static void run_begin(const struct pmscope_recording *rec, struct queue *q,
		      struct pmscope_run *run)
{
	uint32_t breaks = machine_breaks(&rec->machine, q->cpu);

	*run = (struct pmscope_run){
		.batch = q->batch,
		.first = q->row,
		.area = q - rec->queues,
		.cpu = q->cpu,
		.tid = q->tid,
		/* As perf, guess the area's owner if nothing else is known. */
		.running = rec->machine.switches ? PMSCOPE_NO_ID : q->owner,
		.due = q->due,
		.midr = q->midr,
		.epoch = rec->machine.epoch,
		.interval = q->interval,
		.broken = breaks != q->breaks,
	};
	q->breaks = breaks;
	if (q->cpu != PMSCOPE_NO_ID)
		machine_running(&rec->machine, q->cpu, &run->running);
}

/* Other threads may use runs of this epoch: they have to finish first. */
static bool must_end_epoch(const struct pmscope_recording *rec,
			   const struct pmscope_perf_event *event)
{
	uint64_t group;

	if (!rec->shown || !rec->options.shared)
		return false;
	if (event->type == PERF_RECORD_READ)
		return false;
	if (event->type != PERF_RECORD_SAMPLE)
		return machine_is_changed_by(&rec->machine, event);
	return cgroup_read(rec, event, &group) &&
	       cgroup_is_changed_by(&rec->machine, event->id.tid, group);
}

/* Fills @sample and returns 1 if @event is a mapping that is wanted. */
static int mapping_read(const struct pmscope_recording *rec,
			const struct pmscope_perf_event *event,
			struct pmscope_sample *sample)
{
	if (!rec->options.mappings || (event->type != PERF_RECORD_MMAP &&
				       event->type != PERF_RECORD_MMAP2))
		return 0;
	*sample = (struct pmscope_sample){
		.kind = PMSCOPE_SAMPLE_MAPPING,
		.has_time = event->id.has & PERF_SAMPLE_TIME,
		.time = event->id.time,
		.cpu = event->id.has & PERF_SAMPLE_CPU ? event->id.cpu
						       : PMSCOPE_NO_ID,
		.pid = PMSCOPE_NO_ID,
		.tid = PMSCOPE_NO_ID,
		.record = event->body - RECORD_HEADER,
		.record_size = event->size + RECORD_HEADER,
	};
	return 1;
}

/* Returns 1 if @event is one of the samples that the caller wants. */
static int sample_read(struct pmscope_recording *rec,
		       const struct pmscope_perf_event *event,
		       struct pmscope_sample *sample)
{
	uint64_t group;
	int ret = 0;

	if (cgroup_read(rec, event, &group) &&
	    cgroup_apply(&rec->machine, event, group))
		return -ENOMEM;
	if (group_is(rec, event))
		ret = group_read(rec, event, sample);
	else if (rec->options.chains && chain_is(rec, event))
		ret = chain_read(rec, event, sample);
	else if (rec->options.clocks && tick_is(rec, event))
		ret = tick_read(rec, event, sample);
	if (ret > 0) {
		sample_set_thread(rec, sample);
		sample_set_cgroup(rec, sample);
	}
	return ret;
}

/*
 * Applies the side-band event that is due. Returns 1 if it is itself a sample;
 * PMSCOPE_CHANGES: the next call will apply it.
 */
static int take_side(struct pmscope_recording *rec,
		     struct pmscope_sample *sample)
{
	struct pmscope_perf_event event;

	record_read(rec->reader, rec->sides[rec->side].record, &event);
	if (event.type == PERF_RECORD_AUX_OUTPUT_HW_ID) {
		rec->side++;
		interval_apply(rec, &event);
		return 0;
	}
	if (event.type == PERF_RECORD_AUX) {
		rec->side++;
		return machine_break(&rec->machine, &event);
	}
	if (must_end_epoch(rec, &event)) {
		rec->shown = false;
		return PMSCOPE_CHANGES;
	}
	rec->side++;
	if (event.type == PERF_RECORD_SAMPLE || event.type == PERF_RECORD_READ)
		return sample_read(rec, &event, sample);
	return machine_apply(&rec->machine, &event)
		       ?: mapping_read(rec, &event, sample);
}

/*
 * The merge: queues in the order of their next rows. Rows with the same time,
 * or none, keep the order of the file. A queue enters with its next row.
 */
static int merge_enter(struct pmscope_recording *rec, size_t number)
{
	struct queue *q = &rec->queues[number];
	int ret = queue_fill(rec, q);

	if (ret > 0)
		tournament_enter(&rec->merge, number, q->due);
	else if (!ret)
		tournament_leave(&rec->merge, number);
	return ret < 0 ? ret : 0;
}

static int merge_begin(struct pmscope_recording *rec)
{
	int ret = 0;

	if (!rec->merge.key && !tournament_init(&rec->merge, rec->nr_queues))
		return -ENOMEM;
	for (size_t i = 0; i < rec->nr_queues && !ret; i++)
		ret = merge_enter(rec, i);
	return ret;
}

/* The queue with the next row; NULL if no row is left. */
static struct queue *merge_first(const struct pmscope_recording *rec)
{
	return tournament_is_over(&rec->merge)
		       ? NULL
		       : &rec->queues[tournament_first(&rec->merge).number];
}

/* Moves the first queue past its current row. */
static int merge_advance(struct pmscope_recording *rec)
{
	return merge_enter(rec, tournament_first(&rec->merge).number);
}

/* Advances past the last returned row; pointers to it become invalid. */
static int advance(struct pmscope_recording *rec)
{
	if (!rec->merging) {
		int ret = merge_begin(rec);

		rec->merging = !ret;
		if (!ret)
			ahead_begin(rec);
		return ret;
	}
	if (!rec->taken)
		return 0;
	rec->taken = false;
	return merge_advance(rec);
}

/* The next window of allocations, which other threads look into. */
static int take_blocks(struct pmscope_recording *rec)
{
	if (rec->shown && rec->options.shared) {
		rec->shown = false;
		return PMSCOPE_CHANGES;
	}
	return heap_advance(rec, stream_goes_on(rec) && !rec->stream.flushes
					 ? rec->stream.horizon
					 : UINT64_MAX);
}

/* When the next side-band event is due, or window; UINT64_MAX: none is */
static uint64_t next_change(const struct pmscope_recording *rec)
{
	uint64_t blocks = heap_next(&rec->heap);
	uint64_t side = rec->side < rec->nr_sides ? rec->sides[rec->side].time
						  : UINT64_MAX;

	return MIN(side, blocks);
}

/* What find_queue() returns if more of a pipe must be read. */
#define NEEDS_MORE 3

/*
 * Applies the side-band events before the next row and finds its queue; NULL at
 * the end. Returns 1 with a group in @group if that comes first,
 * PMSCOPE_CHANGES or NEEDS_MORE.
 */
static int find_queue(struct pmscope_recording *rec,
		      struct pmscope_sample *group, struct queue **queue)
{
	struct queue *q;
	uint64_t next;
	int ret;

	ret = advance(rec);
	if (ret)
		return ret;
	q = merge_first(rec);
	while ((next = next_change(rec)) != UINT64_MAX &&
	       (!q || next <= q->due)) {
		if (stream_is_behind(rec, next))
			return NEEDS_MORE;
		ret = heap_next(&rec->heap) <= next ? take_blocks(rec)
						    : take_side(rec, group);
		if (ret)
			return ret;
	}
	if (stream_is_behind(rec, q ? q->due : UINT64_MAX) ||
	    (!q && stream_goes_on(rec)))
		return NEEDS_MORE;
	*queue = q;
	rec->taken = q;
	return 0;
}

/*
 * Of a pipe, reads more where it is needed. Before that all threads must be
 * done with what was returned.
 */
static int find_queue_in_stream(struct pmscope_recording *rec,
				struct pmscope_sample *group,
				struct queue **queue)
{
	int ret;

	while ((ret = find_queue(rec, group, queue)) == NEEDS_MORE) {
		if (rec->shown && rec->options.shared) {
			rec->shown = false;
			return PMSCOPE_CHANGES;
		}
		ret = stream_refill(rec);
		if (ret)
			break;
	}
	return ret;
}

/* After a failed allocation data is incomplete, so keep failing. */
static int next_queue(struct pmscope_recording *rec,
		      struct pmscope_sample *group, struct queue **queue)
{
	int ret = rec->failed ? rec->failed
			      : find_queue_in_stream(rec, group, queue);

	if (ret < 0)
		rec->failed = ret;
	return ret;
}

int pmscope_recording_next(struct pmscope_recording *rec,
			   struct pmscope_sample *sample)
{
	struct pmscope_run run;
	struct queue *q;
	int ret;

	ret = next_queue(rec, sample, &q);
	if (ret || !q)
		return ret;
	run_begin(rec, q, &run);
	rec->losses.late_samples += q->due < rec->stream.passed;
	q->row++;
	pmscope_recording_run_sample(rec, &run, run.first, sample);
	return 1;
}

/* A run ends at the next side-band event or, with @in_order, other queue. */
static struct entrant run_bound(const struct pmscope_recording *rec,
				bool in_order)
{
	struct entrant bound = NO_ENTRANT, other;
	uint64_t next = next_change(rec);

	if (next != UINT64_MAX)
		bound = (struct entrant){next, 0};
	if (stream_is_behind(rec, bound.key))
		bound = (struct entrant){rec->stream.horizon + 1, 0};
	if (!in_order)
		return bound;
	other = tournament_second(&rec->merge);
	return entrant_is_before(other, bound) ? other : bound;
}

/* The time at which the last row of the batch is due. */
static uint64_t last_due(const struct pmscope_recording *rec, struct queue *q)
{
	if (!q->latest)
		q->latest = rows_latest(rec, q->batch);
	return MAX(q->latest, q->due);
}

/* The first row, after the next one of @q, that is not before @bound. */
static size_t run_end(const struct pmscope_recording *rec, struct queue *q,
		      const struct entrant *bound)
{
	struct entrant next = {.number = q - rec->queues};
	size_t row = q->row + 1;

	if (bound->number == UINT64_MAX) {
		/* With one queue, due times do not matter. */
		if (rec->nr_queues > 1)
			q->due = last_due(rec, q);
		return q->batch->count;
	}
	for (; row < q->batch->count; row++, q->due = next.key) {
		next.key = row_due(rec, q->batch, row, q->due);
		if (!entrant_is_before(next, *bound))
			break;
	}
	return row;
}

int pmscope_recording_next_run(struct pmscope_recording *rec, bool in_order,
			       struct pmscope_run *run)
{
	struct entrant bound;
	struct queue *q;
	int ret;

	ret = next_queue(rec, &rec->group, &q);
	if (ret == 1 || (!ret && q))
		rec->shown = true;
	if (ret == 1)
		*run = (struct pmscope_run){
			.due = rec->sides[rec->side - 1].time,
			.epoch = rec->machine.epoch,
			.group = &rec->group,
		};
	if (ret || !q)
		return ret;
	bound = run_bound(rec, in_order);
	run_begin(rec, q, run);
	q->row = run->end = run_end(rec, q, &bound);
	if (run->due < rec->stream.passed)
		rec->losses.late_samples += run->end - run->first;
	run->last = rec->options.shared && run->end == q->batch->count;
	if (run->last)
		queue_lend(q);
	return 1;
}

void pmscope_recording_reuse(struct pmscope_recording *rec,
			     struct pmscope_batch *batch)
{
	if (rec->nr_spares < MAX_SPARES)
		rec->spares[rec->nr_spares++] = batch;
	else
		pmscope_batch_free(batch);
}

size_t pmscope_recording_areas(const struct pmscope_recording *rec)
{
	return rec->nr_queues;
}

bool pmscope_recording_time(const struct pmscope_recording *rec, uint64_t ticks,
			    uint64_t *ns)
{
	return clock_ns(&rec->clock, ticks, ns);
}

bool pmscope_recording_times(const struct pmscope_recording *rec,
			     const uint64_t *ticks, size_t nr, uint64_t *ns)
{
	const struct clock clock = rec->clock;

	for (size_t i = 0; i < nr; i++)
		if (!clock_ns(&clock, ticks[i], &ns[i]))
			return false;
	return true;
}

uint64_t pmscope_recording_version(const struct pmscope_recording *rec,
				   uint32_t pid)
{
	return machine_version(&rec->machine,
			       pid == PMSCOPE_NO_ID ? KERNEL_PID : pid);
}

const char *pmscope_recording_error(const struct pmscope_recording *rec)
{
	return rec->reader ? pmscope_perfdata_error(rec->reader) : "";
}

const struct pmscope_losses *
pmscope_recording_losses(const struct pmscope_recording *rec)
{
	return &rec->losses;
}

uint64_t pmscope_recording_trace_size(const struct pmscope_recording *rec)
{
	uint64_t size = 0;

	for (size_t i = 0; i < rec->nr_queues; i++)
		for (size_t k = 0; k < rec->queues[i].nr_traces; k++)
			size += queue_trace(rec, &rec->queues[i], k)->size;
	return size;
}

const struct pmscope_perfdata *
pmscope_recording_perfdata(const struct pmscope_recording *rec)
{
	return rec->reader;
}

size_t pmscope_recording_nr_traces(const struct pmscope_recording *rec)
{
	return rec->nr_traces - rec->nr_cut + rec->stream.dropped;
}

bool pmscope_recording_trace(const struct pmscope_recording *rec, size_t index,
			     struct pmscope_trace *trace)
{
	if (index >= pmscope_recording_nr_traces(rec) ||
	    index < rec->stream.dropped)
		return false;
	*trace = rec->traces[index - rec->stream.dropped];
	return true;
}
