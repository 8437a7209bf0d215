/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Names of C++ and Rust as they are in the source. */
#ifndef PMSCOPE_SYMBOLS_DEMANGLE_H
#define PMSCOPE_SYMBOLS_DEMANGLE_H

#include "base/map.h"
#include "base/strings.h"
#include "missing.h"

#include <stdbool.h>
#include <stddef.h>

struct reader;

/*
 * Names refer to parts of themselves, so that 200 bytes can stand for
 * megabytes: what gets longer than this stays as it is.
 */
#define DEMANGLED_MAX 16384

/* Zeros know no names. */
struct demangled {
	struct reader *reader;	   /* that is asked; NULL: in this process */
	struct map number_of_name; /* by its address */
	struct strings names;
};

/*
 * Without parameters, as perf does: "space::function". @name must stay where it
 * is; it is returned itself when it is no such name, or memory is short. What
 * is returned is at one place for equal names, until demangled_fini().
 */
const char *demangle(struct demangled *demangled, struct missing *missing,
		     const char *name);
void demangled_fini(struct demangled *demangled);

/*
 * What @name is in the source, by libiberty, which bounds neither its work nor
 * its stack. Returns how long that is, in @text; 0: it is no such name, or
 * longer.
 */
size_t demangle_here(const char *name, char text[DEMANGLED_MAX]);

#endif /* PMSCOPE_SYMBOLS_DEMANGLE_H */
