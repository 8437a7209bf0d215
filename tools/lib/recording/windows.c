// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * How traces are cut up. Where an AUX area has a break a stretch ends: the
 * record before it lost its end, and would otherwise be taken for one with the
 * record behind it.
 */
#include "perfdata/reader.h"
#include "recording.h"
#include "table/array.h"

#include <errno.h>
#include <stdlib.h>

/* Offsets in the body of PERF_RECORD_AUX. */
enum {
	AUX_OFFSET = 0,
	AUX_SIZE = 8
};

int window_add(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *aux)
{
	const struct pmscope_sample_id *id = &aux->id;
	struct window *windows;

	windows = array_reserve(rec->windows, rec->nr_windows,
				&rec->max_windows, sizeof(*windows));
	if (!windows)
		return -ENOMEM;
	rec->windows = windows;
	windows[rec->nr_windows++] = (struct window){
		.area = area_of(id->has & PERF_SAMPLE_CPU ? id->cpu
							  : PMSCOPE_NO_ID,
				id->tid),
		.end = get64(aux->body + AUX_OFFSET) +
		       get64(aux->body + AUX_SIZE),
	};
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->area != y->area)
		return x->area < y->area ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static size_t first_of(const struct pmscope_recording *rec, uint64_t area)
{
	return area ? array_count_until(rec->windows, rec->nr_windows,
					sizeof(*rec->windows), area - 1)
		    : 0;
}

void windows_sort(struct pmscope_recording *rec)
{
	if (!rec->nr_windows)
		return;
	qsort(rec->windows, rec->nr_windows, sizeof(*rec->windows), compare);
	for (size_t i = 0; i < rec->nr_queues; i++) {
		struct queue *q = &rec->queues[i];

		q->rest.window = first_of(rec, area_of(q->cpu, q->tid));
	}
}

/* From window @low on, the first that does not end up to @at in @area. */
static const struct window *window_behind(const struct pmscope_recording *rec,
					  size_t low, uint64_t area,
					  uint64_t at)
{
	size_t high = rec->nr_windows;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct window *w = &rec->windows[middle];

		if (w->area < area || (w->area == area && w->end <= at))
			low = middle + 1;
		else
			high = middle;
	}
	return rec->windows + low;
}

/* Where what is left of the trace has a break, or ends. */
static size_t window_limit(const struct pmscope_recording *rec, struct queue *q)
{
	const struct pmscope_trace *trace = queue_trace(rec, q, q->rest.trace);
	uint64_t area = area_of(q->cpu, q->tid);
	uint64_t at = trace->offset + q->rest.at;
	const struct window *w, *end;

	/* Offsets of a ring that is overwritten do not say what follows. */
	if (rec->overwrite || !rec->nr_windows)
		return trace->size;
	w = window_behind(rec, q->rest.window, area, at);
	end = rec->windows + rec->nr_windows;
	q->rest.window = w - rec->windows;
	if (w == end || w->area != area ||
	    w->end - trace->offset >= trace->size)
		return trace->size;
	return w->end - trace->offset;
}

static bool is_next_break(const struct pmscope_recording *rec,
			  const struct queue *q, uint64_t offset)
{
	const struct window *w;

	if (q->rest.window >= rec->nr_windows)
		return false;
	w = &rec->windows[q->rest.window];
	return w->area == area_of(q->cpu, q->tid) && w->end == offset;
}

/* Does the area go on in the next trace, without a break between them? */
static bool goes_on(const struct pmscope_recording *rec, const struct queue *q)
{
	const struct pmscope_trace *trace = queue_trace(rec, q, q->rest.trace);
	uint64_t end = trace->offset + trace->size;

	if (rec->overwrite || q->rest.trace + 1 == q->nr_traces ||
	    queue_trace(rec, q, q->rest.trace + 1)->offset != end)
		return false;
	return !is_next_break(rec, q, end);
}

bool stretch_cut(const struct pmscope_recording *rec, struct queue *q,
		 size_t bytes, struct stretch *stretch)
{
	struct rest *rest = &q->rest;
	const struct pmscope_trace *trace;
	size_t limit, left;

	if (queue_is_cut_up(q))
		return false;
	trace = queue_trace(rec, q, rest->trace);
	limit = window_limit(rec, q);
	*stretch = (struct stretch){
		.span = {trace->data, limit, trace->data_offset},
		.index = rest->trace,
		.begin = rest->at,
		.known = !rest->inside,
		.open = limit == trace->size && goes_on(rec, q),
	};
	left = limit - stretch->begin;
	stretch->end = stretch->begin + (left < bytes ? left : bytes);
	rest->inside = left > bytes;
	rest->at = stretch->end;
	if (rest->at == trace->size) {
		rest->trace++;
		rest->at = 0;
	}
	return true;
}
