/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Source lines and inlined functions of one file, from DWARF. */
#pragma once

#include <pmscope/symbols.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/space.h"
#include "debug.h"
#include "demangle.h"
#include "unreadable_files.h"

#include <elfutils/libdw.h>

struct unit_range;

/* Split units (.dwo) and their files. Empty when zeroed. */
struct splits {
	struct map admitted; /* unit offset to 1 or 0 */
	struct named files;  /* split_file by device and inode */
	uint64_t again;	     /* bytes for files opened again */
};

/* The units of a file. Not read yet when zeroed. */
struct units {
	struct unit_range *ranges; /* sorted by start */
	size_t nr_ranges;
	size_t max_ranges;
	bool read;
	struct splits splits;
};

/*
 * Finds the unit at @address, which includes the bias of @module; sets @bias to
 * that of the unit's DWARF. Returns false if there is none or if out of memory
 * (sets @missing->memory).
 */
bool units_find(struct units *units, Dwfl_Module *module,
		struct unreadable_files *missing, uint64_t address,
		Dwarf_Die *unit, Dwarf_Addr *bias);

/*
 * Returns the unit that has the functions of @unit: that in its .dwo file if
 * libdw may open it, otherwise @unit itself.
 */
Dwarf_Die units_whole(struct units *units, Dwfl_Module *module,
		      struct unreadable_files *missing, Dwarf_Die unit);
void units_fini(struct units *units);

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

/* What a DIE says of a function, and of where it is inlined. */
struct function {
	const char *name;
	const char *linkage;
	unsigned int start;
	unsigned int call_file;
	unsigned int call_line;
	unsigned int discriminator;
};

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
	KEYED(struct function, functions, nr_functions, function_of_die);
};

/*
 * Opens the DWARF of the file that is open as @fd, which is always closed, and
 * called @path. @search: see debug.h. A file without DWARF has no lines.
 */
void lines_open(struct lines *lines, int fd, const char *path,
		const struct debug_search *search);

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
 * many; the first has the line even if there are none. Strings stay valid until
 * lines_fini(). Sets @around to addresses that have the same.
 */
size_t lines_frames(struct lines *lines, uint64_t address,
		    struct pmscope_frame *frames,
		    struct pmscope_around *around);
void lines_fini(struct lines *lines);
