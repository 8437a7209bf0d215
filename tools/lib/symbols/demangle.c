// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "demangle.h"

#include "mangled.h"

#include <stdint.h>
#include <string.h>

/* "NAME@plt" is that of NAME, with the same end. */
static bool show_all(const char *name, struct mangled_text *shown,
		     uint64_t *slow)
{
	size_t length = strcspn(name, "@"), rest = strlen(name + length);
	char mangled[4096];

	if (length >= sizeof(mangled))
		return false;
	memcpy(mangled, name, length);
	mangled[length] = '\0';
	if (!mangled_show(mangled, shown, slow) ||
	    rest > sizeof(shown->text) - shown->length)
		return false;
	memcpy(shown->text + shown->length, name + length, rest);
	shown->length += rest;
	return true;
}

static int remember(struct demangled *d, const char *name, uint32_t *number)
{
	struct mangled_text shown;
	int ret;

	if (show_all(name, &shown, &d->slow))
		ret = strings_intern(&d->names, shown.text, shown.length,
				     number);
	else
		ret = strings_intern(&d->names, name, strlen(name), number);
	return ret ? ret
		   : map_set(&d->number_of_name, (uintptr_t)name, *number);
}

const char *demangle(struct demangled *d, struct missing *missing,
		     const char *name)
{
	uint32_t number;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return name;
	if (!map_get(&d->number_of_name, (uintptr_t)name, &number) &&
	    remember(d, name, &number)) {
		missing->memory = true;
		return name;
	}
	return strings_get(&d->names, number);
}

void demangled_fini(struct demangled *d)
{
	map_fini(&d->number_of_name);
	strings_fini(&d->names);
}
