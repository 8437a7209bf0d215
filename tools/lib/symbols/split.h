/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * What units tell in a file apart (.dwo). libdw opens it for each unit that
 * names it, and keeps what it has unpacked, and the units that it has passed:
 * of units of Clang's -flto, which share one, the last are not read.
 */
#ifndef PMSCOPE_SYMBOLS_SPLIT_H
#define PMSCOPE_SYMBOLS_SPLIT_H

#include "base/map.h"
#include "base/named.h"
#include "missing.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* Zeros have met none. */
struct splits {
	struct map admitted; /* unit to 1 or 0 */
	struct named files;  /* what is known of them */
	uint64_t again;	     /* bytes of those that were opened again */
};

/*
 * May libdw open what @unit, which is of @module, is apart in? Also of one that
 * is not. Files that are none to read are not opened.
 */
bool split_admits(struct splits *splits, struct missing *missing,
		  Dwfl_Module *module, Dwarf_Die *unit);
void splits_fini(struct splits *splits);

#endif /* PMSCOPE_SYMBOLS_SPLIT_H */
