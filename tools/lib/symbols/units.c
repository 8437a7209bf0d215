// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * .debug_aranges tells it at once, but has what GCC compiled only: units of
 * Clang and of Rust are asked one by one for their ranges, the first time.
 */
#include "units.h"
#include "base/array.h"

#include <dwarf.h>
#include <stdlib.h>

/* Units of a file that lies may all have the same ranges. */
#define MAX_RANGES    (1U << 22)
#define BYTES_A_RANGE 16

struct unit_range {
	uint64_t begin;
	uint64_t end;
	Dwarf_Die unit;
	Dwarf_Addr bias;
};

static bool range_add(struct units *units, const struct unit_range *range)
{
	void *ranges;

	if (!budget_spend(&units->budget, units->budget.disk / BYTES_A_RANGE, 1,
			  sizeof(*range), &units->spent_ranges))
		return false;
	ranges = array_reserve(units->ranges, units->nr_ranges,
			       &units->max_ranges, sizeof(*units->ranges));
	units->budget.missing->memory |= !ranges;
	if (!ranges)
		return false;
	units->ranges = ranges;
	units->ranges[units->nr_ranges++] = *range;
	return true;
}

/* Then it has no ranges, and its entry was not counted. */
static bool has_types(Dwarf_Die *unit)
{
	uint8_t type;

	return !dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL,
			      NULL) &&
	       (type == DW_UT_type || type == DW_UT_split_type);
}

static bool read_unit(struct units *units, Dwarf_Die *unit, Dwarf_Addr bias)
{
	struct unit_range range = {.unit = *unit, .bias = bias};
	Dwarf_Addr base, begin, end;
	ptrdiff_t next = 0;

	if (has_types(unit))
		return true;
	while ((next = budget_ranges(&units->budget, unit, next, &base, &begin,
				     &end)) > 0) {
		if (units->nr_read++ == MAX_RANGES)
			return false;
		range.begin = begin + bias;
		range.end = end + bias;
		if (range.begin < range.end && !range_add(units, &range))
			return false;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void read_units(struct units *units, Dwfl_Module *module)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	units->read = true;
	while ((unit = dwfl_module_nextcu(module, unit, &bias)))
		if (!read_unit(units, unit, bias))
			break;
	if (units->nr_ranges)
		qsort(units->ranges, units->nr_ranges, sizeof(*units->ranges),
		      compare);
}

/* The last range that begins at or below @address. */
static const struct unit_range *range_find(const struct units *units,
					   uint64_t address)
{
	size_t nr = array_count_until(units->ranges, units->nr_ranges,
				      sizeof(*units->ranges), address);

	return nr && address < units->ranges[nr - 1].end
		       ? &units->ranges[nr - 1]
		       : NULL;
}

/*
 * As dwfl_module_addrdie() does before elfutils 0.192; the later ones keep all
 * ranges of all units for it, however many a file says there are.
 */
static bool aranges_find(Dwfl_Module *module, uint64_t address, Dwarf_Die *unit,
			 Dwarf_Addr *bias)
{
	Dwarf *dwarf = dwfl_module_getdwarf(module, bias);
	Dwarf_Aranges *aranges;
	Dwarf_Arange *arange;
	Dwarf_Off offset;
	size_t nr;

	if (!dwarf || dwarf_getaranges(dwarf, &aranges, &nr))
		return false;
	arange = dwarf_getarange_addr(aranges, address - *bias);
	return arange && !dwarf_getarangeinfo(arange, NULL, NULL, &offset) &&
	       dwarf_offdie(dwarf, offset, unit);
}

bool units_open(struct units *units, Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias), *shared;

	if (!dwarf || !budget_admits_file(&units->budget, dwarf))
		return false;
	shared = dwarf_getalt(dwarf);
	return !shared || budget_admits_file(&units->budget, shared);
}

bool units_find(struct units *units, Dwfl_Module *module, uint64_t address,
		Dwarf_Die *unit, Dwarf_Addr *bias)
{
	const struct unit_range *range;

	if (aranges_find(module, address, unit, bias))
		return true;
	if (!units->read)
		read_units(units, module);
	range = range_find(units, address);
	if (!range)
		return false;
	*unit = range->unit;
	*bias = range->bias;
	return true;
}

Dwarf_Die units_whole(struct units *units, Dwfl_Module *module, Dwarf_Die unit)
{
	Dwarf_Die split = {};
	uint8_t type;

	if (!split_admits(&units->splits, &units->budget, module, &unit) ||
	    dwarf_cu_info(unit.cu, NULL, &type, NULL, &split, NULL, NULL,
			  NULL) ||
	    type != DW_UT_skeleton || !split.addr)
		return unit;
	return split;
}

void units_fini(struct units *units)
{
	free(units->ranges);
	budget_fini(&units->budget);
	splits_fini(&units->splits);
}
