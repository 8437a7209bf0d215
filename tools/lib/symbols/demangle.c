// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "reader.h"

#include <setjmp.h>

/* From libiberty; distributions install its header in different places. */
typedef void demangle_callback(const char *text, size_t length, void *opaque);
int cplus_demangle_v3_callback(const char *mangled, int options,
			       demangle_callback *callback, void *opaque);
int rust_demangle_callback(const char *mangled, int options,
			   demangle_callback *callback, void *opaque);

#define DMGL_NO_OPTS 0

struct showing {
	char *text;
	size_t length;
	jmp_buf too_long;
};

static void show(const char *text, size_t length, void *opaque)
{
	struct showing *showing = opaque;

	/*
	 * libiberty allocates nothing here but the characters of a punycode
	 * identifier (Rust): at most 16 KiB leak for such a name.
	 */
	if (length > DEMANGLED_MAX - showing->length)
		longjmp(showing->too_long, 1);
	memcpy(showing->text + showing->length, text, length);
	showing->length += length;
}

/* Tries Rust first: legacy Rust names are valid C++ names with a hash added. */
static size_t show_name(const char *name, char *text)
{
	struct showing showing = {.text = text};

	if (setjmp(showing.too_long))
		return 0;
	if (rust_demangle_callback(name, DMGL_NO_OPTS, show, &showing))
		return showing.length;
	showing.length = 0;
	return cplus_demangle_v3_callback(name, DMGL_NO_OPTS, show, &showing)
		       ? showing.length
		       : 0;
}

/*
 * Demangles what precedes '@' and keeps the rest: "NAME@plt", "NAME@VERSION".
 */
size_t demangle_here(const char *name, char text[DEMANGLED_MAX])
{
	size_t length = strcspn(name, "@"), rest = strlen(name + length), shown;
	char mangled[4096];

	if (length >= sizeof(mangled))
		return 0;
	memcpy(mangled, name, length);
	mangled[length] = '\0';
	shown = show_name(mangled, text);
	if (!shown || rest > DEMANGLED_MAX - shown)
		return 0;
	memcpy(text + shown, name + length, rest);
	return shown + rest;
}

static int remember(struct demangled *d, const char *name, uint32_t *number)
{
	char text[DEMANGLED_MAX];
	ssize_t length = d->ask ? d->ask(d->reader, name, text)
				: (ssize_t)demangle_here(name, text);
	int ret;

	if (length < 0)
		return length;
	ret = length ? strings_intern(&d->names, text, length, number)
		     : strings_intern(&d->names, name, strlen(name), number);
	return ret ? ret
		   : map_set(&d->number_of_name, (uintptr_t)name, *number);
}

const char *demangle(struct demangled *d, struct unreadable_files *missing,
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
