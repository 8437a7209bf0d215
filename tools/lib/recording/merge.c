// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The queues in the order of their next rows. Of rows with one time, or none,
 * the order is that of the file.
 */
#include "recording.h"

#include <errno.h>
#include <stdlib.h>

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
			heap_push(rec->heap, rec->nr_heap++,
				  (struct heap_item){rec->queues[i].time, i});
	}
	return 0;
}

struct queue *merge_first(const struct pmscope_recording *rec)
{
	return rec->nr_heap ? &rec->queues[rec->heap[0].number] : NULL;
}

uint64_t merge_second_time(const struct pmscope_recording *rec)
{
	uint64_t time = UINT64_MAX;

	/* One of the two below the top of the heap. */
	for (size_t i = 1; i < rec->nr_heap && i <= 2; i++)
		if (rec->heap[i].key < time)
			time = rec->heap[i].key;
	return time;
}

int merge_advance(struct pmscope_recording *rec)
{
	struct queue *first = merge_first(rec);
	int ret = queue_fill(rec, first);

	if (ret < 0)
		return ret;
	if (!ret) {
		rec->nr_heap = heap_drop(rec->heap, rec->nr_heap);
		return 0;
	}
	rec->heap[0].key = first->time;
	heap_sift_down(rec->heap, rec->nr_heap, 0);
	return 0;
}
