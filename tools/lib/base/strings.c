// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "strings.h"
#include "array.h"
#include "hash.h"

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
