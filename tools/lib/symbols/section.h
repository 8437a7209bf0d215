/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_SECTION_H
#define PMSCOPE_SYMBOLS_SECTION_H

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

/* Does @elf have some of its debug information in a file it shares (dwz)? */
bool link_shares(Elf *elf);

/*
 * May libdw open this file, to which a link leads? It would unpack without
 * bounds, and follow the next link.
 */
bool link_is_sound(Elf *elf);

#endif /* PMSCOPE_SYMBOLS_SECTION_H */
