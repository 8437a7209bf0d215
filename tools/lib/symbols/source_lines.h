/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Source lines and inlined functions of one file, from DWARF. */
#pragma once

#include <pmscope/symbols.h>

#include "base/map.h"
#include "base/space.h"
#include "debug.h"
#include "demangle.h"
#include "unreadable_files.h"
#include "units.h"

#include <elfutils/libdw.h>

struct part_range;

/*
 * The functions in the DIE trees of units. The children of each DIE are read
 * once, because a unit may have as many functions as there are addresses to
 * look up. Empty when zeroed.
 */
struct parts {
	/* One for each DIE that was searched; by its address and the search. */
	KEYED(struct space, spaces, nr_spaces, space_of_die);
	struct part_range *ranges; /* of the newest space */
	size_t nr_ranges;
	size_t max_ranges;
	Dwarf_Die *dies; /* all functions found */
	size_t nr_dies;
	size_t max_dies;
	struct unreadable_files *missing;
	struct space_pool pool;
};

/* Size of the buffer for a list of inlined functions. */
#define LINES_TEXT_MAX 16384

/* A zeroed struct has no lines. */
struct lines {
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias;
	struct unreadable_files *missing;
	struct units units;
	struct parts parts;
	bool mangled; /* keep mangled names; else: */
	struct demangled demangled;
	char frames[LINES_TEXT_MAX];
};

/*
 * Opens the DWARF of the file that is open as @fd, which is always closed, and
 * called @path. @search: see debug.h. A file without DWARF has no lines.
 */
void lines_open(struct lines *lines, int fd, const char *path,
		const struct debug_search *search);

/*
 * Finds the line of the link address @address. Returns 0, or -ENOENT if the
 * file is unknown. The strings of @line stay valid until lines_fini(), but
 * @line->frames only until the next call. Sets @around to addresses that have
 * the same line.
 */
int lines_find(struct lines *lines, uint64_t address, struct pmscope_line *line,
	       struct pmscope_around *around);

/* Functions are not inlined deeper. */
#define LINES_DEPTH 128

/*
 * Sets @dies to the function at the link address @address, and those inlined
 * there, the innermost last, and @bias to link addresses less those of DWARF.
 * Returns how many.
 */
size_t lines_dies(struct lines *lines, uint64_t address,
		  Dwarf_Die dies[LINES_DEPTH], uint64_t *bias);

/*
 * Finds the functions at the link address @address, innermost first: at most
 * PMSCOPE_FRAMES_MAX, without the outermost ones if there are more. Returns how
 * many. Strings and @around are as those of lines_find().
 */
size_t lines_frames(struct lines *lines, uint64_t address,
		    struct pmscope_frame *frames,
		    struct pmscope_around *around);
void lines_fini(struct lines *lines);
