// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * perf record -S writes the whole ring at each snapshot, so consecutive
 * snapshots may share records. These are decoded once, in the first snapshot,
 * so that each queue is in time order.
 */
#include "recording.h"

/* Compares this many bytes at a time, so that progress() may free memory. */
#define COMPARED ((size_t)64 << 10)

bool traces_alike(struct pmscope_recording *rec, const uint8_t *a,
		  const uint8_t *b, size_t size)
{
	for (size_t at = 0, some; at < size; at += some) {
		some = MIN(size - at, COMPARED);
		if (memcmp(a + at, b + at, some) != 0)
			return false;
		tell_progress(rec, 2 * some);
	}
	return true;
}

/* Records of a loop may differ only in their times. */
static bool has_times(const uint8_t *data, size_t size)
{
	struct pmscope_batch *batch = pmscope_batch_new(2);
	struct pmscope_decode_stats stats = {};
	bool has;

	if (!batch)
		return false;
	size = MIN(size, 2 * RECORD_MAX);
	pmscope_decode(data, size, 0, 0, batch, &stats);
	has = batch->count &&
	      batch->has[batch->count - 1] & PMSCOPE_HAS_TIMESTAMP;
	pmscope_batch_free(batch);
	return has;
}

/*
 * How many bytes at the start of @ring the previous snapshot @before has, too.
 * Offsets are only known modulo the ring size, so compare the bytes; equal
 * bytes prove an overlap only if they contain timestamps.
 */
static size_t in_both(struct pmscope_recording *rec,
		      const struct pmscope_trace *before,
		      const struct pmscope_trace *ring)
{
	uint64_t end = trace_end(before), last = ring->size - 1;
	size_t both, known;

	if (ring->size & last)
		return 0;
	both = ring->size - ((ring->offset - end) & last);
	known = MIN(both, before->size);
	if (!traces_alike(rec, ring->data + both - known,
			  before->data + before->size - known, known))
		return 0;
	return has_times(ring->data + both - known, known) ? both : 0;
}

/*
 * Replaces the trace at @index in the queue by the part after its first @bytes.
 */
static int trace_cut(struct pmscope_recording *rec, struct queue *q,
		     size_t index, size_t bytes)
{
	struct pmscope_trace *traces;

	if (array_room(rec->traces, rec->nr_traces, rec->max_traces))
		return -ENOMEM;
	traces = &rec->traces[rec->nr_traces];
	*traces = *queue_trace(rec, q, index);
	traces->data += bytes;
	traces->size -= bytes;
	traces->data_offset += bytes;
	traces->offset = trace_end(queue_trace(rec, q, index - 1));
	q->traces[index] = rec->nr_traces++;
	rec->nr_cut++;
	return 0;
}

static int queue_cut_overlap(struct pmscope_recording *rec, struct queue *q)
{
	struct pmscope_trace before = *queue_trace(rec, q, 0), ring;
	size_t nr = 1;

	for (size_t i = 1; i < q->nr_traces; i++, before = ring) {
		size_t both;

		ring = *queue_trace(rec, q, i);
		both = in_both(rec, &before, &ring);
		rec->losses.repeated_trace += both;
		if (both == ring.size)
			continue;
		q->traces[nr] = q->traces[i];
		if (both && trace_cut(rec, q, nr, both))
			return -ENOMEM;
		nr++;
	}
	q->nr_traces = nr;
	return 0;
}

int snapshot_overlap_cut(struct pmscope_recording *rec)
{
	for (size_t i = 0; rec->overwrite && i < rec->nr_queues; i++)
		if (rec->queues[i].nr_traces &&
		    queue_cut_overlap(rec, &rec->queues[i]))
			return -ENOMEM;
	return 0;
}
