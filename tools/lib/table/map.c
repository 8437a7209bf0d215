// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Open addressing with linear probing, at most half full. */
#include "map.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_CAPACITY 64

struct map_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

static size_t slot_of(const struct map *map, uint64_t key)
{
	/* Keys may differ in any bits: all of them must reach the low ones. */
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	size_t at;

	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	at = (hash >> 32) & (map->capacity - 1);

	while (map->slots[at].used && map->slots[at].key != key)
		at = (at + 1) & (map->capacity - 1);
	return at;
}

static void put(struct map *map, uint64_t key, uint32_t value)
{
	struct map_slot *slot = &map->slots[slot_of(map, key)];

	if (!slot->used)
		map->count++;
	*slot = (struct map_slot){key, value, true};
}

static int grow(struct map *map)
{
	struct map bigger = {
		.capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY,
	};

	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].used)
			put(&bigger, map->slots[i].key, map->slots[i].value);
	free(map->slots);
	*map = bigger;
	return 0;
}

int map_set(struct map *map, uint64_t key, uint32_t value)
{
	if (2 * (map->count + 1) > map->capacity && grow(map))
		return -ENOMEM;
	put(map, key, value);
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
