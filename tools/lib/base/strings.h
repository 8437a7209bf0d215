/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Interned strings: each has a small number and a stable address. */
#pragma once

#include "arena.h"
#include "map.h"

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
