// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * With perf record -k, events and SPE records use different clocks; TIME_CONV
 * always belongs to the kernel's own clock (arm64's
 * arch_perf_update_userpage()). The difference is derived from events that
 * give a position in an AUX area: records before that position were sampled
 * before the event, records after it later.
 */
#include "recording.h"

/* More would not help, because both clocks run at the same rate. */
#define MAX_MOMENTS 4096
/* A moment is in one trace or between two, unless areas overlap. */
#define MAX_LOOKS (2 * MAX_MOMENTS)
/* Bytes of trace on either side of a moment. */
#define NEAR 4096

/* Bounds of the clock of events minus the clock of SPE, ns. */
struct bounds {
	int64_t low;
	int64_t high;
	size_t looks; /* traces decoded so far, up to MAX_LOOKS */
};

struct times {
	uint64_t first;
	uint64_t last;
};

static int add(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event, struct moment moment)
{
	if (rec->nr_moments == MAX_MOMENTS ||
	    !(event->id.has & PERF_SAMPLE_TIME))
		return 0;
	if (array_room(rec->moments, rec->nr_moments, rec->max_moments))
		return -ENOMEM;
	moment.area = area_of_event(event);
	moment.time = event->id.time;
	moment.tid = event->id.tid;
	rec->moments[rec->nr_moments++] = moment;
	return 0;
}

int moment_add(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event, uint64_t offset)
{
	return add(rec, event, (struct moment){.offset = offset});
}

int moment_of_start(struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event)
{
	return add(rec, event, (struct moment){.start = true});
}

/* A window ends where its AUX record says; the next one starts there. */
static void settle_starts(struct pmscope_recording *rec)
{
	for (size_t i = 0; i < rec->nr_moments; i++) {
		struct moment *m = &rec->moments[i];
		size_t before = i;

		if (!m->start)
			continue;
		while (before && rec->moments[before - 1].area != m->area)
			before--;
		m->offset = before ? rec->moments[before - 1].offset : 0;
	}
}

static bool has_other_clock(const struct pmscope_perfdata *reader)
{
	for (size_t i = 0; i < pmscope_perfdata_nr_attrs(reader); i++)
		if (pmscope_perfdata_attr(reader, i)->attr.use_clockid)
			return true;
	return false;
}

static bool all_are_monotonic(const struct pmscope_perfdata *reader)
{
	for (size_t i = 0; i < pmscope_perfdata_nr_attrs(reader); i++) {
		const struct perf_event_attr *attr =
			&pmscope_perfdata_attr(reader, i)->attr;

		if (!attr->use_clockid || attr->clockid != CLOCK_MONOTONIC)
			return false;
	}
	return true;
}

/* If there are no times, returns first > last. */
static struct times times_of(const struct pmscope_recording *rec,
			     const uint8_t *data, size_t size,
			     unsigned int flags, struct pmscope_batch *batch)
{
	struct times times = {.first = UINT64_MAX};
	struct pmscope_decode_stats stats = {};
	uint64_t time;

	batch->count = 0;
	pmscope_decode(data, size, 0, flags | PMSCOPE_DECODE_LAST, batch,
		       &stats);
	for (size_t row = 0; row < batch->count; row++) {
		if (!row_time(rec, batch, row, &time))
			continue;
		times.first = MIN(times.first, time);
		times.last = MAX(times.last, time);
	}
	return times;
}

/* Narrows @b by the records around @m, which is in @trace or at its ends. */
static void bound(const struct pmscope_recording *rec,
		  const struct pmscope_trace *trace, const struct moment *m,
		  struct pmscope_batch *batch, struct bounds *b)
{
	size_t at = m->offset - trace->offset, left = trace->size - at;
	size_t before = MIN(at, NEAR);
	struct times times;
	int64_t skew;

	times = times_of(rec, trace->data + at - before, before,
			 before < at ? PMSCOPE_DECODE_RESYNC : 0, batch);
	skew = m->time - times.last;
	if (times.first <= times.last && skew < b->high)
		b->high = skew;
	times = times_of(rec, trace->data + at, MIN(left, NEAR), 0, batch);
	skew = m->time - times.first;
	if (times.first <= times.last && skew > b->low)
		b->low = skew;
}

/* Sorts @nr moments by the member at @first. */
static size_t count_below(const uint64_t *first, size_t nr, uint64_t limit)
{
	return limit ? array_count_until(first, nr, sizeof(struct moment),
					 limit - 1)
		     : 0;
}

static void bound_by_queue(const struct pmscope_recording *rec,
			   const struct queue *q, struct pmscope_batch *batch,
			   struct bounds *b)
{
	const struct moment *moments = rec->moments, *end, *m;
	uint64_t area = area_of(q->cpu, q->tid);
	size_t nr = rec->nr_moments;

	end = moments + array_count_until(moments, nr, sizeof(*moments), area);
	moments += count_below(&moments->area, nr, area);
	for (size_t i = 0; i < q->nr_traces; i++) {
		const struct pmscope_trace *trace = queue_trace(rec, q, i);

		m = moments +
		    count_below(&moments->offset, end - moments, trace->offset);
		for (; m < end && m->offset - trace->offset <= trace->size &&
		       b->looks < MAX_LOOKS;
		     m++, b->looks++)
			bound(rec, trace, m, batch, b);
	}
}

/* The least possible skew: 0 if both may be the same clock. */
static int64_t skew_of(const struct bounds *b)
{
	if (b->low > 0 && b->high > 0)
		return b->low;
	return b->low < 0 && b->high < 0 ? b->high : 0;
}

/* Events without a time are older than the recording. */
static void shift_sides(struct pmscope_recording *rec)
{
	for (size_t i = rec->fresh_side; i < rec->nr_sides; i++)
		if (rec->sides[i].time)
			rec->sides[i].time -= rec->skew;
}

static int find_skew(struct pmscope_recording *rec)
{
	struct bounds bounds = {.low = INT64_MIN, .high = INT64_MAX};
	struct pmscope_batch *batch;

	if (!rec->nr_moments || rec->overwrite || !rec->clock.known ||
	    !has_other_clock(rec->reader))
		return 0;
	batch = pmscope_batch_new(NEAR / RECORD_BYTES);
	if (!batch)
		return -ENOMEM;
	settle_starts(rec);
	qsort(rec->moments, rec->nr_moments, sizeof(*rec->moments),
	      area_compare);
	for (size_t i = 0; i < rec->nr_queues; i++)
		bound_by_queue(rec, &rec->queues[i], batch, &bounds);
	pmscope_batch_free(batch);
	rec->skew = skew_of(&bounds);
	rec->monotonic = bounds.low > INT64_MIN && bounds.high < INT64_MAX &&
			 all_are_monotonic(rec->reader);
	return 0;
}

/* Of a pipe, the first piece tells. */
int skew_settle(struct pmscope_recording *rec)
{
	int ret = rec->stream.settled ? 0 : find_skew(rec);

	if (!ret)
		shift_sides(rec);
	return ret;
}
