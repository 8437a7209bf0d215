// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "source_lines.h"

#include <dwarf.h>

/* Compilers do not nest namespaces and blocks deeper. */
#define MAX_DEPTH LINES_DEPTH

/* DW_AT_GNU_discriminator, which older dwarf.h lack. */
#define AT_DISCRIMINATOR 0x2136

struct part_range {
	Dwarf_Addr begin;
	Dwarf_Addr end;
	uint32_t die;
};

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

static void part_add(struct parts *parts, Dwarf_Die *die)
{
	struct part_range range = {.die = parts->nr_dies};
	size_t before = parts->nr_ranges;
	ptrdiff_t next = 0;
	Dwarf_Addr base;

	if (array_room(parts->dies, parts->nr_dies, parts->max_dies)) {
		parts->missing->memory = true;
		return;
	}
	while ((next = dwarf_ranges(die, next, &base, &range.begin,
				    &range.end)) > 0)
		if (array_add(parts->ranges, parts->nr_ranges,
			      parts->max_ranges, range)) {
			parts->missing->memory = true;
			break;
		}
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

		if (tag == DW_TAG_subprogram ||
		    tag == DW_TAG_inlined_subroutine)
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
	struct space space = {};
	uint32_t index;

	if (keyed_find(&parts->space_of_die, key, &index))
		return &parts->spaces[index];
	return space_fill(parts, die, nested, &space)
		       ? keyed_item(&parts->space_of_die, sizeof(space), key,
				    &space)
		       : NULL;
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

void lines_open(struct lines *lines, int fd, const char *path,
		const struct debug_search *search)
{
	GElf_Addr bias;
	Dwarf_Addr dwarf_bias;

	lines->missing = search->missing;
	lines->dwfl = debug_begin(fd, path, search, &lines->module);
	if (!lines->module || !dwfl_module_getelf(lines->module, &bias))
		return;
	lines->bias = bias;
	/* libdwfl has found the debug file by now and needs @search no more. */
	if (dwfl_module_getdwarf(lines->module, &dwarf_bias))
		return;
	lines->module = NULL;
	dwfl_end(lines->dwfl);
	lines->dwfl = NULL;
}

/* Counts the rows at or below @address; they are sorted by address. */
static size_t count_rows(Dwarf_Lines *rows, size_t nr, Dwarf_Addr address)
{
	size_t low = 0;

	while (low < nr) {
		size_t middle = low + (nr - low) / 2;
		Dwarf_Addr at;

		if (!dwarf_lineaddr(dwarf_onesrcline(rows, middle), &at) &&
		    at <= address)
			low = middle + 1;
		else
			nr = middle;
	}
	return low;
}

/* Narrows @around to the addresses from this row up to the next. */
static void narrow(Dwarf_Die *unit, Dwarf_Line *row, Dwarf_Addr address,
		   struct pmscope_around *around)
{
	Dwarf_Addr begin = address, end = address + 1;
	Dwarf_Lines *rows;
	size_t nr;

	if (!dwarf_getsrclines(unit, &rows, &nr) &&
	    !dwarf_lineaddr(row, &begin))
		dwarf_lineaddr(dwarf_onesrcline(rows,
						count_rows(rows, nr, address)),
			       &end);
	around_begins(around, address - begin);
	around_ends(around, end - address - 1);
}

/* A name that is longer than any path is none. */
static void find_source(Dwarf_Die *unit, Dwarf_Addr address,
			struct pmscope_frame *frame,
			struct pmscope_around *around)
{
	Dwarf_Line *found = dwarf_getsrc_die(unit, address);
	const char *file = dwarf_linesrc(found, NULL, NULL);
	int number;

	if (!file || strlen(file) >= PATH_MAX) {
		*around = (struct pmscope_around){};
		return;
	}
	frame->file = file;
	if (!dwarf_lineno(found, &number) && number > 0)
		frame->line = number;
	dwarf_linediscriminator(found, &frame->discriminator);
	narrow(unit, found, address, around);
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static unsigned int number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr_integrate(die, name, &attribute),
			       &value) ||
			       value > UINT_MAX
		       ? 0
		       : value;
}

/*
 * Functions that compilers add have only a linkage name; those without another
 * name for the linker have their own.
 */
static struct function read_function(struct lines *lines, Dwarf_Die *die)
{
	const char *name = text_of(die, DW_AT_name);
	const char *linkage = text_of(die, DW_AT_linkage_name)
				      ?: text_of(die, DW_AT_MIPS_linkage_name);

