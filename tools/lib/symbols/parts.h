/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Finds the functions and inlined functions at an address in the DIE tree of a
 * unit. The children of each DIE are read once, because a unit may have as many
 * functions as there are addresses to look up.
 */
#ifndef PMSCOPE_SYMBOLS_PARTS_H
#define PMSCOPE_SYMBOLS_PARTS_H

#include "base/map.h"
#include "base/space.h"
#include "missing.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct part_range;

/* Empty when zeroed. */
struct parts {
	struct map space_of_die; /* by DIE address and kind of search */
	struct space *spaces;	 /* one for each DIE that was searched */
	size_t nr_spaces;
	size_t max_spaces;
	struct part_range *ranges; /* of the newest space */
	size_t nr_ranges;
	size_t max_ranges;
	Dwarf_Die *dies; /* all functions found */
	size_t nr_dies;
	size_t max_dies;
	struct missing *missing;
	struct space_pool pool;
};

/*
 * Finds the function or inlined function directly within @die that contains
 * @address; sets @part. Namespaces, types and blocks do not count as levels. In
 * a unit, functions within functions are found as well, such as lambdas. If
 * several contain the address, the first one is taken. Returns false if there
 * is none, or if out of memory (sets @missing->memory). Narrows @around to
 * addresses for which the answer is the same.
 */
bool parts_find(struct parts *parts, struct missing *missing, Dwarf_Die *die,
		Dwarf_Addr address, Dwarf_Die *part,
		struct pmscope_around *around);
void parts_fini(struct parts *parts);

#endif /* PMSCOPE_SYMBOLS_PARTS_H */
