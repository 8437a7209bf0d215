/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Units of a file by their headers alone, and how many abbreviations libdw
 * reads of each: before it takes any of them in.
 */
#ifndef PMSCOPE_SYMBOLS_UNIT_HEADERS_H
#define PMSCOPE_SYMBOLS_UNIT_HEADERS_H

#include "dwarf_bytes.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct unit_headers {
	Dwarf *dwarf;
	struct dwarf_section info;
	struct dwarf_section abbrev;
	Dwarf_Off next;
};

void unit_headers_begin(struct unit_headers *headers, Dwarf *dwarf);

/*
 * False behind the last. @abbrevs: those up to that of the unit itself, or
 * UINT64_MAX where they lie.
 */
bool unit_headers_next(struct unit_headers *headers, uint64_t *abbrevs);

/* Bytes that libdw keeps of all units of @dwarf; @limit, if they are more. */
uint64_t unit_headers_size(Dwarf *dwarf, uint64_t limit);

/* Those of all entries of a unit that was taken in; UINT64_MAX: they lie. */
uint64_t unit_abbrevs(Dwarf_Die *unit);

#endif /* PMSCOPE_SYMBOLS_UNIT_HEADERS_H */
