// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "demangle.h"

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

/* Of libiberty, whose header not all distributions have in one place. */
typedef void demangle_callback(const char *text, size_t length, void *opaque);
int cplus_demangle_v3_callback(const char *mangled, int options,
			       demangle_callback *callback, void *opaque);
int rust_demangle_callback(const char *mangled, int options,
			   demangle_callback *callback, void *opaque);

#define DMGL_NO_OPTS 0

/*
 * Names refer to parts of themselves, so that 200 bytes can stand for
 * megabytes: what gets longer than this stays as it is.
 */
#define MAX_TEXT 16384

struct shown {
	jmp_buf too_long;
	size_t length;
	char text[MAX_TEXT];
};

static void show(const char *text, size_t length, void *opaque)
{
	struct shown *shown = opaque;

	/* Those who call have nothing but their stack to clean up. */
	if (length > sizeof(shown->text) - shown->length)
		longjmp(shown->too_long, 1);
	memcpy(shown->text + shown->length, text, length);
	shown->length += length;
}

/* The old names of Rust are of the form of C++ names, with a hash more. */
static bool show_name(const char *mangled, struct shown *shown)
{
	shown->length = 0;
	if (setjmp(shown->too_long))
		return false;
	if (rust_demangle_callback(mangled, DMGL_NO_OPTS, show, shown))
		return true;
	shown->length = 0;
	return cplus_demangle_v3_callback(mangled, DMGL_NO_OPTS, show, shown);
}

/* "NAME@plt" is that of NAME, with the same end. */
static bool show_all(const char *name, struct shown *shown)
{
	size_t length = strcspn(name, "@"), rest = strlen(name + length);
	char mangled[4096];

	if (length >= sizeof(mangled))
		return false;
	memcpy(mangled, name, length);
	mangled[length] = '\0';
	if (!show_name(mangled, shown) ||
	    rest > sizeof(shown->text) - shown->length)
		return false;
	memcpy(shown->text + shown->length, name + length, rest);
	shown->length += rest;
	return true;
}

static int remember(struct demangled *d, const char *name, uint32_t *number)
{
	struct shown shown;
	int ret;

	if (show_all(name, &shown))
		ret = strings_intern(&d->names, shown.text, shown.length,
				     number);
	else
		ret = strings_intern(&d->names, name, strlen(name), number);
	return ret ? ret
		   : map_set(&d->number_of_name, (uintptr_t)name, *number);
}

const char *demangle(struct demangled *d, const char *name)
{
	uint32_t number;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return name;
	if (!map_get(&d->number_of_name, (uintptr_t)name, &number) &&
	    remember(d, name, &number))
		return name;
	return strings_get(&d->names, number);
}

void demangled_fini(struct demangled *d)
{
	map_fini(&d->number_of_name);
	strings_fini(&d->names);
}
