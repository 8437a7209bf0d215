// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Open addressing with linear probing, at most half full. Keys come from a
 * file, which may be made to collide: after a long probe the table is rehashed
 * with a secret seed.
 */
#include "containers.h"
#include "hash.h"

#define FIRST_CAPACITY 64

/* Only keys constructed to collide are this far from their home slot. */
#define FAR 128

struct map_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

static size_t home_of(const struct map *map, uint64_t key)
{
	/* Keys may differ in any bits, so all must affect the low bits. */
	uint64_t hash = key * (UINT64_C(0x9e3779b97f4a7c15) ^ map->seed);

	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return (hash >> 32) & (map->capacity - 1);
}

static size_t slot_of(const struct map *map, uint64_t key)
{
	size_t at = home_of(map, key);

	while (map->slots[at].used && map->slots[at].key != key)
		at = (at + 1) & (map->capacity - 1);
	return at;
}

/* Returns the index of the slot. */
static size_t put(struct map *map, uint64_t key, uint32_t value)
{
	size_t at = slot_of(map, key);
	struct map_slot *slot = &map->slots[at];

	if (!slot->used)
		map->count++;
	*slot = (struct map_slot){key, value, true};
	return at;
}

static int resize(struct map *map, size_t capacity, uint64_t seed)
{
	struct map other = {.capacity = capacity, .seed = seed};

	other.slots = calloc(capacity, sizeof(*other.slots));
	if (!other.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].used)
			put(&other, map->slots[i].key, map->slots[i].value);
	free(map->slots);
	*map = other;
	return 0;
}

/* The seed is even, so that XOR keeps the multiplier odd. */
static uint64_t next_seed(const struct map *map)
{
	return (map->seed + table_seed()) * UINT64_C(0xd6e8feb86659fd93) &
	       ~UINT64_C(1);
}

int map_set(struct map *map, uint64_t key, uint32_t value)
{
	size_t at;

	if (2 * (map->count + 1) > map->capacity &&
	    resize(map, map->capacity ? 2 * map->capacity : FIRST_CAPACITY,
		   map->seed))
		return -ENOMEM;
	at = put(map, key, value);
	/* If this runs out of memory, the map is slow but correct. */
	if (((at - home_of(map, key)) & (map->capacity - 1)) >= FAR)
		resize(map, map->capacity, next_seed(map));
	return 0;
}

bool map_get(const struct map *map, uint64_t key, uint32_t *value)
{
	size_t at;

	if (!map->count)
		return false;
	at = slot_of(map, key);
	if (!map->slots[at].used)
		return false;
	*value = map->slots[at].value;
	return true;
}

void map_fini(struct map *map)
{
	free(map->slots);
	*map = (struct map){};
}
