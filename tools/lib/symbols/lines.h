/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Source lines and inlined functions of one file, from its DWARF. */
#ifndef PMSCOPE_SYMBOLS_LINES_H
#define PMSCOPE_SYMBOLS_LINES_H

#include <pmscope/symbols.h>

#include "debug.h"
#include "demangle.h"
#include "parts.h"
#include "units.h"

/* A text of inlined functions that is longer is longer than anybody reads. */
#define LINES_TEXT_MAX 16384

/* Zeros are a file without lines. */
struct lines {
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias;
	struct missing *missing;
	struct units units;
	struct parts parts;
	bool mangled; /* names stay as they are, else: */
	struct demangled demangled;
	char frames[LINES_TEXT_MAX];
};

/*
 * Begins with the file that is open as @fd, which is closed, and called @path;
 * for @search see debug.h. A file without DWARF has no lines.
 */
void lines_open(struct lines *lines, int fd, const char *path,
		const struct debug_search *search);

/*
 * @address as linked. Returns 0, or -ENOENT when nothing is known. @line points
 * to strings that stay until lines_fini(), but for its frames: they stay until
 * the next call. @around is set to addresses that have the same line.
 */
int lines_find(struct lines *lines, uint64_t address, struct pmscope_line *line,
	       struct pmscope_around *around);
void lines_fini(struct lines *lines);

#endif /* PMSCOPE_SYMBOLS_LINES_H */
