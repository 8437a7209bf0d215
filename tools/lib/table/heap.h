/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * A binary heap in an array the owner keeps: the first is the least, so that
 * the least of many costs no more than that of a few.
 */
#ifndef PMSCOPE_TABLE_HEAP_H
#define PMSCOPE_TABLE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of those with one key the order is that of their numbers. */
struct heap_item {
	uint64_t key;
	uint64_t number;
};

static inline bool heap_is_before(const struct heap_item *a,
				  const struct heap_item *b)
{
	return a->key != b->key ? a->key < b->key : a->number < b->number;
}

/* Where the item at @at may be behind those below it. */
static inline void heap_sift_down(struct heap_item *heap, size_t nr, size_t at)
{
	struct heap_item moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < nr &&
		    heap_is_before(&heap[child + 1], &heap[child]))
			child++;
		if (child >= nr || !heap_is_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* One more; @heap has @nr without it, and room. */
static inline void heap_push(struct heap_item *heap, size_t nr,
			     struct heap_item item)
{
	while (nr && heap_is_before(&item, &heap[(nr - 1) / 2])) {
		heap[nr] = heap[(nr - 1) / 2];
		nr = (nr - 1) / 2;
	}
	heap[nr] = item;
}

/* Without the first. Returns how many are left of @nr. */
static inline size_t heap_drop(struct heap_item *heap, size_t nr)
{
	heap[0] = heap[--nr];
	if (nr)
		heap_sift_down(heap, nr, 0);
	return nr;
}

#endif /* PMSCOPE_TABLE_HEAP_H */
