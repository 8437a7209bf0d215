/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of source lines, from the files that debug information names. */
#ifndef PMSCOPE_ANNOTATE_SOURCE_H
#define PMSCOPE_ANNOTATE_SOURCE_H

#include "base/named.h"

#include <stddef.h>

/* Initialize to zeros, except for @symfs. */
struct source_files {
	const char *symfs; /* root of the recorded machine, or NULL */
	struct named files;
};

/*
 * Finds line @line of @file, as the compiler named it: below symfs, or on this
 * machine. Returns its text, which is not terminated, and its length; NULL if
 * there is no such file or line. The text stays valid until source_fini().
 */
const char *source_line(struct source_files *source, const char *file,
			unsigned int line, size_t *length);
void source_fini(struct source_files *source);

#endif /* PMSCOPE_ANNOTATE_SOURCE_H */
