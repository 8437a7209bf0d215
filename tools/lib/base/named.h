/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A table of items by name; each name has one item. */
#pragma once

#include "strings.h"

#include <sys/stat.h>

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
