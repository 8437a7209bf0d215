/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The files, as seen here, that symbols were read from so far; and texts. */
#pragma once

#include <pmscope/symbols.h>

#include <sys/types.h>

/*
 * Sets @path to the file with the symbols of the program, library or module of
 * @place; NULL if none was found, or it is our own vDSO. @device and @inode are
 * those of the file that was read. Returns 0; -ENOENT if
 * @place has no such file; -ENOMEM.
 */
int symbols_file(struct pmscope_symbols *symbols,
		 const struct pmscope_place *place, const char **path,
		 dev_t *device, ino_t *inode);

/*
 * Keeps @text as long as the symbols, once, at @kept. Returns 0; -ENOENT if
 * there are too many; -ENOMEM.
 */
int symbols_keep(struct pmscope_symbols *symbols, const char *text,
		 const char **kept);

/*
 * Sets the type of @site to what the call at @place allocates, in a function
 * that only @passes it on, or adds to its start how far behind it that passes
 * it. Returns 0; -ENOENT if neither is known; -ENOMEM.
 */
int symbols_block_type(struct pmscope_symbols *symbols,
		       const struct pmscope_place *place, bool passes,
		       struct pmscope_site *site);

/* The kernel's symbols and image; NULL if none was needed or found. */
const char *symbols_kallsyms(const struct pmscope_symbols *symbols);
const char *symbols_image(const struct pmscope_symbols *symbols);

/* Separate files of debug information, numbered from 0; NULL after the last. */
const char *symbols_debug_file(const struct pmscope_symbols *symbols,
			       size_t nr);
