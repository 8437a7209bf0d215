/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What the child reads of DWARF. */
#pragma once

#include "reader.h"

#include <elfutils/libdw.h>

/* Source lines and inlined functions of one file, from DWARF. */
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
 * called @path. @search: see files.h. A file without DWARF has no lines.
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

/* The variables of one file and the layout of their types, from DWARF. */
struct found_variable;
struct thread_symbol;

/* The static variables of a file. Not read yet when zeroed. */
struct variables {
	struct found_variable *all; /* sorted by address */
	size_t nr;
	size_t max;
	unsigned int read; /* passes over the units */
	bool of_threads;   /* thread-local: at offsets from TPIDR_EL0 */
	struct thread_symbol *symbols; /* of these */
	size_t nr_symbols;
	size_t max_symbols;
};

/* What an answer to READER_LAYOUT has room for. */
#define LAYOUT_PARTS 2048
#define LAYOUT_TEXTS 24576

/* A variable, and the parts of its type as in struct reader_part. */
struct layout {
	uint64_t start;
	uint64_t size;
	struct reader_part part[LAYOUT_PARTS];
	size_t nr;
	char texts[LAYOUT_TEXTS];
	size_t used;
};

/* Finds the variable that contains the link address. False if none does. */
bool variables_find(struct variables *variables, struct lines *lines,
		    uint64_t address, struct layout *layout);

/* The same, but sets @die to it. */
bool variables_die(struct variables *variables, struct lines *lines,
		   uint64_t address, Dwarf_Die *die);

/* The type without typedefs and qualifiers; where a member is, if told. */
bool variables_type(Dwarf_Die *die, Dwarf_Die *type);
bool variables_place(Dwarf_Die *member, uint64_t *offset);

/* Fills @layout but its start: memory full of what @pointer points to. */
bool variables_array_of(Dwarf_Die *pointer, struct layout *layout);

void variables_fini(struct variables *variables);

/*
 * Finds the type that the call at the link address @address allocates, an array
 * of it, where it is known:
 * - from the pointer that gets what the call returns, as the code of arm64
 * shows: a variable, or a member of what a variable points to;
 * - from what the function returns, if it is an allocator's, as C++'s;
 * - from the variable that is declared on the line of the call.
 * Its start is @address. Of a call in a function that only passes on what it
 * gets, the second alone counts; without a type, its size is how far behind the
 * start what it passes on is, as behind a size that it keeps there.
 */
bool block_type(struct variables *variables, struct lines *lines,
		uint64_t address, bool passes_on, struct layout *layout);

/* Functions that only pass on what an allocator returns. */

/* By their names, or as libraries of C++ and Rust have all of their code. */
static inline bool is_wrapper(const struct pmscope_frame *frame)
{
	static const char *const names[] = {
		"operator new", "std::",   "__gnu_cxx::", "core::", "strdup",
		"strndup",	"xstrdup", "mmap",	  "fopen",
	};
	static const char *const folders[] = {"/include/c++/", "/rustc/"};

	if (strcasestr(frame->name, "alloc"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(frame->name + strspn(frame->name, "_<"), names[i],
			     strlen(names[i])) ||
		    !strncmp(frame->name, names[i], strlen(names[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (frame->file && strstr(frame->file, folders[i]))
			return true;
	return false;
}
