// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The queues in the order of their next rows: a binary heap, so that a
 * recording of many AUX areas costs no more than one of a few.
 */
#include "recording.h"

#include <errno.h>
#include <stdlib.h>

static bool is_before(const struct queue *a, const struct queue *b)
{
	/* Of rows with one time, or none, the order is that of the file. */
	return a->time != b->time ? a->time < b->time : a < b;
}

static void sift_down(struct queue **heap, size_t nr, size_t at)
{
	struct queue *moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < nr && is_before(heap[child + 1], heap[child]))
			child++;
		if (child >= nr || !is_before(heap[child], moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

int merge_begin(struct pmscope_recording *rec)
{
	if (!rec->nr_queues)
		return 0;
	rec->heap = calloc(rec->nr_queues, sizeof(*rec->heap));
	if (!rec->heap)
		return -ENOMEM;
	for (size_t i = 0; i < rec->nr_queues; i++) {
		int ret = queue_fill(rec, &rec->queues[i]);

		if (ret < 0)
			return ret;
		if (ret)
			rec->heap[rec->nr_heap++] = &rec->queues[i];
	}
	for (size_t i = rec->nr_heap / 2; i--;)
		sift_down(rec->heap, rec->nr_heap, i);
	return 0;
}

struct queue *merge_first(const struct pmscope_recording *rec)
{
	return rec->nr_heap ? rec->heap[0] : NULL;
}

uint64_t merge_second_time(const struct pmscope_recording *rec)
{
	uint64_t time = UINT64_MAX;

	/* One of the two below the top of the heap. */
	for (size_t i = 1; i < rec->nr_heap && i <= 2; i++)
		if (rec->heap[i]->time < time)
			time = rec->heap[i]->time;
	return time;
}

int merge_advance(struct pmscope_recording *rec)
{
	int ret = queue_fill(rec, rec->heap[0]);

	if (ret < 0)
		return ret;
	if (!ret)
		rec->heap[0] = rec->heap[--rec->nr_heap];
	if (rec->nr_heap)
		sift_down(rec->heap, rec->nr_heap, 0);
	return 0;
}
