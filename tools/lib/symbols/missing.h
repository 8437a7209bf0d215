/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Why names may be missing that there are. One for all look-ups, as what each
 * of them reads is kept for the others.
 */
#ifndef PMSCOPE_SYMBOLS_MISSING_H
#define PMSCOPE_SYMBOLS_MISSING_H

#include "base/strings.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Zeros are of what is whole. */
struct missing {
	bool memory;	/* was short */
	uint64_t texts; /* bytes of source lines */
	uint64_t maps;	/* bytes of perf-PID.map, and next, with those of */
	uint64_t jit_symbols; /* jitdumps, names in them: of all processes */
	struct strings files; /* that are there, but could not be read, */
	int *errors;	      /* and why: below 0 */
	size_t max_errors;
};

/*
 * @path was opened: if not, @fd says why. A file that is not there is none of
 * them.
 */
void missing_file(struct missing *missing, const char *path, int fd);
void missing_fini(struct missing *missing);

/*
 * For the places where one file may be: the first that could not be read. It
 * counts only if the file is in none of them. Zeros are empty.
 */
struct unread {
	int error;
	char path[PATH_MAX];
};

void unread_file(struct unread *unread, const char *path, int fd);

/* It was found nowhere. */
void missing_unread(struct missing *missing, const struct unread *unread);

#endif /* PMSCOPE_SYMBOLS_MISSING_H */
