/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Names of C++ and Rust as they are in the source. */
#ifndef PMSCOPE_SYMBOLS_DEMANGLE_H
#define PMSCOPE_SYMBOLS_DEMANGLE_H

#include "base/map.h"
#include "base/strings.h"
#include "missing.h"

/* Zeros know no names. */
struct demangled {
	struct map number_of_name; /* by its address */
	struct strings names;
	uint64_t slow; /* see mangled.h */
};

/*
 * Without parameters, as perf does: "space::function". @name must stay where it
 * is; it is returned itself when it is no such name, or memory is short. What
 * is returned is at one place for equal names, until demangled_fini().
 */
const char *demangle(struct demangled *demangled, struct missing *missing,
		     const char *name);
void demangled_fini(struct demangled *demangled);

#endif /* PMSCOPE_SYMBOLS_DEMANGLE_H */
