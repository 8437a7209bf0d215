/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The variables of one file and the layout of their types, from DWARF. Runs in
 * the child of reader.h.
 */
#pragma once

#include "reader_child.h"
#include "source_lines.h"

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

/*
 * Finds the variable that contains the link address @address in @lines. Returns
 * false if there is none.
 */
bool variables_find(struct variables *variables, struct lines *lines,
		    uint64_t address, struct layout *layout);

/* The same, but sets @die to it. */
bool variables_die(struct variables *variables, struct lines *lines,
		   uint64_t address, Dwarf_Die *die);

/*
 * The type of @die without typedefs and qualifiers, and where a member is in
 * its struct, if that is told.
 */
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
