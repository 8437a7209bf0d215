// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "containers.h"
#include "hash.h"

/* Small, because many arenas hold only a few names; later blocks are larger. */
#define FIRST_BLOCK ((size_t)1 << 12)
#define MAX_BLOCK   ((size_t)1 << 20)

struct arena_block {
	struct arena_block *next;
	size_t size;
	uint64_t data[];
};

/* Size of the next block, at least @size bytes. */
static size_t block_size(const struct arena *arena, size_t size)
{
	size_t wanted = arena->blocks ? 2 * arena->blocks->size : FIRST_BLOCK;

	wanted = MIN(wanted, MAX_BLOCK);
	return MAX(wanted, size);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block;
	size_t wanted;

	if (size > SIZE_MAX - 2 * MAX_BLOCK)
		return NULL;
	size = (size + 7) & ~(size_t)7;
	if (size > arena->left) {
		wanted = block_size(arena, size);
		block = malloc(sizeof(*block) + wanted);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		block->size = wanted;
		arena->blocks = block;
		arena->left = wanted;
	}
	block = arena->blocks;
	arena->left -= size;
	return (char *)block->data + block->size - arena->left - size;
}

void *arena_copy(struct arena *arena, const void *data, size_t size)
{
	void *copy = arena_alloc(arena, size);

	if (copy)
		memcpy(copy, data, size);
	return copy;
}

void arena_fini(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	arena->left = 0;
}

/*
 * Open addressing with linear probing, at most half full. Keys come from a
 * file, which may be made to collide: after a long probe the table is rehashed
 * with a secret seed.
 */

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

static int add(struct strings *strings, uint64_t hash, const char *text,
	       size_t length)
{
	char *copy;

	if (array_room(strings->items, strings->count, strings->capacity))
		return -ENOMEM;
	copy = arena_alloc(&strings->arena, length + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (map_set(&strings->index_of_hash, hash, strings->count))
		return -ENOMEM;
	strings->items[strings->count++] = copy;
	strings->bytes += length + 1;
	return 0;
}

/* If two strings have the same hash, the second uses the next key. */
static bool find(const struct strings *strings, uint64_t *hash,
		 const char *text, size_t length, uint32_t *number)
{
	for (; map_get(&strings->index_of_hash, *hash, number); ++*hash) {
		const char *known = strings->items[*number];

		if (!strncmp(known, text, length) && !known[length])
			return true;
	}
	return false;
}

bool strings_find(const struct strings *strings, const char *text,
		  size_t length, uint32_t *number)
{
	uint64_t hash = hash_bytes(0, text, length);

	return find(strings, &hash, text, length, number);
}

int strings_intern(struct strings *strings, const char *text, size_t length,
		   uint32_t *number)
{
	uint64_t hash = hash_bytes(0, text, length);

	if (find(strings, &hash, text, length, number))
		return 0;
	*number = strings->count;
	return add(strings, hash, text, length);
}

const char *strings_get(const struct strings *strings, uint32_t number)
{
	return strings->items[number];
}

void strings_fini(struct strings *strings)
{
	map_fini(&strings->index_of_hash);
	free(strings->items);
	arena_fini(&strings->arena);
}

void **named_item(struct named *named, const char *name, bool *is_new)
{
	size_t count = named->names.count;
	void *items = array_reserve(named->items, count, &named->capacity,
				    sizeof(*named->items));
	uint32_t number;

	if (!items)
		return NULL;
	named->items = items;
	if (strings_intern(&named->names, name, strlen(name), &number))
		return NULL;
	*is_new = number == count;
	if (*is_new)
		named->items[number] = NULL;
	return &named->items[number];
}

void **named_file(struct named *named, const struct stat *st, bool *is_new)
{
	char name[64];

	snprintf(name, sizeof(name), "%jx %jx", (uintmax_t)st->st_dev,
		 (uintmax_t)st->st_ino);
	return named_item(named, name, is_new);
}

void named_fini(struct named *named, void (*item_free)(void *item))
{
	for (size_t i = 0; i < named->names.count; i++)
		item_free(named->items[i]);
	free(named->items);
	strings_fini(&named->names);
}

/* perf pads header strings to a multiple of this. */
#define STRING_ALIGN 64

void blob_bytes(struct blob *blob, const void *data, size_t size)
{
	char *grown = realloc(blob->data, blob->size + size + 1);

	if (!grown) {
		blob->failed = true;
		return;
	}
	blob->data = grown;
	if (size)
		memcpy(grown + blob->size, data, size);
	blob->size += size;
}

void blob_u32(struct blob *blob, uint32_t value)
{
	blob_bytes(blob, &value, sizeof(value));
}

void blob_u64(struct blob *blob, uint64_t value)
{
	blob_bytes(blob, &value, sizeof(value));
}

void blob_padded(struct blob *blob, const char *text)
{
	static const char zeros[STRING_ALIGN];
	size_t len = strlen(text) + 1;

	blob_bytes(blob, text, len);
	blob_bytes(blob, zeros, -len & (STRING_ALIGN - 1));
}

void blob_string(struct blob *blob, const char *text)
{
	size_t len = strlen(text) + 1;

	blob_u32(blob, len + (-len & (STRING_ALIGN - 1)));
	blob_padded(blob, text);
}

void blob_fini(struct blob *blob)
{
	free(blob->data);
	memset(blob, 0, sizeof(*blob));
}
