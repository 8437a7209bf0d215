/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Memory, arrays, tables and strings that grow. */
#pragma once

#include "std.h"

/* Memory that is freed all at once. */
struct arena_block;

/* Initialize to zeros. */
struct arena {
	struct arena_block *blocks;
	size_t left; /* bytes free in the newest block */
};

/* Returns uninitialized memory, aligned to 8 bytes; NULL if out of memory. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *data, size_t size);
void arena_fini(struct arena *arena);

/* Growing arrays: a pointer, a count and a capacity the owner keeps. */

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

#define array_add(items, count, capacity, ...)                 \
	({                                                     \
		int ret_ = array_room(items, count, capacity); \
                                                               \
		if (!ret_)                                     \
			(items)[(count)++] = __VA_ARGS__;      \
		ret_;                                          \
	})

/* How many @items, sorted by the 64-bit key they begin with, are in @limit. */
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

/* A hash table from 64-bit keys to 32-bit values (indices into an array). */
struct map_slot;

/* Initialize to zeros. */
struct map {
	struct map_slot *slots;
	size_t capacity; /* a power of two */
	size_t count;
	uint64_t seed; /* of the hash */
};

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

/* Interned strings: each has a small number and a stable address. */

/* Initialize to zeros. */
struct strings {
	struct map index_of_hash;
	const char **items;
	size_t count;
	size_t capacity;
	size_t bytes; /* total length */
	struct arena arena;
};

/* Numbers count from 0. Returns 0 or -ENOMEM. */
int strings_intern(struct strings *strings, const char *text, size_t length,
		   uint32_t *number);
/* The same of a text that has a number; false if it has none. */
bool strings_find(const struct strings *strings, const char *text,
		  size_t length, uint32_t *number);
const char *strings_get(const struct strings *strings, uint32_t number);
void strings_fini(struct strings *strings);

/* A table of items by name; each name has one item. */

/* Initialize to zeros. */
struct named {
	struct strings names;
	void **items;
	size_t capacity;
};

/*
 * Returns the slot of @name, valid until the next call; NULL if out of memory.
 * Sets *@is_new if the name was added: the item in the slot is NULL then.
 */
void **named_item(struct named *named, const char *name, bool *is_new);

/* The same for a file, identified by @st, whatever its name. */
void **named_file(struct named *named, const struct stat *st, bool *is_new);

/* Calls @item_free for each item, even if it is NULL. */
void named_fini(struct named *named, void (*item_free)(void *item));

/* A growing buffer for a feature of a perf.data header. */

/* Initialize to zeros. @failed: memory ran out; check it once, at the end. */
struct blob {
	char *data;
	size_t size;
	bool failed;
};

void blob_bytes(struct blob *blob, const void *data, size_t size);
void blob_u32(struct blob *blob, uint32_t value);
void blob_u64(struct blob *blob, uint64_t value);

/* Appends the size of the padded text, then the text, padded as perf does. */
void blob_string(struct blob *blob, const char *text);

/* Appends the padded text without its size. */
void blob_padded(struct blob *blob, const char *text);

void blob_fini(struct blob *blob);

/*
 * The least of many keys that change one by one, with log2(n) comparisons. They
 * compile to no branches, because the CPU of the next record is unpredictable.
 */

/* Entrants with the same key keep the order of their numbers. */
struct entrant {
	uint64_t key;
	uint64_t number;
};

#define NO_ENTRANT ((struct entrant){UINT64_MAX, UINT64_MAX})

/*
 * Node 1 holds the better of nodes 2 and 3, node 2 that of 4 and 5, and so on;
 * entrant i is in node @nr + i. Key and number are kept apart, because
 * compilers make a branch if both are one value.
 */
struct tournament {
	uint64_t *key;
	uint64_t *number;
	size_t nr; /* a power of 2 */
};

static inline bool entrant_is_before(struct entrant a, struct entrant b)
{
	return ((unsigned __int128)a.key << 64 | a.number) <
	       ((unsigned __int128)b.key << 64 | b.number);
}

/* Allocates an empty one for numbers below @nr; false if out of memory. */
static inline bool tournament_init(struct tournament *t, size_t nr)
{
	for (t->nr = 1; t->nr < nr;)
		t->nr *= 2;
	t->key = malloc(4 * t->nr * sizeof(*t->key));
	if (!t->key)
		return false;
	t->number = t->key + 2 * t->nr;
	for (size_t i = 0; i < 2 * t->nr; i++)
		t->key[i] = t->number[i] = UINT64_MAX;
	return true;
}

static inline void tournament_fini(struct tournament *t)
{
	free(t->key);
}

static inline struct entrant tournament_at(const struct tournament *t, size_t i)
{
	return (struct entrant){t->key[i], t->number[i]};
}

/* The entrant with the least key; NO_ENTRANT if there is none. */
static inline struct entrant tournament_first(const struct tournament *t)
{
	return tournament_at(t, 1);
}

static inline bool tournament_is_over(const struct tournament *t)
{
	return t->number[1] == UINT64_MAX;
}

/* The loads of the other nodes on the way up do not depend on the winner. */
static inline void tournament_put(const struct tournament *t, size_t number,
				  struct entrant entrant)
{
	const struct tournament all = *t;
	size_t i = all.nr + number;

	all.key[i] = entrant.key;
	all.number[i] = entrant.number;
	for (; i > 1; i /= 2) {
		struct entrant other = tournament_at(&all, i ^ 1);
		bool loses = entrant_is_before(other, entrant);

		entrant.key = loses ? other.key : entrant.key;
		entrant.number = loses ? other.number : entrant.number;
		all.key[i / 2] = entrant.key;
		all.number[i / 2] = entrant.number;
	}
}

/* Adds entrant @number or changes its key. */
static inline void tournament_enter(struct tournament *t, size_t number,
				    uint64_t key)
{
	tournament_put(t, number, (struct entrant){key, number});
}

static inline void tournament_leave(struct tournament *t, size_t number)
{
	tournament_put(t, number, NO_ENTRANT);
}

/* The entrant with the second least key, or NO_ENTRANT. */
static inline struct entrant tournament_second(const struct tournament *t)
{
	struct entrant second = NO_ENTRANT;

	for (size_t i = t->nr + t->number[1]; i > 1; i /= 2)
		if (entrant_is_before(tournament_at(t, i ^ 1), second))
			second = tournament_at(t, i ^ 1);
	return second;
}
