/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Interned strings: each has a small number and a stable address. */
#pragma once

#include "arena.h"
#include "map.h"

#include <sys/stat.h>

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
