// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The traces of one AUX area, decoded batch by batch. */
#include "base/size.h"
#include "recording.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Batches small enough for the nearest caches; and smaller still where there
 * are fewer bytes, so that many small areas do not take much memory.
 */
#define BATCH_MAX 256
#define BATCH_MIN 4

/*
 * A time is looked for in so many records of each area, and its share of those
 * of all: more of them would take long where none has one. Not by bytes, as
 * batches have others with other numbers of threads; but those of damage count.
 */
#define LOOK_EACH  ((size_t)1 << 10)
#define LOOK_ALL   ((size_t)1 << 20)
#define LOOK_BYTES 128 /* for each of them */

/*
 * The greatest ticks are the latest: where they wrap in between, a queue is
 * only asked sooner than it need be.
 */
uint64_t rows_latest(const struct pmscope_recording *rec,
		     const struct pmscope_batch *batch)
{
	uint64_t ticks = 0, time;
	uint32_t any = 0;

	for (size_t row = 0; row < batch->count; row++) {
		uint32_t has = batch->has[row] & PMSCOPE_HAS_TIMESTAMP;
		uint64_t own = has ? batch->timestamp[row] : 0;

		any |= has;
		if (own > ticks)
			ticks = own;
	}
	return any && clock_ns(&rec->clock, ticks, &time) ? time : 0;
}

static void went(void *context, size_t bytes)
{
	tell_progress(context, bytes);
}

/* More rows from the stretch under way. */
static void decode_some(struct pmscope_recording *rec, struct queue *q)
{
	const struct pace pace = {PACE_STEP, went, rec};

	if (q->torn.is) {
		q->at = torn_join(rec, q);
		return;
	}
	q->at = stretch_decode(&q->stretch, q->at, SIZE_MAX, rec->flags,
			       &rec->shapes, q->batch, &rec->losses.decode,
			       &pace);
	if (q->at < q->stretch.end && q->batch->count < q->batch->capacity)
		torn_remember(q);
}

static int batch_new(struct queue *q)
{
	uint64_t wanted = q->bytes / RECORD_BYTES;

	if (wanted < BATCH_MIN)
		wanted = BATCH_MIN;
	q->batch = pmscope_batch_new(wanted < BATCH_MAX ? wanted : BATCH_MAX);
	return q->batch ? 0 : -ENOMEM;
}

/* All rows were handed out: to those who asked for it the batch as well. */
static void batch_renew(struct pmscope_recording *rec, struct queue *q,
			bool more)
{
	if (rec->options.renew && q->batch->count)
		q->batch = rec->options.renew(rec->options.context, q->batch,
					      more);
	else if (!more)
		pmscope_batch_free(q->batch);
	if (!more)
		q->batch = NULL;
}

/* The next rows, if any, in the empty batch. False at the end. */
static bool decode_next(struct pmscope_recording *rec, struct queue *q)
{
	uint64_t before = rec->losses.decode.bytes;
	bool more = true;

	if (q->at < q->stretch.end)
		decode_some(rec, q);
	else
		more = ahead_next(rec, q);
	tell_progress(rec, rec->losses.decode.bytes - before);
	return more;
}

static bool has_more(struct pmscope_recording *rec, struct queue *q)
{
	return q->at < q->stretch.end || ahead_has_next(rec, q);
}

/* 1 when the batch has rows again, 0 at the end of the last trace. */
static int batch_refill(struct pmscope_recording *rec, struct queue *q)
{
	bool more = has_more(rec, q);

	batch_renew(rec, q, more);
	q->row = 0;
	q->latest = 0;
	if (!q->batch)
		return more ? -ENOMEM : 0;
	q->batch->count = 0;
	while (!q->batch->count && more)
		more = decode_next(rec, q);
	if (q->batch->count)
		return 1;
	batch_renew(rec, q, false);
	return 0;
}

/* The row of the first time, or behind the last. */
static size_t first_time(const struct pmscope_recording *rec,
			 const struct pmscope_batch *batch, uint64_t *time)
{
	size_t row = 0;

	while (row < batch->count && !row_time(rec, batch, row, time))
		row++;
	return row;
}

/* False where none of these has one. */
static bool look_at_batch(const struct pmscope_recording *rec,
			  const struct pmscope_batch *batch, size_t *left,
			  uint64_t *due)
{
	uint64_t time;
	size_t row = first_time(rec, batch, &time);
	bool found = row < batch->count;

	if (found && row < *left)
		*due = time;
	*left -= min_size(row, *left);
	return found;
}

/*
 * The first time of the rows that come next, if it is not too far away. They
 * are decoded again when they are due.
 */
static int look_for_time(struct pmscope_recording *rec, struct queue *q)
{
	const struct pmscope_decode_stats stats = rec->losses.decode;
	size_t left = LOOK_EACH + LOOK_ALL / rec->nr_queues;
	const uint64_t bytes = LOOK_BYTES * left;
	struct queue next = *q;

	left -= min_size(q->batch->count, left);
	next.batch = pmscope_batch_new(q->batch->capacity);
	if (!next.batch)
		return -ENOMEM;
	do
		next.batch->count = 0;
	while (decode_next(rec, &next) &&
	       !look_at_batch(rec, next.batch, &left, &q->due) && left &&
	       rec->losses.decode.bytes - stats.bytes < bytes);
	rec->losses.decode = stats;
	pmscope_batch_free(next.batch);
	return 0;
}

/* What has no time at its beginning is due with the first that has; or last. */
static int due_begin(struct pmscope_recording *rec, struct queue *q)
{
	q->begun = true;
	q->due = UINT64_MAX;
	if (first_time(rec, q->batch, &q->due) < q->batch->count ||
	    !rec->clock.known || !has_more(rec, q))
		return 0;
	return look_for_time(rec, q);
}

int queue_fill(struct pmscope_recording *rec, struct queue *q)
{
	if (!q->batch && batch_new(q))
		return -ENOMEM;
	if (q->row >= q->batch->count) {
		int ret = batch_refill(rec, q);

		if (ret <= 0)
			return ret;
	}
	if (!q->begun && due_begin(rec, q))
		return -ENOMEM;
	q->due = row_due(rec, q->batch, q->row, q->due);
	return 1;
}

void queue_fini(struct queue *q)
{
	pmscope_batch_free(q->batch);
	free(q->traces);
}
