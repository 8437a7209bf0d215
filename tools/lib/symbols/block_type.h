/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The type of what a call allocates, from DWARF. Runs in the child of reader.h.
 */
#pragma once

#include "variables.h"

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
