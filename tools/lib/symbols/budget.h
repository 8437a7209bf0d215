/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * What libdw reads of a unit it keeps, however often another one had the same
 * bytes. Of lines compilers give each its own: all units together have no more
 * than the section has; of abbreviations they have some millions more. Of files
 * that lie some units are not read.
 */
#ifndef PMSCOPE_SYMBOLS_BUDGET_H
#define PMSCOPE_SYMBOLS_BUDGET_H

#include "line_table.h"
#include "table/map.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeros have spent nothing. */
struct budget {
	struct map admitted;	 /* unit to 1 or 0 */
	struct map table_admits; /* offset of a table of lines to 1 or 0 */
	struct map base_runs;	 /* see base_run.h, of each Dwarf; */
	uint32_t base_run;	 /* and the longest */
	uint64_t entries; /* abbreviations up to those of units themselves */
	uint64_t abbrevs; /* of units that were admitted */
	uint64_t tables;  /* bytes of tables of lines */
	uint64_t names;	  /* bytes of names of files in them */
	uint64_t steps;	  /* in lists of ranges */
	bool failed;	  /* memory was short: not all is known */
	bool open;
	struct dwarf_section info;
	struct dwarf_section abbrev;
	struct line_sections lines;
};

/* May the entry of @unit itself be read: its ranges, for instance? */
bool budget_admits_entry(struct budget *budget, Dwarf_Die *unit);

/* May its lines, and all its entries? They are counted the first time. */
bool budget_admits(struct budget *budget, Dwarf_Die *unit);

/* dwarf_ranges(), as long as the lists of a file do not take too long. */
ptrdiff_t budget_ranges(struct budget *budget, Dwarf_Die *die, ptrdiff_t last,
			Dwarf_Addr *base, Dwarf_Addr *begin, Dwarf_Addr *end);
void budget_fini(struct budget *budget);

#endif /* PMSCOPE_SYMBOLS_BUDGET_H */
