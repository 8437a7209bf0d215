/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A hash table from 64-bit keys to 32-bit values (indices into an array). */
#pragma once

#include "base/std.h"
#include "array.h"

struct map_slot;

/* Initialize to zeros. */
struct map {
	struct map_slot *slots;
	size_t capacity; /* a power of two */
	size_t count;
	uint64_t seed; /* of the hash */
};

/* Adds @key or replaces its value. Returns 0 or -ENOMEM. */
int map_set(struct map *map, uint64_t key, uint32_t value);
bool map_get(const struct map *map, uint64_t key, uint32_t *value);

void map_fini(struct map *map);

/*
 * Items by key: an array in the order in which they came, and a map from a key
 * or a hash of 64 bits to their numbers. Sums, limits and merges of workers
 * build on the numbers. Inline, so that items are copied as what they are.
 */

/* Initialize to zeros. */
struct keyed {
	void *all;
	size_t nr;
	size_t max;
	struct map of_key;
};

/* Members @items, of a type, and @nr of a struct; @name is the whole. */
#define KEYED(type, items, nr, name)             \
	union {                                  \
		struct keyed name;               \
		struct {                         \
			__typeof__(type) *items; \
			size_t nr;               \
		};                               \
	}

/*
 * Adds a copy of @item, of @width bytes, with a key that no other has. Sets
 * @number. Returns 0 or -ENOMEM, and so do the next.
 */
static inline int keyed_add(struct keyed *keyed, size_t width, uint64_t key,
			    const void *item, uint32_t *number)
{
	void *all = array_reserve(keyed->all, keyed->nr, &keyed->max, width);

	if (!all)
		return -ENOMEM;
	keyed->all = all;
	if (map_set(&keyed->of_key, key, keyed->nr))
		return -ENOMEM;
	memcpy((char *)keyed->all + keyed->nr * width, item, width);
	*number = keyed->nr++;
	return 0;
}

/* Sets the number of the item with @key, which becomes @item if it is new. */
static inline int keyed_get(struct keyed *keyed, size_t width, uint64_t key,
			    const void *item, uint32_t *number)
{
	return map_get(&keyed->of_key, key, number)
		       ? 0
		       : keyed_add(keyed, width, key, item, number);
}

/* The same, but returns the item itself; NULL: no memory. */
static inline void *keyed_item(struct keyed *keyed, size_t width, uint64_t key,
			       const void *item)
{
	uint32_t number;

	return keyed_get(keyed, width, key, item, &number)
		       ? NULL
		       : (char *)keyed->all + number * width;
}

/*
 * For hashes, which several items may have: finds the item whose first @bytes
 * are at @key. If there is none, @hash becomes a key for it.
 */
static inline bool keyed_find_same(const struct keyed *keyed, size_t width,
				   uint64_t *hash, const void *key,
				   size_t bytes, uint32_t *number)
{
	for (; map_get(&keyed->of_key, *hash, number); ++*hash)
		if (!memcmp((const char *)keyed->all + *number * width, key,
			    bytes))
			return true;
	return false;
}

static inline bool keyed_find(const struct keyed *keyed, uint64_t key,
			      uint32_t *number)
{
	return map_get(&keyed->of_key, key, number);
}

static inline void keyed_fini(struct keyed *keyed)
{
	free(keyed->all);
	map_fini(&keyed->of_key);
	*keyed = (struct keyed){};
}
