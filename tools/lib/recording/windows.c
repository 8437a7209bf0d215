// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Divides traces into stretches. A stretch ends at a break of the AUX area: the
 * record before it lost its end and must not be joined with the record after
 * it.
 */
#include "recording.h"

int window_add(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *aux, uint64_t end)
{
	return array_add(rec->windows, rec->nr_windows, rec->max_windows,
			 (struct window){
				 .area = area_of_event(aux),
				 .end = end,
				 .tid = aux->id.tid,
			 });
}

bool areas_are_of_threads(const struct pmscope_recording *rec)
{
	for (size_t i = 0; i < rec->nr_queues; i++)
		if (rec->queues[i].cpu != PMSCOPE_NO_ID)
			return false;
	return true;
}

/* Events of per-thread areas may name a CPU, too (perf record --sample-cpu). */
void areas_settle(struct pmscope_recording *rec)
{
	if (!areas_are_of_threads(rec))
		return;
	for (size_t i = 0; i < rec->nr_windows; i++)
		rec->windows[i].area =
			area_of(PMSCOPE_NO_ID, rec->windows[i].tid);
	for (size_t i = 0; i < rec->nr_moments; i++)
		rec->moments[i].area =
			area_of(PMSCOPE_NO_ID, rec->moments[i].tid);
}

int area_compare(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->area != y->area)
		return x->area < y->area ? -1 : 1;
	return COMPARE(x->end, y->end);
}

/* The number of windows in areas up to @area. */
static size_t count_until(const struct pmscope_recording *rec, uint64_t area)
{
	return array_count_until(rec->windows, rec->nr_windows,
				 sizeof(*rec->windows), area);
}

void windows_sort(struct pmscope_recording *rec)
{
	if (rec->nr_windows)
		qsort(rec->windows, rec->nr_windows, sizeof(*rec->windows),
		      area_compare);
	for (size_t i = 0; i < rec->nr_queues; i++) {
		struct queue *q = &rec->queues[i];
		uint64_t area = area_of(q->cpu, q->tid);

		q->rest.window = area ? count_until(rec, area - 1) : 0;
		q->rest.windows_end = count_until(rec, area);
	}
}

/* The first window that ends after @at; NULL if there is none. */
static const struct window *window_behind(const struct pmscope_recording *rec,
					  struct rest *rest, uint64_t at)
{
	size_t left = rest->windows_end - rest->window;

	if (!left)
		return NULL;
	rest->window += array_count_until(&rec->windows[rest->window].end, left,
					  sizeof(struct window), at);
	return rest->window < rest->windows_end ? &rec->windows[rest->window]
						: NULL;
}

/* Does trace @index continue the previous trace of the area? */
static bool follows(const struct pmscope_recording *rec, const struct queue *q,
		    size_t index)
{
	return index && index < q->nr_traces &&
	       queue_trace(rec, q, index)->offset ==
		       trace_end(queue_trace(rec, q, index - 1));
}

static int compare_offsets(const void *a, const void *b)
{
	const struct pmscope_trace *x = *(const struct pmscope_trace *const *)a;
	const struct pmscope_trace *y = *(const struct pmscope_trace *const *)b;

	return COMPARE(x->offset, y->offset) ?: COMPARE(x, y);
}

/* Records end with a timestamp; a match without one may be chance. */
#define ALIKE_MIN 64

/*
 * How many bytes at the start of @trace repeat bytes of @last, which does not
 * begin after it. If the bytes differ, the area was opened anew. @trace
 * replaces @last if it ends later.
 */
static size_t in_last(struct pmscope_recording *rec,
		      const struct pmscope_trace **last,
		      const struct pmscope_trace *trace)
{
	uint64_t behind = trace->offset - (*last)->offset;
	const uint8_t *data;
	size_t left, size, whole = (*last)->size;

	if (behind >= whole) {
		*last = trace;
		return 0;
	}
	data = (*last)->data + behind;
	left = whole - behind;
	size = MIN(trace->size, left);
	if (trace->size > left)
		*last = trace;
	if (size < ALIKE_MIN && trace->size != whole)
		return 0;
	return traces_alike(rec, data, trace->data, size) ? size : 0;
}

static int queue_count_doubled(struct pmscope_recording *rec,
			       const struct queue *q)
{
	const struct pmscope_trace **traces, *last;
	size_t nr = q->nr_traces - q->fresh;

	if (nr < 2)
		return 0;
	traces = malloc(nr * sizeof(*traces));
	if (!traces)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		traces[i] = queue_trace(rec, q, q->fresh + i);
	qsort(traces, nr, sizeof(*traces), compare_offsets);
	last = traces[0];
	for (size_t i = 1; i < nr; i++)
		rec->losses.doubled_trace += in_last(rec, &last, traces[i]);
	free(traces);
	return 0;
}

