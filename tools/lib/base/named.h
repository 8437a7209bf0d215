/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Items that are found or made once per name. */
#ifndef PMSCOPE_BASE_NAMED_H
#define PMSCOPE_BASE_NAMED_H

#include "strings.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Zeros hold nothing. */
struct named {
	struct strings names;
	void **items;
	size_t capacity;
};

/*
 * The slot of the item @name, valid until the next call; NULL if out of memory.
 * *@is_new is set if the name is new: the slot is NULL then.
 */
void **named_item(struct named *named, const char *name, bool *is_new);

/* The same for a file, under any name. */
void **named_file(struct named *named, const struct stat *st, bool *is_new);

/* @item_free: for each item, also for those that are NULL */
void named_fini(struct named *named, void (*item_free)(void *item));

#endif /* PMSCOPE_BASE_NAMED_H */
