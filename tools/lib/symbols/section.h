/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_SECTION_H
#define PMSCOPE_SYMBOLS_SECTION_H

#include "dwarf_bytes.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct section {
	Elf_Scn *scn;
	GElf_Shdr header;
};

/*
 * Does each table of strings end with one's end, as they must? Else libelf
 * looks for it through all of the table, for each name.
 */
bool sections_strings_end(Elf *file);

/* Bytes that compressed sections give, or UINT64_MAX: more than @limit. */
uint64_t sections_unpacked(Elf *file, uint64_t limit);

/*
 * Do the tables of strings end, are notes sound, and do compressed sections,
 * which libdw unpacks all, give no more than such of compilers can?
 */
bool sections_are_sound(Elf *file);

/* Are symbol tables valid? libdwfl trusts them. */
bool sections_symbols_are_sound(Elf *file);

/* The first section of that name. */
bool section_find(Elf *file, const char *name, struct section *found);

/*
 * As libdw has taken ".debug_...", and unpacked it: the first that has bytes
 * and is of no group, which may be called ".zdebug_..." too.
 */
bool section_find_debug(Elf *file, const char *name, struct section *found);

/* The bytes of that; of no @file, too, which has none. */
void section_find_dwarf(Elf *file, const char *name,
			struct dwarf_section *found);

#endif /* PMSCOPE_SYMBOLS_SECTION_H */
