// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * A recording from a pipe, in bounded memory. Its records are not in the order
 * of time: in each round, perf copies one ring after the other, and the trace
 * of an area follows long after it was written. So some of it is held back.
 * Samples are returned up to the horizon: the latest event before a round that
 * ended in the middle of what is held. Then what they were made of is dropped,
 * and more is read.
 */
#include "recording.h"

struct stream_limits stream_limits = {
	.hold = 64 << 20,
	.hold_max = 256 << 20,
	.mark = 4 << 20,
};

/* Records are far smaller, but for padding inside of them. */
#define OPEN_MAX ((size_t)1 << 16)

/* No AUX area of perf is larger. */
#define RECORD_ROOM ((size_t)1 << 30)

/* A snapshot is compared with the one before it, so all are held. */
#define SNAPSHOTS_MAX ((uint64_t)1 << 30)

static uint64_t held(const struct pmscope_recording *rec)
{
	return rec->stream.size - rec->stream.done + rec->stream.copied;
}

/* Reads once; at the end, or after an error, the reader gets all there is. */
static void read_more(struct pmscope_recording *rec)
{
	struct stream *s = &rec->stream;
	int64_t n = rec->options.more(rec->options.context);

	if (n > 0)
		s->size += n;
	if (n < 0)
		reader_fail(rec->reader, s->size, "cannot read further: %s",
			    strerror((int)-n));
	reader_grow(rec->reader, s->size, RECORD_ROOM, n <= 0);
}

int stream_begin(struct pmscope_recording *rec, size_t size)
{
	struct pmscope_perfdata *r = rec->reader;

	rec->stream.is = true;
	rec->stream.size = size;
	r->is_stream = true;
	r->grows = true;
	r->end = r->at;
	*r->error = '\0';
	read_more(rec);
	return stream_refill(rec);
}

static int note(struct pmscope_recording *rec,
		const struct pmscope_perf_event *event)
{
	struct stream *s = &rec->stream;
	const struct stream_mark *last =
		s->nr_marks ? &s->marks[s->nr_marks - 1] : NULL;
	bool is_round = event->type == PMSCOPE_RECORD_FINISHED_ROUND;
	uint64_t last_at = last ? last->offset : s->done;

	if (event->id.has & PERF_SAMPLE_TIME && event->id.time > s->latest)
		s->latest = event->id.time;
	if (event->offset - last_at <
	    (is_round ? stream_limits.mark / 64 : stream_limits.mark))
		return 0;
	return array_add(s->marks, s->nr_marks, s->max_marks,
			 (struct stream_mark){event->offset, s->latest,
					      is_round});
}

static int read_records(struct pmscope_recording *rec, bool *whole)
{
	struct pmscope_perf_event event;
	uint64_t at = reader_at(rec->reader);
	int ret;

	while ((ret = pmscope_perfdata_next(rec->reader, &event)) > 0) {
		ret = index_event(rec, &event);
		if (!ret && rec->stream.is)
			ret = note(rec, &event);
		if (ret)
			return ret;
		tell_progress(rec, reader_at(rec->reader) - at);
		at = reader_at(rec->reader);
	}
	*whole = !ret && !rec->reader->grows;
	return ret == -ENOMEM ? ret : 0;
}

int stream_read_all(struct pmscope_recording *rec)
{
	bool whole;

	return read_records(rec, &whole) ?: index_settle(rec, whole);
}

/*
 * The last mark in the first half of what is held that a whole round follows;
 * or, in a later one that does. Without rounds (@any) some mark there.
 */
static const struct stream_mark *choose_mark(const struct stream *s, bool any)
{
	uint64_t middle = s->done + (s->size - s->done) / 2;
	const struct stream_mark *before = NULL, *chosen = NULL;

	for (size_t i = 0; i < s->nr_marks; i++) {
		const struct stream_mark *mark = &s->marks[i];

		if (!any && !mark->is_round)
			continue;
		if (chosen && mark->offset > middle)
			break;
		/* Now a round ended behind the one before. */
		chosen = any ? mark : before;
		before = mark;
	}
	return chosen;
}

/* Sets how far samples may be returned now; false if more must be read. */
static bool set_horizon(struct pmscope_recording *rec)
{
	struct stream *s = &rec->stream;
	const struct stream_mark *mark = NULL;

	if (rec->overwrite || held(rec) < stream_limits.hold)
		return false;
	mark = choose_mark(s, held(rec) >= stream_limits.hold_max);
	if (mark && mark->time > s->horizon) {
		s->horizon = mark->time;
		return true;
	}
	s->flushes = held(rec) >= stream_limits.hold_max;
	return s->flushes;
}

