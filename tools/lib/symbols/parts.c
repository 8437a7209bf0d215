// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "parts.h"
#include "base/array.h"

#include <dwarf.h>
#include <stdint.h>
#include <stdlib.h>

/* Compilers do not nest namespaces and blocks deeper. */
#define MAX_DEPTH 128

struct part_range {
	Dwarf_Addr begin;
	Dwarf_Addr end;
	uint32_t die;
};

static bool is_function(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/*
 * Returns true for DIEs that may contain functions. Their own ranges are not
 * used: GCC sometimes gives the same address to two adjacent blocks.
 */
static bool has_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block;
}

static bool range_add(struct parts *parts, const struct part_range *range)
{
	void *ranges;

	ranges = array_reserve(parts->ranges, parts->nr_ranges,
			       &parts->max_ranges, sizeof(*parts->ranges));
	parts->missing->memory |= !ranges;
	if (!ranges)
		return false;
	parts->ranges = ranges;
	parts->ranges[parts->nr_ranges++] = *range;
	return true;
}

static void part_add(struct parts *parts, Dwarf_Die *die)
{
	struct part_range range = {.die = parts->nr_dies};
	size_t before = parts->nr_ranges;
	ptrdiff_t next = 0;
	Dwarf_Addr base;
	void *dies = array_reserve(parts->dies, parts->nr_dies,
				   &parts->max_dies, sizeof(*parts->dies));

	parts->missing->memory |= !dies;
	if (!dies)
		return;
	parts->dies = dies;
	while ((next = dwarf_ranges(die, next, &base, &range.begin,
				    &range.end)) > 0)
		if (!range_add(parts, &range))
			break;
	if (parts->nr_ranges > before)
		parts->dies[parts->nr_dies++] = *die;
}

/*
 * dwarf_getscopes() does not look into namespaces, where Clang and Rust put
 * functions. @nested: also look for functions within functions.
 */
static void read_parts(struct parts *parts, Dwarf_Die *die, bool nested,
		       unsigned int depth)
{
	Dwarf_Die child;

	if (depth > MAX_DEPTH || dwarf_child(die, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (is_function(tag))
			part_add(parts, &child);
		if (has_functions(tag) || (nested && tag == DW_TAG_subprogram))
			read_parts(parts, &child, nested, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

/* Maps the functions last to first, so that the first of several wins. */
static bool space_fill(struct parts *parts, Dwarf_Die *die, bool nested,
		       struct space *space)
{
	parts->nr_ranges = 0;
	read_parts(parts, die, nested, 0);
	for (size_t i = parts->nr_ranges; i-- > 0;) {
		const struct part_range *range = &parts->ranges[i];
		const struct mapping m = {.start = range->begin,
					  .end = range->end,
					  .dso = range->die};

		if (space_map(&parts->pool, space, &m))
			return false;
	}
	return true;
}

/* Returns NULL if out of memory. */
static const struct space *space_of(struct parts *parts, Dwarf_Die *die,
				    bool nested)
{
	uint64_t key = (uintptr_t)die->addr * 2 + nested;
	struct space *spaces;
	uint32_t index;

	if (map_get(&parts->space_of_die, key, &index))
		return &parts->spaces[index];
	spaces = array_reserve(parts->spaces, parts->nr_spaces,
			       &parts->max_spaces, sizeof(*spaces));
	if (!spaces)
		return NULL;
	parts->spaces = spaces;
	spaces += parts->nr_spaces;
	*spaces = (struct space){};
	if (!space_fill(parts, die, nested, spaces) ||
	    map_set(&parts->space_of_die, key, parts->nr_spaces))
		return NULL;
	parts->nr_spaces++;
	return spaces;
}

static bool find(struct parts *parts, Dwarf_Die *die, bool nested,
		 Dwarf_Addr address, Dwarf_Die *part,
		 struct pmscope_around *around)
{
	const struct space *space = space_of(parts, die, nested);
	const struct mapping *m =
		space ? space_find(space, address, around) : NULL;

	parts->missing->memory |= !space;
	if (m)
		*part = parts->dies[m->dso];
	return m;
}

/* Searching nested functions is slow and rarely necessary, so do it last. */
bool parts_find(struct parts *parts, struct missing *missing, Dwarf_Die *die,
		Dwarf_Addr address, Dwarf_Die *part,
		struct pmscope_around *around)
{
	parts->missing = missing;
	return find(parts, die, false, address, part, around) ||
	       (dwarf_tag(die) == DW_TAG_compile_unit &&
		find(parts, die, true, address, part, around));
}

void parts_fini(struct parts *parts)
{
	map_fini(&parts->space_of_die);
	free(parts->spaces);
	free(parts->ranges);
	free(parts->dies);
	space_pool_fini(&parts->pool);
}
