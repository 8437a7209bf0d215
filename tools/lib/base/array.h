/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Growing arrays: a pointer, a count and a capacity the owner keeps. */
#pragma once

#include "base/std.h"

/*
 * Makes room for one more element of @width bytes in @items, which holds
 * @count. Returns the array, perhaps moved; NULL if out of memory, and then
 * @items is unchanged.
 */
static inline void *array_reserve(void *items, size_t count, size_t *capacity,
				  size_t width)
{
	size_t wanted = *capacity ? 2 * *capacity : 16;
	void *moved;

	if (count < *capacity)
		return items;
	if (wanted > SIZE_MAX / 2 / width)
		return NULL;
	moved = realloc(items, wanted * width);
	if (moved)
		*capacity = wanted;
	return moved;
}

/* The same of members of a struct: 0 if there is room, or -ENOMEM. */
#define array_room(items, count, capacity)                              \
	({                                                              \
		void *moved_ = array_reserve(items, count, &(capacity), \
					     sizeof(*(items)));         \
                                                                        \
		if (moved_)                                             \
			(items) = moved_;                               \
		moved_ ? 0 : -ENOMEM;                                   \
	})

/* The same of an array that few add to: it has no capacity. */
#define array_one_more(items, count)                                      \
	({                                                                \
		void *moved_ =                                            \
			realloc(items, ((count) + 1) * sizeof(*(items))); \
                                                                          \
		if (moved_)                                               \
			(items) = moved_;                                 \
		moved_ ? 0 : -ENOMEM;                                     \
	})

/* Adds an item behind the others. Returns 0 or -ENOMEM. */
#define array_add(items, count, capacity, ...)                 \
	({                                                     \
		int ret_ = array_room(items, count, capacity); \
                                                               \
		if (!ret_)                                     \
			(items)[(count)++] = __VA_ARGS__;      \
		ret_;                                          \
	})

/*
 * Each item begins with a 64-bit key, and @items are sorted by it. Returns how
 * many keys are at most @limit.
 */
static inline size_t array_count_until(const void *items, size_t count,
				       size_t width, uint64_t limit)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)items + middle * width) <=
		    limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
