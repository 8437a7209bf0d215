/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Which part of a unit's tree, and which part of that, an address is in. The
 * parts of each are read once: there can be as many functions in a unit as
 * addresses that are asked for.
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

/* Zeros are those of no unit. */
struct parts {
	struct map space_of_die; /* by where it is, and what was asked for */
	struct space *spaces;	 /* of each die that was asked for its parts */
	size_t nr_spaces;
	size_t max_spaces;
	struct part_range *ranges; /* of the newest of them */
	size_t nr_ranges;
	size_t max_ranges;
	Dwarf_Die *dies; /* all parts */
	size_t nr_dies;
	size_t max_dies;
	struct missing *missing;
	struct space_pool pool;
};

/*
 * Functions and inlined ones, also those in namespaces, types and blocks, which
 * are no parts; of a unit also functions in functions, as those of lambdas. Of
 * two with one address it is the first. False: none is there, or memory is
 * short. Narrows @around to addresses in the same parts.
 */
bool parts_find(struct parts *parts, struct missing *missing, Dwarf_Die *die,
		Dwarf_Addr address, Dwarf_Die *part,
		struct pmscope_around *around);
void parts_fini(struct parts *parts);

#endif /* PMSCOPE_SYMBOLS_PARTS_H */