/* The bytes of trace @index that the open record of @q still needs. */
static struct spe_span left_of(const struct pmscope_recording *rec,
			       const struct queue *q, size_t index)
{
	const struct pmscope_trace *trace = queue_trace(rec, q, index);
	size_t at = index == q->split.trace ? q->split.at : 0;

	return (struct spe_span){trace->data + at, trace->size - at,
				 trace->data_offset + at};
}

/* Makes trace @index consist of the bytes at @span. */
static void trace_replace(struct pmscope_recording *rec, struct queue *q,
			  size_t index, struct spe_span span)
{
	struct pmscope_trace *trace = &rec->traces[q->traces[index]];

	trace->offset += trace->size - span.size;
	trace->data = span.data;
	trace->size = span.size;
	trace->data_offset = span.offset;
	if (index != q->stretch.index)
		return;
	q->stretch.span = span;
	q->stretch.begin = 0;
	q->stretch.end = span.size;
	q->at = span.size;
}

/*
 * An area may have no trace for long after the beginning of a record. A copy of
 * it keeps no memory of the pipe.
 */
static int copy_open_record(struct pmscope_recording *rec, struct queue *q)
{
	size_t size = 0, at = 0;
	uint8_t *copy;

	if (!q->split.is || q->at < q->stretch.end)
		return 0;
	for (size_t i = q->split.trace; i < q->rest.trace; i++)
		size += left_of(rec, q, i).size;
	if (size > OPEN_MAX)
		return 0;
	copy = malloc(size + 1);
	if (!copy)
		return -ENOMEM;
	for (size_t i = q->split.trace; i < q->rest.trace; i++) {
		struct spe_span span = left_of(rec, q, i);

		memcpy(copy + at, span.data, span.size);
		span.data = copy + at;
		at += span.size;
		trace_replace(rec, q, i, span);
		if (i == q->split.trace)
			q->split.at = 0;
	}
	free(q->open);
	q->open = copy;
	return 0;
}

static void lower(const struct pmscope_recording *rec, const uint8_t *at,
		  uint64_t *least)
{
	uint64_t offset = at - rec->reader->data;

	if (reader_has(rec->reader, at) && offset < *least)
		*least = offset;
}

/* The least offset of the data that is still needed. */
static uint64_t needed_from(const struct pmscope_recording *rec)
{
	uint64_t least = rec->reader->at;

	for (size_t i = rec->side; i < rec->nr_sides; i++)
		lower(rec, rec->sides[i].record, &least);
	for (size_t i = rec->heap.chunk; i < rec->heap.nr_chunks; i++)
		lower(rec, rec->heap.chunks[i].record, &least);
	for (size_t i = 0; i < rec->nr_queues; i++) {
		const struct queue *q = &rec->queues[i];

		if (q->split.is)
			lower(rec,
			      queue_trace(rec, q, q->split.trace)->data +
				      q->split.at,
			      &least);
		if (q->at < q->stretch.end)
			lower(rec, q->stretch.span.data + q->at, &least);
		if (q->rest.trace < q->nr_traces)
			lower(rec,
			      queue_trace(rec, q, q->rest.trace)->data +
				      q->rest.at,
			      &least);
	}
	return least;
}

/* Drops traces that were read, but one that the next may continue. */
static void drop_read_traces(struct queue *q)
{
	size_t first = q->rest.trace;

	if (q->split.is && q->split.trace < first)
		first = q->split.trace;
	else if (q->at < q->stretch.end && q->stretch.index < first)
		first = q->stretch.index;
	first -= !!first;
	q->nr_traces -= first;
	if (first)
		memmove(q->traces, q->traces + first,
			q->nr_traces * sizeof(*q->traces));
	q->rest.trace -= first;
	q->split.trace -= q->split.is ? first : 0;
	q->stretch.index -= MIN(first, q->stretch.index);
	q->fresh = q->nr_traces;
}

/* Keeps the traces that queues still have; there is no other use for them. */
static int pack_traces(struct pmscope_recording *rec)
{
	size_t nr = 0, total = 0;
	struct pmscope_trace *traces;

	for (size_t i = 0; i < rec->nr_queues; i++)
		total += rec->queues[i].nr_traces;
	traces = malloc((total + 1) * sizeof(*traces));
	if (!traces)
		return -ENOMEM;
	for (size_t i = 0; i < rec->nr_queues; i++)
		for (size_t k = 0; k < rec->queues[i].nr_traces; k++) {
			traces[nr] = *queue_trace(rec, &rec->queues[i], k);
			rec->queues[i].traces[k] = nr++;
		}
	rec->stream.dropped += rec->nr_traces - nr;
	free(rec->traces);
	rec->traces = traces;
	rec->nr_traces = nr;
	rec->max_traces = total + 1;
	return 0;
}

