// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "lines.h"
#include "base/array.h"
#include "unpack.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A text of more frames than this is longer than anybody reads. */
#define MAX_FRAMES 16
#define MAX_TEXT   16384
#define BETWEEN	   " < "

/*
 * Names that are parts of each other take few bytes of a file. All texts of
 * what compilers write take less than the file, or twice that if it is packed.
 */
#define TEXTS_TIMES  4
#define TEXTS_BEYOND (UINT64_C(64) << 20)

/* The unit of st_blocks in stat(2). */
#define BLOCK 512

/* Blocks in each other: more are not of a compiler. */
#define MAX_DEPTH 128

/* From a function to the entry with its name. */
#define MAX_HOPS 16

/* Of a file with holes, or that was packed, it is what is there. */
static uint64_t size_on_disk(const char *path)
{
	struct stat st;
	uint64_t blocks;

	if (!path || stat(path, &st))
		return 0;
	blocks = BLOCK * (uint64_t)st.st_blocks;
	return blocks < (uint64_t)st.st_size ? blocks : (uint64_t)st.st_size;
}

static bool open_units(struct lines *lines)
{
	struct budget *budget = &lines->units.budget;
	const char *file = NULL, *debug = NULL;
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(lines->module, &bias);
	uint64_t disk;

	dwfl_module_info(lines->module, NULL, NULL, NULL, NULL, NULL, &file,
			 &debug);
	disk = size_on_disk(file) + size_on_disk(debug);
	lines->texts_limit = TEXTS_TIMES * disk;
	return dwarf && budget_admits_size(budget, disk, dwarf) &&
	       units_open(&lines->units, lines->module);
}

void lines_open(struct lines *lines, const char *path,
		const struct debug_search *search)
{
	int fd = unpack_open(path);
	GElf_Addr bias;

	missing_file(search->missing, path, fd);
	lines->units.budget.missing = search->missing;
	lines->dwfl = debug_begin(fd, path, search, &lines->module);
	if (!lines->module || !dwfl_module_getelf(lines->module, &bias))
		return;
	lines->bias = bias;
	/* The debug file is found now: @search need not stay. */
	if (open_units(lines))
		return;
	lines->module = NULL;
	dwfl_end(lines->dwfl);
	lines->dwfl = NULL;
}

/* Names of files stay until dwfl_end(). */
static void find_source(Dwarf_Die *unit, Dwarf_Addr address,
			struct pmscope_line *line)
{
	Dwarf_Line *found = dwarf_getsrc_die(unit, address);
	const char *file = dwarf_linesrc(found, NULL, NULL);
	int number;

	if (!file)
		return;
	line->file = file;
	if (!dwarf_lineno(found, &number) && number > 0)
		line->line = number;
}

/* The origin of @die (copy or declaration); it may be in another unit. */
static bool next_of(struct lines *lines, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die next, unit;

	if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
	    !dwarf_attr(die, DW_AT_specification, &attribute))
		return false;
	if (!dwarf_formref_die(&attribute, &next))
		return false;
	if (next.cu != die->cu && !(dwarf_diecu(&next, &unit, NULL, NULL) &&
				    budget_admits(&lines->units.budget, &unit)))
		return false;
	*die = next;
	return true;
}

/* Like dwarf_attr_integrate(). */
static const char *text_of(struct lines *lines, Dwarf_Die die,
			   unsigned int name)
{
	Dwarf_Attribute attribute;
	int hops = 0;

	while (!dwarf_attr(&die, name, &attribute))
		if (hops++ == MAX_HOPS || !next_of(lines, &die))
			return NULL;
	return dwarf_formstring(&attribute);
}

/* Code that compilers add has no name in the source. */
static const char *name_of(struct lines *lines, Dwarf_Die *die)
{
	static const unsigned int linked[] = {DW_AT_linkage_name,
					      DW_AT_MIPS_linkage_name};
	const char *name = text_of(lines, *die, DW_AT_name);

	if (name)
		return name;
	for (size_t i = 0; !name && i < sizeof(linked) / sizeof(linked[0]); i++)
		name = text_of(lines, *die, linked[i]);
	if (name && !lines->mangled && strnlen(name, MAX_TEXT) < MAX_TEXT)
		name = demangle(&lines->demangled, lines->units.budget.missing,
				name);
	return name ? name : "?";
}

