// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "lines.h"
#include "table/array.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A name of more frames than this is longer than anybody reads. */
#define MAX_FRAMES 16
#define BETWEEN	   " < "

void lines_open(struct lines *lines, const char *path,
		const struct debug_search *search)
{
	Dwarf_Addr of_dwarf;
	GElf_Addr bias;

	lines->dwfl = debug_begin(path, search, &lines->module);
	if (!lines->module || !dwfl_module_getelf(lines->module, &bias))
		return;
	lines->bias = bias;
	/* The debug file is found now: @search need not stay. */
	dwfl_module_getdwarf(lines->module, &of_dwarf);
}

static void find_source(struct lines *lines, Dwarf_Die *unit,
			Dwarf_Addr address, struct pmscope_line *line)
{
	Dwarf_Line *found = dwarf_getsrc_die(unit, address);
	const char *file = dwarf_linesrc(found, NULL, NULL);
	int number;

	if (!file)
		return;
	line->file = arena_copy(&lines->names, file, strlen(file) + 1);
	if (!dwarf_lineno(found, &number) && number > 0)
		line->line = number;
}

/* Names of the functions around @scopes, the innermost first. */
static size_t scope_names(Dwarf_Die *scopes, int nr, const char **names)
{
	size_t count = 0;

	for (int i = 0; i < nr && count < MAX_FRAMES; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *name;

		if (tag != DW_TAG_inlined_subroutine &&
		    tag != DW_TAG_subprogram)
			continue;
		name = dwarf_diename(&scopes[i]);
		names[count++] = name ? name : "?";
		if (tag == DW_TAG_subprogram)
			break;
	}
	return count;
}

static char *join(struct lines *lines, const char **names, size_t nr)
{
	size_t size = 1;
	char *text;

	for (size_t i = 0; i < nr; i++)
		size += strlen(names[i]) + sizeof(BETWEEN);
	text = arena_alloc(&lines->names, size);
	if (!text)
		return NULL;
	*text = '\0';
	for (size_t i = 0; i < nr; i++) {
		strcat(text, i ? BETWEEN : "");
		strcat(text, names[i]);
	}
	return text;
}

/*
 * dwarf_getscopes() goes on from an inlined call to where its function was
 * written; what it was inlined into are the scopes around its DIE.
 */
static void find_frames(struct lines *lines, Dwarf_Die *unit,
			Dwarf_Addr address, struct pmscope_line *line)
{
	Dwarf_Die *scopes = NULL, *around = NULL;
	const char *names[MAX_FRAMES];
	size_t count;
	int nr;

	if (dwarf_getscopes(unit, address, &scopes) <= 0)
		return;
	nr = dwarf_getscopes_die(scopes, &around);
	count = nr > 0 ? scope_names(around, nr, names) : 0;
	if (count > 1)
		line->frames = join(lines, names, count);
	free(around);
	free(scopes);
}

static void find_both(struct lines *lines, uint64_t address,
		      struct pmscope_line *line)
{
	Dwarf_Die unit, whole;
	Dwarf_Addr bias;

	if (!lines->module ||
	    !units_find(&lines->units, lines->module, address, &unit, &bias))
		return;
	whole = units_whole(unit);
	find_source(lines, &unit, address - bias, line);
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
	dwfl_end(lines->dwfl);
	map_fini(&lines->known);
	free(lines->items);
	arena_fini(&lines->names);
	*lines = (struct lines){};
}