int doubled_count(struct pmscope_recording *rec)
{
	int ret = 0;

	for (size_t i = 0; i < rec->nr_queues && !rec->overwrite && !ret; i++)
		ret = queue_count_doubled(rec, &rec->queues[i]);
	return ret;
}

/* The next break in the trace, or its end; @open: the next one continues it. */
static size_t limit_of(const struct pmscope_recording *rec, struct queue *q,
		       bool *open)
{
	const struct pmscope_trace *trace = queue_trace(rec, q, q->rest.trace);
	const struct window *w = NULL;

	/* In an overwritten ring, offsets do not identify windows. */
	if (!rec->overwrite)
		w = window_behind(rec, &q->rest, trace->offset + q->rest.at);
	*open = false;
	if (w && w->end - trace->offset <= trace->size)
		return w->end - trace->offset;
	*open = !rec->overwrite &&
		(follows(rec, q, q->rest.trace + 1) ||
		 (stream_goes_on(rec) && q->rest.trace + 1 == q->nr_traces));
	return trace->size;
}

/* Does a window of the area end at this offset? */
static bool window_ends_at(const struct pmscope_recording *rec,
			   const struct queue *q, uint64_t at)
{
	struct rest all = {.window = q->rest.window,
			   .windows_end = q->rest.windows_end};
	const struct window *w = at ? window_behind(rec, &all, at - 1) : NULL;

	return w && w->end == at;
}

bool trace_goes_on(const struct pmscope_recording *rec, const struct queue *q)
{
	size_t next = q->rest.trace;

	if (next == q->nr_traces)
		return stream_goes_on(rec);
	return follows(rec, q, next) &&
	       !window_ends_at(rec, q, queue_trace(rec, q, next)->offset);
}

/* Every record has these packets. */
#define ALWAYS                                                         \
	(PMSCOPE_HAS_PC | PMSCOPE_HAS_OPERATION | PMSCOPE_HAS_EVENTS | \
	 PMSCOPE_HAS_TOTAL)

/* The header of a row's first packet, without the class of an operation. */
static uint8_t first_header(const struct pmscope_trace *trace,
			    const struct pmscope_batch *batch, size_t row)
{
	uint8_t header = trace->data[batch->offset[row]];

	return (header & 0xfc) == 0x48 ? 0x48 : header;
}

/*
 * If all records have the same size, a ring may begin at a record. The rest of
 * a cut record would not begin with the same packet as the record after it.
 */
static bool begins_with_record(const struct pmscope_trace *trace)
{
	size_t near = MIN(trace->size, 2 * RECORD_MAX);
	struct pmscope_batch *batch = pmscope_batch_new(2);
	struct pmscope_decode_stats stats = {};
	bool whole;

	if (!batch)
		return false;
	pmscope_decode(trace->data, near, 0, 0, batch, &stats);
	whole = batch->count == 2 && !stats.damaged &&
		(batch->has[0] & batch->has[1] & ALWAYS) == ALWAYS &&
		first_header(trace, batch, 0) == first_header(trace, batch, 1);
	pmscope_batch_free(batch);
	return whole;
}

bool stretch_cut(const struct pmscope_recording *rec, struct queue *q,
		 size_t bytes, struct stretch *stretch)
{
	struct rest *rest = &q->rest;
	const struct pmscope_trace *trace;
	size_t limit, left;
	bool open;

	if (queue_is_cut_up(q))
		return false;
	trace = queue_trace(rec, q, rest->trace);
	limit = limit_of(rec, q, &open);
	*stretch = (struct stretch){
		.span = {trace->data, limit, trace->data_offset},
		.index = rest->trace,
		.begin = rest->at,
		.known = !rest->inside,
		.open = open,
		/*
		 * An overwritten ring begins inside a record, unless it was not
		 * full yet, it continues the previous snapshot, or laps begin
		 * at a record.
		 */
		.headless = rec->overwrite && trace->offset &&
			    !follows(rec, q, rest->trace) &&
			    !begins_with_record(trace),
	};
	if (!rest->at && stretch->headless)
		rest->padding = stretch_padding(&stretch->span);
	stretch->padding = rest->padding;
	left = limit - stretch->begin;
	stretch->end = stretch->begin + MIN(left, bytes);
	rest->inside = left > bytes;
	rest->at = stretch->end;
	if (rest->at == trace->size) {
		rest->trace++;
		rest->at = 0;
	}
	return true;
}