/* Names of the functions at @address, the outermost first. */
static size_t function_names(struct lines *lines, Dwarf_Die die,
			     Dwarf_Addr address, const char **names)
{
	size_t count = 0;

	for (unsigned int depth = 0;
	     depth < MAX_DEPTH &&
	     parts_find(&lines->parts, &lines->units.budget, &die, address,
			&die);
	     depth++) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			count = 0;
		else if (tag != DW_TAG_inlined_subroutine)
			continue;
		names[count++] = name_of(lines, &die);
	}
	return count;
}

/* Where those begin that are told of, and the @size of their text. */
static size_t first_frame(const char **names, size_t nr, size_t *size)
{
	size_t first = nr;

	for (*size = 1; first && nr - first < MAX_FRAMES; first--) {
		size_t more =
			strnlen(names[first - 1], MAX_TEXT) + sizeof(BETWEEN);

		if (*size + more > MAX_TEXT)
			break;
		*size += more;
	}
	return first;
}

/* The innermost first; many addresses have the same. */
static const char *join(struct lines *lines, const char **names, size_t nr)
{
	size_t size, first = first_frame(names, nr, &size);
	char text[MAX_TEXT], *end = text;
	uint32_t number;

	for (size_t i = nr; i-- > first;) {
		end = stpcpy(end, names[i]);
		end = stpcpy(end, i > first ? BETWEEN : "");
	}
	if (first == nr)
		return NULL;
	if (strings_intern(&lines->frames, text, end - text, &number)) {
		lines->units.budget.missing->memory = true;
		return NULL;
	}
	return strings_get(&lines->frames, number);
}

/* More of them? What there are is counted. */
static bool texts_admit(struct lines *lines)
{
	uint64_t bytes = lines->frames.bytes + lines->demangled.names.bytes;
	uint64_t more = bytes - lines->texts_seen;

	lines->texts_seen = bytes;
	return budget_spend(&lines->units.budget, lines->texts_limit, more, 1,
			    &lines->texts);
}

static void find_frames(struct lines *lines, const Dwarf_Die *unit,
			Dwarf_Addr address, struct pmscope_line *line)
{
	const char *names[MAX_DEPTH];
	size_t count;

	if (lines->texts_seen > lines->texts_limit + TEXTS_BEYOND ||
	    !texts_admit(lines))
		return;
	count = function_names(lines, *unit, address, names);
	if (count > 1)
		line->frames = join(lines, names, count);
}

static void find_both(struct lines *lines, uint64_t address,
		      struct pmscope_line *line)
{
	Dwarf_Die unit, whole;
	Dwarf_Addr bias;

	if (!lines->module ||
	    !units_find(&lines->units, lines->module, address, &unit, &bias) ||
	    !budget_admits(&lines->units.budget, &unit) ||
	    !budget_admits_lines(&lines->units.budget, &unit))
		return;
	whole = units_whole(&lines->units, lines->module, unit);
	find_source(&unit, address - bias, line);
	if (budget_admits(&lines->units.budget, &whole))
		find_frames(lines, &whole, address - bias, line);
}

static int line_add(struct lines *lines, uint64_t address, uint32_t *index)
{
	struct pmscope_line *items, line = {};

	find_both(lines, address + lines->bias, &line);
	items = array_reserve(lines->items, lines->nr_items, &lines->max_items,
			      sizeof(*items));
	if (!items)
		return -ENOMEM;
	lines->items = items;
	items[lines->nr_items] = line;
	*index = lines->nr_items++;
	return map_set(&lines->known, address, *index);
}

int lines_find(struct lines *lines, uint64_t address, struct pmscope_line *line)
{
	uint32_t index;

	if (!map_get(&lines->known, address, &index) &&
	    line_add(lines, address, &index))
		return -ENOMEM;
	*line = lines->items[index];
	return line->file ? 0 : -ENOENT;
}

void lines_fini(struct lines *lines)
{
	units_fini(&lines->units);
	parts_fini(&lines->parts);
	demangled_fini(&lines->demangled);
	dwfl_end(lines->dwfl);
	map_fini(&lines->known);
	free(lines->items);
	strings_fini(&lines->frames);
	*lines = (struct lines){};
}
