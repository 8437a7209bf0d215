/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Which compilation unit of a file an address is of. */
#ifndef PMSCOPE_SYMBOLS_UNITS_H
#define PMSCOPE_SYMBOLS_UNITS_H

#include "base/map.h"
#include "base/named.h"
#include "missing.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unit_range;

/* Zeros have met none. */
struct splits {
	struct map admitted; /* unit to 1 or 0 */
	struct named files;  /* what is known of them */
	uint64_t again;	     /* bytes of those that were opened again */
};

/* Attributes of units. Zeros: not read yet. */
struct units {
	struct unit_range *ranges; /* by their begin */
	size_t nr_ranges;
	size_t max_ranges;
	bool read;
	struct splits splits;
};

/*
 * The unit at @address, which has the bias of @module; @bias is that of its
 * DWARF. False without one, or without memory.
 */
bool units_find(struct units *units, Dwfl_Module *module,
		struct missing *missing, uint64_t address, Dwarf_Die *unit,
		Dwarf_Addr *bias);

/*
 * Where the functions of @unit, which is of @module, are told: in a file apart
 * (.dwo), or here.
 */
Dwarf_Die units_whole(struct units *units, Dwfl_Module *module,
		      struct missing *missing, Dwarf_Die unit);
void units_fini(struct units *units);

#endif /* PMSCOPE_SYMBOLS_UNITS_H */
