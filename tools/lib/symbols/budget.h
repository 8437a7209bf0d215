/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * What libdw reads of a unit it keeps, however often another one had the same
 * bytes. Of lines compilers give each its own: all units together have no more
 * than the section has; of abbreviations they have some millions more. Units of
 * malformed files may be skipped.
 */
#ifndef PMSCOPE_SYMBOLS_BUDGET_H
#define PMSCOPE_SYMBOLS_BUDGET_H

#include "base/map.h"
#include "line_table.h"
#include "missing.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeros but for what is missing have spent nothing. */
struct budget {
	struct missing *missing;
	struct map admitted;	   /* unit, of whatever file, to 1 or 0 */
	struct map lines_admitted; /* the same for its lines */
	struct map table_admits;   /* offset of a table of lines to 1 or 0 */
	struct map base_runs;	   /* see base_run.h, of each Dwarf; */
	uint32_t base_run;	   /* and the longest */
	uint64_t entries; /* abbreviations up to those of units themselves */
	uint64_t abbrevs; /* of units that were admitted */
	uint64_t abbrevs_limit;
	uint64_t tables;   /* bytes of tables of lines */
	uint64_t names;	   /* bytes of names of files in them */
	uint64_t rows;	   /* of them */
	uint64_t unpacked; /* bytes of sections */
	uint64_t beyond;   /* bytes of memory: its part of all files\' */
	uint64_t disk;	   /* bytes that the file has there */
	bool exceeded;	   /* it is too large: nothing else is wrong with it */
	uint64_t steps;	   /* in lists of ranges */
	uint64_t passed;   /* bytes of entries of functions */
	uint64_t passed_limit;
	bool open;
	struct line_sections lines;
};

/*
 * Spends @nr of something that takes @each bytes of memory. What is above
 * @limit, which is in proportion to the file, all files have in common. False
 * when there is not so much left; then, of this file, there never is.
 */
bool budget_spend(struct budget *budget, uint64_t limit, uint64_t nr,
		  uint64_t each, uint64_t *spent);

/* May the sections of @dwarf stay, which has @disk bytes there? */
bool budget_admits_size(struct budget *budget, uint64_t disk, Dwarf *dwarf);

/*
 * May libdw take in the units of @dwarf, which it does all at once, and read
 * the entries of units themselves? To be asked once for each file, before all
 * else.
 */
bool budget_admits_file(struct budget *budget, Dwarf *dwarf);

/* The same of one that is kept apart (.dwo), before libdw opens it. */
bool budget_admits_apart(struct budget *budget, Elf *elf);

/* May all entries of @unit be read? They are counted the first time. */
bool budget_admits(struct budget *budget, Dwarf_Die *unit);

/* May more bytes of them be passed once more? */
static inline bool budget_admits_passing(const struct budget *budget)
{
	return budget->passed <= budget->passed_limit;
}

/* May its lines? Of units that are apart (.dwo) these are elsewhere. */
bool budget_admits_lines(struct budget *budget, Dwarf_Die *unit);

/* dwarf_ranges(), as long as the lists of a file do not take too long. */
ptrdiff_t budget_ranges(struct budget *budget, Dwarf_Die *die, ptrdiff_t last,
			Dwarf_Addr *base, Dwarf_Addr *begin, Dwarf_Addr *end);
void budget_fini(struct budget *budget);

#endif /* PMSCOPE_SYMBOLS_BUDGET_H */
