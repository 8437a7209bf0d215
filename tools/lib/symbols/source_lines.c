// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "source_lines.h"
#include "base/around.h"
#include "base/array.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* Compilers do not nest namespaces and blocks deeper. */
#define MAX_DEPTH LINES_DEPTH

/* Nobody reads more frames. */
#define MAX_FRAMES 16
#define BETWEEN	   " < "

/* DW_AT_GNU_discriminator, which older dwarf.h lack. */
#define AT_DISCRIMINATOR 0x2136

/* From a function to the DIE that has its name. */
#define MAX_HOPS 16

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
	if (!array_add(parts->ranges, parts->nr_ranges, parts->max_ranges,
		       *range))
		return true;
	parts->missing->memory = true;
	return false;
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

/*
 * Finds the function or inlined function directly within @die that contains
 * @address; sets @part. Namespaces, types and blocks do not count as levels. In
 * a unit, functions within functions are found as well, such as lambdas. If
 * several contain the address, the first one is taken. Returns false if there
 * is none, or if out of memory (sets @missing->memory). Narrows @around to
 * addresses for which the answer is the same. Searching nested functions is
 * slow and rarely necessary, so that is done last.
 */
static bool parts_find(struct parts *parts, struct unreadable_files *missing,
		       Dwarf_Die *die, Dwarf_Addr address, Dwarf_Die *part,
		       struct pmscope_around *around)
{
	parts->missing = missing;
	return find(parts, die, false, address, part, around) ||
	       (dwarf_tag(die) == DW_TAG_compile_unit &&
		find(parts, die, true, address, part, around));
}

static void parts_fini(struct parts *parts)
{
	keyed_fini(&parts->space_of_die);
	free(parts->ranges);
	free(parts->dies);
	space_pool_fini(&parts->pool);
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

/* The file name stays valid until dwfl_end(). */
static void find_source(Dwarf_Die *unit, Dwarf_Addr address,
			struct pmscope_line *line,
			struct pmscope_around *around)
{
	Dwarf_Line *found = dwarf_getsrc_die(unit, address);
	const char *file = dwarf_linesrc(found, NULL, NULL);
	int number;

	if (!file) {
		*around = (struct pmscope_around){};
		return;
	}
	line->file = file;
	if (!dwarf_lineno(found, &number) && number > 0)
		line->line = number;
	narrow(unit, found, address, around);
}

/* Goes from a copy or a definition to its origin, perhaps in another unit. */
static bool next_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return (dwarf_attr(die, DW_AT_abstract_origin, &attribute) ||
		dwarf_attr(die, DW_AT_specification, &attribute)) &&
	       dwarf_formref_die(&attribute, die);
}

/* As dwarf_attr_integrate(), but with a limit. */
static const char *text_of(Dwarf_Die die, unsigned int name)
{
	Dwarf_Attribute attribute;
	int hops = 0;

	while (!dwarf_attr(&die, name, &attribute))
		if (hops++ == MAX_HOPS || !next_of(&die))
			return NULL;
	return dwarf_formstring(&attribute);
}

/* Functions that compilers add have only a linkage name. */
static const char *name_of(struct lines *lines, Dwarf_Die *die)
{
	static const unsigned int linked[] = {DW_AT_linkage_name,
					      DW_AT_MIPS_linkage_name};
	const char *name = text_of(*die, DW_AT_name);

	if (name)
		return name;
	for (size_t i = 0; !name && i < sizeof(linked) / sizeof(linked[0]); i++)
		name = text_of(*die, linked[i]);
	if (name && !lines->mangled)
		name = demangle(&lines->demangled, lines->missing, name);
	return name ? name : "?";
}

/* Collects the functions at @address, outermost first. */
static size_t function_dies(struct lines *lines, Dwarf_Die die,
			    Dwarf_Addr address, Dwarf_Die *dies,
			    struct pmscope_around *around)
{
	size_t count = 0;

	for (unsigned int depth = 0;
	     depth < MAX_DEPTH && parts_find(&lines->parts, lines->missing,
					     &die, address, &die, around);
	     depth++) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			count = 0;
		else if (tag != DW_TAG_inlined_subroutine)
			continue;
		dies[count++] = die;
	}
	return count;
}

/* Joins the names, innermost first, as far as they fit. */
static const char *join(struct lines *lines, const char **names, size_t nr)
{
	char *end = lines->frames, *limit = end + sizeof(lines->frames);
	size_t first = nr > MAX_FRAMES ? nr - MAX_FRAMES : 0;

	for (size_t i = nr; i-- > first;) {
		const char *between = end > lines->frames ? BETWEEN : "";

		if (strlen(names[i]) + sizeof(BETWEEN) > (size_t)(limit - end))
			break;
		end = stpcpy(stpcpy(end, between), names[i]);
	}
	return end > lines->frames ? lines->frames : NULL;
}

