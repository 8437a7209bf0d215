/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Finds the compilation unit of an address. */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "unreadable_files.h"

#include <elfutils/libdwfl.h>

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
