/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What is known by its name, and found or made once. */
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
 * Where the item of @name is, until the next call; NULL when memory is short.
 * *@is_new says that nobody asked for it before: it is NULL then.
 */
void **named_item(struct named *named, const char *name, bool *is_new);

/* The same of a file, whatever it is called. */
void **named_file(struct named *named, const struct stat *st, bool *is_new);

/* @item_free: for each item, also for those that are NULL */
void named_fini(struct named *named, void (*item_free)(void *item));

#endif /* PMSCOPE_BASE_NAMED_H */