static void find_frames(struct lines *lines, const Dwarf_Die *unit,
			Dwarf_Addr address, struct pmscope_line *line,
			struct pmscope_around *around)
{
	Dwarf_Die dies[MAX_DEPTH];
	const char *names[MAX_DEPTH];
	size_t count = function_dies(lines, *unit, address, dies, around);

	for (size_t i = 0; i < count; i++)
		names[i] = name_of(lines, &dies[i]);
	if (count > 1)
		line->frames = join(lines, names, count);
}

int lines_find(struct lines *lines, uint64_t address, struct pmscope_line *line,
	       struct pmscope_around *around)
{
	Dwarf_Die unit, whole;
	Dwarf_Addr bias;

	*line = (struct pmscope_line){};
	*around = (struct pmscope_around){};
	if (!lines->module ||
	    !units_find(&lines->units, lines->module, lines->missing,
			address + lines->bias, &unit, &bias))
		return -ENOENT;
	address += lines->bias - bias;
	*around = (struct pmscope_around){address, UINT64_MAX - address};
	whole = units_whole(&lines->units, lines->module, lines->missing, unit);
	find_source(&unit, address, line, around);
	find_frames(lines, &whole, address, line, around);
	return line->file ? 0 : -ENOENT;
}

/* Functions without another name for the linker have their own. */
static const char *linkage_of(Dwarf_Die *die, const char *name)
{
	const char *linkage = text_of(*die, DW_AT_linkage_name);

	if (!linkage)
		linkage = text_of(*die, DW_AT_MIPS_linkage_name);
	return linkage ? linkage : name;
}

static unsigned int number_of(Dwarf_Die die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	int hops = 0;

	while (!dwarf_attr(&die, name, &attribute))
		if (hops++ == MAX_HOPS || !next_of(&die))
			return 0;
	return dwarf_formudata(&attribute, &value) || value > UINT_MAX ? 0
								       : value;
}

/* Where the function of @die was called from. */
static void call_of(Dwarf_Die *unit, Dwarf_Die *die,
		    struct pmscope_frame *frame)
{
	unsigned int file = number_of(*die, DW_AT_call_file);
	Dwarf_Files *files;
	size_t nr;

	frame->line = number_of(*die, DW_AT_call_line);
	frame->discriminator = number_of(*die, AT_DISCRIMINATOR);
	frame->file = NULL;
	if (!dwarf_getsrcfiles(unit, &files, &nr) && file < nr)
		frame->file = dwarf_filesrc(files, file, NULL, NULL);
}

/* The line table alone tells the place in the innermost function. */
static void innermost(Dwarf_Die *unit, Dwarf_Addr address,
		      struct pmscope_frame *frame,
		      struct pmscope_around *around)
{
	struct pmscope_line line = {};
	Dwarf_Line *found;

	find_source(unit, address, &line, around);
	frame->file = line.file;
	frame->line = line.line;
	frame->discriminator = 0;
	found = line.file ? dwarf_getsrc_die(unit, address) : NULL;
	if (found)
		dwarf_linediscriminator(found, &frame->discriminator);
}

size_t lines_dies(struct lines *lines, uint64_t address,
		  Dwarf_Die dies[LINES_DEPTH], uint64_t *of_link)
{
	struct pmscope_around around = {};
	Dwarf_Die unit, whole;
	Dwarf_Addr bias;

	if (!lines->module ||
	    !units_find(&lines->units, lines->module, lines->missing,
			address + lines->bias, &unit, &bias))
		return 0;
	*of_link = bias - lines->bias;
	whole = units_whole(&lines->units, lines->module, lines->missing, unit);
	return function_dies(lines, whole, address - *of_link, dies, &around);
}

size_t lines_frames(struct lines *lines, uint64_t address,
		    struct pmscope_frame *frames, struct pmscope_around *around)
{
	Dwarf_Die unit, whole, dies[MAX_DEPTH];
	Dwarf_Addr bias;
	size_t count, nr;

	*around = (struct pmscope_around){};
	if (!lines->module ||
	    !units_find(&lines->units, lines->module, lines->missing,
			address + lines->bias, &unit, &bias))
		return 0;
	address += lines->bias - bias;
	*around = (struct pmscope_around){address, UINT64_MAX - address};
	whole = units_whole(&lines->units, lines->module, lines->missing, unit);
	innermost(&unit, address, &frames[0], around);
	count = function_dies(lines, whole, address, dies, around);
	nr = count < PMSCOPE_FRAMES_MAX ? count : PMSCOPE_FRAMES_MAX;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Die *die = &dies[count - 1 - i];

		frames[i].name = name_of(lines, die);
		frames[i].linkage = linkage_of(die, frames[i].name);
		frames[i].start = number_of(*die, DW_AT_decl_line);
		if (i + 1 < nr)
			call_of(&unit, die, &frames[i + 1]);
	}
	return nr;
}

void lines_fini(struct lines *lines)
{
	units_fini(&lines->units);
	parts_fini(&lines->parts);
	demangled_fini(&lines->demangled);
	dwfl_end(lines->dwfl);
	*lines = (struct lines){};
}
