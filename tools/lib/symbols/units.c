// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * .debug_aranges tells it at once, but has what GCC compiled only: units of
 * Clang and of Rust are asked one by one for their ranges, the first time.
 */
#include "units.h"
#include "base/array.h"

#include <dwarf.h>
#include <stdlib.h>

struct unit_range {
	uint64_t begin;
	uint64_t end;
	Dwarf_Die unit;
	Dwarf_Addr bias;
};

static bool range_add(struct units *units, const struct unit_range *range)
{
	void *ranges =
		array_reserve(units->ranges, units->nr_ranges,
			      &units->max_ranges, sizeof(*units->ranges));

	if (!ranges)
		return false;
	units->ranges = ranges;
	units->ranges[units->nr_ranges++] = *range;
	return true;
}

/* False when memory is short. */
static bool read_unit(struct units *units, Dwarf_Die *unit, Dwarf_Addr bias)
{
	struct unit_range range = {.unit = *unit, .bias = bias};
	Dwarf_Addr base, begin, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(unit, next, &base, &begin, &end)) > 0) {
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

static void read_units(struct units *units, Dwfl_Module *module,
		       struct missing *missing)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	units->read = true;
	while ((unit = dwfl_module_nextcu(module, unit, &bias)))
		if (!read_unit(units, unit, bias)) {
			missing->memory = true;
			break;
		}
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

bool units_find(struct units *units, Dwfl_Module *module,
		struct missing *missing, uint64_t address, Dwarf_Die *unit,
		Dwarf_Addr *bias)
{
	Dwarf_Die *listed = dwfl_module_addrdie(module, address, bias);
	const struct unit_range *range;

	if (listed) {
		*unit = *listed;
		return true;
	}
	if (!units->read)
		read_units(units, module, missing);
	range = range_find(units, address);
	if (!range)
		return false;
	*unit = range->unit;
	*bias = range->bias;
	return true;
}

Dwarf_Die units_whole(struct units *units, Dwfl_Module *module,
		      struct missing *missing, Dwarf_Die unit)
{
	Dwarf_Die split = {};
	uint8_t type;

	if (!split_admits(&units->splits, missing, module, &unit) ||
	    dwarf_cu_info(unit.cu, NULL, &type, NULL, &split, NULL, NULL,
			  NULL) ||
	    type != DW_UT_skeleton || !split.addr)
		return unit;
	return split;
}

void units_fini(struct units *units)
{
	free(units->ranges);
	splits_fini(&units->splits);
}
