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
 * Checks that each string table ends with a NUL, as ELF requires; otherwise
 * libelf scans the whole table for each name.
 */
bool sections_strings_end(Elf *file);

/*
 * Returns the uncompressed size of all compressed sections in bytes, or
 * UINT64_MAX if it exceeds @limit.
 */
uint64_t sections_unpacked(Elf *file, uint64_t limit);

/*
 * Returns true if libdw may read @file: its string tables end with a NUL, its
 * notes are valid, and its compressed sections, which libdw unpacks all, are
 * not larger than a compiler would make them.
 */
bool sections_are_sound(Elf *file);

/* Checks the symbol tables, because libdwfl trusts their headers. */
bool sections_symbols_are_sound(Elf *file);

/* Finds the first section called @name. Returns false if there is none. */
bool section_find(Elf *file, const char *name, struct section *found);

/*
 * Returns true if part of @elf's debug information is in a file that it shares
 * with others (.gnu_debugaltlink, made by dwz).
 */
bool link_shares(Elf *elf);

/*
 * Returns true if libdw may open this .dwo file itself: it is sound and has no
 * .gnu_debugaltlink, which libdw would follow to the next file.
 */
bool link_is_sound(Elf *elf);

#endif /* PMSCOPE_SYMBOLS_SECTION_H */
