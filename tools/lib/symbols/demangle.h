/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Demangles C++ and Rust names. */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "unreadable_files.h"

struct reader;

/*
 * Mangled names can refer back to their own parts, so that 200 bytes can expand
 * to megabytes. A name that would be longer than this stays mangled.
 */
#define DEMANGLED_MAX 16384

/* A zeroed struct is empty. */
struct demangled {
	/* reader_demangle() in the parent; NULL in the child, which is asked */
	ssize_t (*ask)(struct reader *reader, const char *name, char *text);
	struct reader *reader;
	struct map number_of_name; /* by the address of the mangled name */
	struct strings names;
};

/*
 * Demangles @name without its parameters, as perf does: "space::function". The
 * cache is keyed by the pointer @name, so the string must stay where it is.
 * Returns @name itself if it is not mangled or if memory is short (sets
 * @missing->memory). Equal demangled names have the same pointer, which is
 * valid until demangled_fini().
 */
const char *demangle(struct demangled *demangled,
		     struct unreadable_files *missing, const char *name);
void demangled_fini(struct demangled *demangled);

/*
 * Demangles @name into @text with libiberty, which limits neither its time nor
 * its stack. Returns the length of @text, which is not terminated; 0 if @name
 * is not a mangled name or the result is too long.
 */
size_t demangle_here(const char *name, char text[DEMANGLED_MAX]);
