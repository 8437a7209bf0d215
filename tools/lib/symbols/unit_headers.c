// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "unit_headers.h"
#include "section.h"

#include <dwarf.h>

/* In memory. */
#define ABBREV_SIZE 48
#define UNIT_SIZE   1300

/*
 * Of one abbreviation; compilers write less than 40. Those without a value take
 * no bytes of an entry, but time of each.
 */
#define MAX_ATTRIBUTES 128

/*
 * Past the tag, whether it has children, and attributes with their forms. False
 * where these are more than of a compiler, or half of one is 0: for libdw that
 * is the end here, and none there.
 */
static bool skip_abbrev(struct dwarf_bytes *b)
{
	dwarf_uleb128(b);
	dwarf_skip(b, 1);
	for (unsigned int nr = 0; nr <= MAX_ATTRIBUTES; nr++) {
		uint64_t name = dwarf_uleb128(b), form = dwarf_uleb128(b);

		if (form == DW_FORM_implicit_const)
			dwarf_uleb128(b);
		if (!name || !form)
			return !name && !form;
	}
	return false;
}

/*
 * How many there are in the table at @offset up to that with @code, or all, if
 * fewer, as of 0. One that lies has too many for any budget.
 */
static uint64_t count_abbrevs(const struct dwarf_section *abbrev,
			      uint64_t offset, uint64_t code)
{
	struct dwarf_bytes b = dwarf_at(abbrev, offset);
	uint64_t nr = 0, found;

	if (!abbrev->data || offset > abbrev->size)
		return UINT64_MAX;
	while ((found = dwarf_uleb128(&b))) {
		nr++;
		if (!skip_abbrev(&b))
			return UINT64_MAX;
		if (found == code)
			break;
	}
	return nr;
}

/* Of a file of its own, or of one that is kept apart. */
static void find_either(Dwarf *dwarf, const char *name, const char *apart,
			struct dwarf_section *found)
{
	section_find_dwarf(dwarf_getelf(dwarf), name, found);
	if (!found->data)
		section_find_dwarf(dwarf_getelf(dwarf), apart, found);
}

static void find_abbrev(Dwarf *dwarf, struct dwarf_section *found)
{
	find_either(dwarf, ".debug_abbrev", ".debug_abbrev.dwo", found);
}

void unit_headers_begin(struct unit_headers *headers, Dwarf *dwarf)
{
	headers->dwarf = dwarf;
	headers->next = 0;
	find_either(dwarf, ".debug_info", ".debug_info.dwo", &headers->info);
	find_abbrev(dwarf, &headers->abbrev);
}

struct header {
	Dwarf_Off at;
	Dwarf_Off table; /* of abbreviations */
	size_t size;
	Dwarf_Half version;
	uint8_t offset_size;
};

static bool has_types(const struct dwarf_section *info,
		      const struct header *unit)
{
	unsigned int length = unit->offset_size == 8 ? 12 : 4;
	struct dwarf_bytes b = dwarf_at(info, unit->at + length + 2);
	uint64_t type = dwarf_number(&b, 1);

	return unit->version == 5 &&
	       (type == DW_UT_type || type == DW_UT_split_type);
}

/* Of units of types that of the unit itself is not read. */
static uint64_t abbrevs_of(const struct unit_headers *headers,
			   const struct header *unit)
{
	struct dwarf_bytes entry =
		dwarf_at(&headers->info, unit->at + unit->size);

	if (!headers->info.data)
		return UINT64_MAX;
	return has_types(&headers->info, unit)
		       ? 0
		       : count_abbrevs(&headers->abbrev, unit->table,
				       dwarf_uleb128(&entry));
}

bool unit_headers_next(struct unit_headers *headers, uint64_t *abbrevs)
{
	struct header unit = {.at = headers->next};

	if (dwarf_next_unit(headers->dwarf, unit.at, &headers->next, &unit.size,
			    &unit.version, &unit.table, NULL, &unit.offset_size,
			    NULL, NULL))
		return false;
	*abbrevs = abbrevs_of(headers, &unit);
	return true;
}

uint64_t unit_headers_size(Dwarf *dwarf, uint64_t limit)
{
	struct unit_headers headers;
	uint64_t size = 0, nr;

	unit_headers_begin(&headers, dwarf);
	while (unit_headers_next(&headers, &nr)) {
		if (nr > limit / ABBREV_SIZE)
			return limit;
		size += UNIT_SIZE + ABBREV_SIZE * nr;
		if (size > limit)
			return limit;
	}
	return size;
}

uint64_t unit_abbrevs(Dwarf_Die *unit)
{
	struct dwarf_section abbrev;
	Dwarf_Off table = 0;
	Dwarf_Die entry;

	find_abbrev(dwarf_cu_getdwarf(unit->cu), &abbrev);
	return dwarf_cu_die(unit->cu, &entry, NULL, &table, NULL, NULL, NULL,
			    NULL)
		       ? count_abbrevs(&abbrev, table, 0)
		       : UINT64_MAX;
}