static void drop_sides(struct pmscope_recording *rec)
{
	rec->nr_sides -= rec->side;
	if (rec->nr_sides)
		memmove(rec->sides, rec->sides + rec->side,
			rec->nr_sides * sizeof(*rec->sides));
	rec->side = 0;
	rec->fresh_side = rec->nr_sides;
	heap_drop(&rec->heap);
}

static int move_record(const struct pmscope_recording *rec,
		       const uint8_t **record, struct arena *to,
		       uint64_t *copied)
{
	size_t size = get16(*record + 6);

	if (reader_has(rec->reader, *record))
		return 0;
	*copied += size;
	*record = arena_copy(to, *record, size);
	return *record ? 0 : -ENOMEM;
}

/* Decompressed records that still wait move to a new arena. */
static int renew_arena(struct pmscope_recording *rec)
{
	struct heap *heap = &rec->heap;
	struct arena arena = {};
	uint64_t copied = 0;
	int ret = 0;

	for (size_t i = 0; i < rec->nr_sides && !ret; i++)
		ret = move_record(rec, &rec->sides[i].record, &arena, &copied);
	for (size_t i = heap->chunk; i < heap->nr_chunks && !ret; i++)
		ret = move_record(rec, &heap->chunks[i].record, &arena,
				  &copied);
	if (ret)
		return ret;
	arena_fini(&rec->arena);
	rec->arena = arena;
	rec->stream.copied = copied;
	return 0;
}

/* Windows that end before the traces that are left, and marks before them. */
static void drop_places(struct pmscope_recording *rec)
{
	struct stream *s = &rec->stream;
	size_t nr = 0;

	for (size_t i = 0; i < rec->nr_queues; i++) {
		const struct queue *q = &rec->queues[i];
		uint64_t from =
			q->nr_traces ? queue_trace(rec, q, 0)->offset : 0;

		for (size_t k = q->rest.window; k < q->rest.windows_end; k++)
			if (rec->windows[k].end < from)
				rec->windows[k].end = 0;
	}
	for (size_t i = 0; i < rec->nr_windows; i++)
		if (rec->windows[i].end)
			rec->windows[nr++] = rec->windows[i];
	rec->nr_windows = nr;
	nr = 0;
	for (size_t i = 0; i < s->nr_marks; i++)
		if (s->marks[i].offset >= s->done)
			s->marks[nr++] = s->marks[i];
	s->nr_marks = nr;
}

static int drop_done(struct pmscope_recording *rec)
{
	struct stream *s = &rec->stream;

	drop_sides(rec);
	if (s->copied && renew_arena(rec))
		return -ENOMEM;
	for (size_t i = 0; i < rec->nr_queues; i++)
		if (copy_open_record(rec, &rec->queues[i]))
			return -ENOMEM;
	s->done = needed_from(rec);
	for (size_t i = 0; i < rec->nr_queues; i++)
		drop_read_traces(&rec->queues[i]);
	if (pack_traces(rec))
		return -ENOMEM;
	drop_places(rec);
	if (rec->options.done)
		rec->options.done(rec->options.context, s->done);
	return 0;
}

/* All snapshots are in memory. */
static void limit_snapshots(struct pmscope_recording *rec)
{
	if (!rec->overwrite || held(rec) < SNAPSHOTS_MAX)
		return;
	reader_fail(rec->reader, rec->stream.size,
		    "more than 1 GiB of AUX snapshots in a pipe; record to a "
		    "file");
	reader_grow(rec->reader, rec->stream.size, RECORD_ROOM, true);
}

static int read_until_horizon(struct pmscope_recording *rec, bool *whole)
{
	int ret;

	/* So that there is progress, whatever is held. */
	if (rec->stream.settled)
		read_more(rec);
	ret = read_records(rec, whole);
	while (!ret && rec->reader->grows) {
		limit_snapshots(rec);
		if (rec->reader->grows && set_horizon(rec))
			break;
		if (rec->reader->grows)
			read_more(rec);
		ret = read_records(rec, whole);
	}
	return ret;
}

int stream_refill(struct pmscope_recording *rec)
{
	struct stream *s = &rec->stream;
	bool whole = false;
	int ret = s->settled ? drop_done(rec) : 0;

	s->passed = s->flushes ? s->latest : s->horizon;
	s->flushes = false;
	if (!ret)
		ret = read_until_horizon(rec, &whole)
			      ?: index_settle(rec, whole);
	s->settled = true;
	/* There may be more queues now. */
	tournament_fini(&rec->merge);
	rec->merge = (struct tournament){};
	rec->merging = false;
	return ret;
}

void stream_fini(struct stream *stream)
{
	free(stream->marks);
}