	if (!name && linkage)
		name = lines->mangled ? linkage
				      : demangle(&lines->demangled,
						 lines->missing, linkage);
	name = name ?: "?";
	return (struct function){
		.name = name,
		.linkage = linkage ?: name,
		.start = number_of(die, DW_AT_decl_line),
		.call_file = number_of(die, DW_AT_call_file),
		.call_line = number_of(die, DW_AT_call_line),
		.discriminator = number_of(die, AT_DISCRIMINATOR),
	};
}

/* NULL: no memory */
static const struct function *function_of(struct lines *lines, Dwarf_Die *die)
{
	uint64_t key = (uintptr_t)die->addr;
	struct function function;
	uint32_t number;

	if (keyed_find(&lines->function_of_die, key, &number))
		return &lines->functions[number];
	function = read_function(lines, die);
	return keyed_item(&lines->function_of_die, sizeof(function), key,
			  &function);
}

/*
 * Collects the functions at @address, outermost first. Namespaces, types and
 * blocks do not count as levels. In a unit, functions within functions are
 * found as well, such as lambdas, which is slow and rarely necessary, so it is
 * done last. If several contain the address, the first one is taken. Narrows
 * @around to addresses for which the answer is the same.
 */
static size_t function_dies(struct lines *lines, Dwarf_Die die,
			    Dwarf_Addr address, Dwarf_Die *dies,
			    struct pmscope_around *around)
{
	struct parts *parts = &lines->parts;
	size_t count = 0;

	parts->missing = lines->missing;
	for (unsigned int depth = 0; depth < MAX_DEPTH; depth++) {
		int tag;

		if (!find(parts, &die, false, address, &die, around) &&
		    (dwarf_tag(&die) != DW_TAG_compile_unit ||
		     !find(parts, &die, true, address, &die, around)))
			break;
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram)
			count = 0;
		else if (tag != DW_TAG_inlined_subroutine)
			continue;
		dies[count++] = die;
	}
	return count;
}

/* Finds the unit at a link address, which becomes one of its DWARF. */
static bool find_unit(struct lines *lines, uint64_t *address, Dwarf_Die *unit,
		      Dwarf_Die *whole)
{
	Dwarf_Addr bias;

	if (!lines->module ||
	    !units_find(&lines->units, lines->module, lines->missing,
			*address + lines->bias, unit, &bias))
		return false;
	*address += lines->bias - bias;
	*whole = units_whole(&lines->units, lines->module, lines->missing,
			     *unit);
	return true;
}

size_t lines_dies(struct lines *lines, uint64_t address,
		  Dwarf_Die dies[LINES_DEPTH], uint64_t *of_link)
{
	struct pmscope_around around = {};
	uint64_t at = address;
	Dwarf_Die unit, whole;

	if (!find_unit(lines, &at, &unit, &whole))
		return 0;
	*of_link = address - at;
	return function_dies(lines, whole, at, dies, &around);
}

size_t lines_frames(struct lines *lines, uint64_t address,
		    struct pmscope_frame *frames, struct pmscope_around *around)
{
	Dwarf_Die unit, whole, dies[MAX_DEPTH];
	const struct function *f;
	Dwarf_Files *files;
	size_t count, nr, nr_files;

	*around = (struct pmscope_around){};
	frames[0] = (struct pmscope_frame){};
	if (!find_unit(lines, &address, &unit, &whole))
		return 0;
	*around = (struct pmscope_around){address, UINT64_MAX - address};
	/* The line table alone tells the place in the innermost function. */
	find_source(&unit, address, &frames[0], around);
	count = function_dies(lines, whole, address, dies, around);
	nr = count < PMSCOPE_FRAMES_MAX ? count : PMSCOPE_FRAMES_MAX;
	for (size_t i = 0; i < nr; i++) {
		f = function_of(lines, &dies[count - 1 - i]);
		if (!f) {
			lines->missing->memory = true;
			return 0;
		}
		frames[i].name = f->name;
		frames[i].linkage = f->linkage;
		frames[i].start = f->start;
		if (i + 1 == nr)
			break;
		frames[i + 1] = (struct pmscope_frame){
			.line = f->call_line,
			.discriminator = f->discriminator};
		if (!dwarf_getsrcfiles(&unit, &files, &nr_files) &&
		    f->call_file < nr_files)
			frames[i + 1].file =
				dwarf_filesrc(files, f->call_file, NULL, NULL);
	}
	return nr;
}

void lines_fini(struct lines *lines)
{
	units_fini(&lines->units);
	keyed_fini(&lines->parts.space_of_die);
	free(lines->parts.ranges);
	free(lines->parts.dies);
	space_pool_fini(&lines->parts.pool);
	keyed_fini(&lines->function_of_die);
	demangled_fini(&lines->demangled);
	dwfl_end(lines->dwfl);
	*lines = (struct lines){};
}
