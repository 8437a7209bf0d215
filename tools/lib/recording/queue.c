// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The traces of one AUX area, decoded batch by batch. */
#include "recording.h"

/*
 * Batches fit in the L1 or L2 cache. They are smaller for small areas, so that
 * many of these do not take much memory.
 */
#define BATCH_MAX 256
#define BATCH_MIN 4

/*
 * The search for the first time of an area stops after LOOK_EACH records plus
 * its share of LOOK_ALL, because there may be no times at all. The limit counts
 * records, because batch sizes depend on the number of threads; LOOK_BYTES per
 * record limits damaged traces.
 */
#define LOOK_EACH  ((size_t)1 << 10)
#define LOOK_ALL   ((size_t)1 << 20)
#define LOOK_BYTES 128 /* per record */

static void went(void *context, size_t bytes)
{
	tell_progress(context, bytes);
}

/* Decodes more rows of the current stretch. */
static void decode_some(struct pmscope_recording *rec, struct queue *q)
{
	const struct pace pace = {PACE_STEP, went, rec};

	if (q->split.is) {
		q->at = split_record_join(rec, q);
		return;
	}
	q->at = stretch_decode(&q->stretch, q->at, SIZE_MAX, rec->flags,
			       q->batch, &rec->losses.decode, &pace);
	if (q->at < q->stretch.end && q->batch->count < q->batch->capacity)
		split_record_begin(q);
}

static size_t batch_capacity(const struct queue *q)
{
	uint64_t wanted = q->bytes / RECORD_BYTES;

	if (q->lent)
		return q->lent;
	if (wanted < BATCH_MIN)
		return BATCH_MIN;
	return MIN(wanted, BATCH_MAX);
}

/* Takes the newest spare batch of this capacity; NULL if there is none. */
static struct pmscope_batch *spare_take(struct pmscope_recording *rec,
					size_t capacity)
{
	for (size_t i = rec->nr_spares; i--;) {
		struct pmscope_batch *batch = rec->spares[i];

		if (batch->capacity != capacity)
			continue;
		rec->spares[i] = rec->spares[--rec->nr_spares];
		return batch;
	}
	return NULL;
}

static struct pmscope_batch *batch_get(struct pmscope_recording *rec,
				       const struct queue *q)
{
	size_t capacity = batch_capacity(q);
	struct pmscope_batch *batch = spare_take(rec, capacity);

	if (batch)
		return batch;
	/* No spare fits: drop one, as their capacity is unusual. */
	if (rec->nr_spares)
		pmscope_batch_free(rec->spares[--rec->nr_spares]);
	return pmscope_batch_new(capacity);
}

void queue_lend(struct queue *q)
{
	q->lent = q->batch->capacity;
	q->batch = NULL;
}

/* Decodes the next rows, if any, into the empty batch. False at the end. */
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

/* Returns 1 if the batch has rows again, 0 at the end of the last trace. */
static int batch_refill(struct pmscope_recording *rec, struct queue *q)
{
	bool more = has_more(rec, q);

	q->row = 0;
	q->latest = 0;
	if (more && !q->batch) {
		q->batch = batch_get(rec, q);
		if (!q->batch)
			return -ENOMEM;
	}
	if (q->batch)
		q->batch->count = 0;
	while (more && !q->batch->count)
		more = decode_next(rec, q);
	if (q->batch && q->batch->count)
		return 1;
	pmscope_batch_free(q->batch);
	q->batch = NULL;
	return 0;
}

/* The index of the first row with a time, or the row count. */
static size_t first_time(const struct pmscope_recording *rec,
			 const struct pmscope_batch *batch, uint64_t *time)
{
	size_t row = 0;

	while (row < batch->count && !row_time(rec, batch, row, time))
		row++;
	return row;
}

/* Returns false if no row of the batch has a time. */
static bool look_at_batch(const struct pmscope_recording *rec,
			  const struct pmscope_batch *batch, size_t *left,
			  uint64_t *due)
{
	uint64_t time;
	size_t row = first_time(rec, batch, &time);
	bool found = row < batch->count;

	if (found && row < *left)
		*due = time;
	*left -= MIN(row, *left);
	return found;
}

/*
 * Finds the first time in the rows that follow, if it is near enough. They are
 * decoded again when they are due.
 */
static int look_for_time(struct pmscope_recording *rec, struct queue *q)
{
	const struct pmscope_decode_stats stats = rec->losses.decode;
	size_t left = LOOK_EACH + LOOK_ALL / rec->nr_queues;
	const uint64_t bytes = LOOK_BYTES * left;
	struct queue next = *q;

	left -= MIN(q->batch->count, left);
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

/*
 * Rows before the first time are due at that time; without any, they go last.
 */
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
	if (!q->batch || q->row >= q->batch->count) {
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
	free(q->open);
}
