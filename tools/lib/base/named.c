// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "named.h"
#include "array.h"

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
