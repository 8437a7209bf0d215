// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "containers.h"
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
