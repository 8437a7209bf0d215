/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A hash table from 64-bit keys to 32-bit values (indices into an array). */
#pragma once

#include "base/std.h"

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
