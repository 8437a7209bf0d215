/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Source lines and inlined functions of one file, from its DWARF. */
#ifndef PMSCOPE_SYMBOLS_LINES_H
#define PMSCOPE_SYMBOLS_LINES_H

#include <pmscope/symbols.h>

#include "base/map.h"
#include "base/strings.h"
#include "debug.h"
#include "demangle.h"
#include "parts.h"
#include "units.h"

/* Zeros are a file without lines. */
struct lines {
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias;
	struct units units;
	struct parts parts;
	bool mangled; /* names stay as they are, else: */
	struct demangled demangled;
	struct map known; /* address to index of @items */
	struct pmscope_line *items;
	size_t nr_items;
	size_t max_items;
	struct strings frames;
	uint64_t texts; /* bytes of @frames and @demangled that were counted */
	uint64_t texts_seen;
	uint64_t texts_limit;
};

/*
 * Begins with the file at @path; for @search see debug.h. A file without DWARF
 * has no lines.
 */
void lines_open(struct lines *lines, const char *path,
		const struct debug_search *search);

/*
 * @address as linked. Returns 0; -ENOENT when nothing is known; -ENOMEM. What
 * @line points to stays until lines_fini().
 */
int lines_find(struct lines *lines, uint64_t address,
	       struct pmscope_line *line);
void lines_fini(struct lines *lines);

#endif /* PMSCOPE_SYMBOLS_LINES_H */
