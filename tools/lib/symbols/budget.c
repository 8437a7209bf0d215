// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "budget.h"
#include "base_run.h"
#include "dwarf_bytes.h"
#include "section.h"

#include <dwarf.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

/*
 * Tables of abbreviations may be shared: units of Clang's -flto all have one.
 * Those of a kernel of 5000 units come to some millions, of 48 bytes each.
 */
#define ABBREVS_SHARED (UINT64_C(8) << 20)

/* Names of files with their directories, a byte of a line table, and beyond. */
#define NAMES_A_BYTE 256
#define NAMES_BEYOND (UINT64_C(64) << 20)

/*
 * Of one abbreviation; compilers write less than 40. Those without a value take
 * no bytes of an entry, but time of each.
 */
#define MAX_ATTRIBUTES 128

/*
 * Entries of lists of ranges, where each range counts as far behind the one
 * before as one can be. In what compilers write that is less than 10, as bytes
 * of another entry may look like such.
 */
#define RANGES_STEPS (UINT64_C(1) << 27)

/* Where a section is not found. */
#define SIZE_DEFAULT (UINT64_C(1) << 26)

/*
 * Past the tag, whether it has children, and attributes with their forms. False
 * where these are more than of a compiler, or half of one is 0: for libdw that
 * is the end here, and none there.
 */
static bool skip_abbrev(struct dwarf_bytes *b)
{
	dwarf_uleb128(b);
	b->at += b->at < b->end;
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
 * How many there are in a table up to that with @code, or all, if fewer. One
 * that lies has too many for any budget.
 */
static uint64_t count_abbrevs(struct dwarf_bytes b, uint64_t code)
{
	uint64_t nr = 0, found;

	while ((found = dwarf_uleb128(&b))) {
		nr++;
		if (!skip_abbrev(&b))
			return UINT64_MAX;
		if (found == code)
			break;
	}
	return nr;
}

static void find(Elf *elf, const char *name, struct dwarf_section *found)
{
	struct section section;
	const Elf_Data *data = NULL;

	*found = (struct dwarf_section){.size = SIZE_DEFAULT};
	if (elf && section_find_debug(elf, name, &section))
		data = elf_getdata(section.scn, NULL);
	if (data && data->d_buf)
		*found = (struct dwarf_section){data->d_buf, data->d_size};
}

/* The longest of all files that were met: some have lists of another one. */
static uint64_t base_run(struct budget *budget, Dwarf *dwarf)
{
	uint64_t key = (uintptr_t)dwarf;
	uint32_t run;

	if (!map_get(&budget->base_runs, key, &run)) {
		run = base_run_longest(dwarf_getelf(dwarf));
		if (map_set(&budget->base_runs, key, run)) {
			run = UINT32_MAX;
			budget->failed = true;
		}
		if (budget->base_run < run)
			budget->base_run = run;
	}
	return budget->base_run;
}

static void open_sections(struct budget *budget, Dwarf_Die *unit)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
	Elf *elf = dwarf_getelf(dwarf);

	if (budget->open)
		return;
	budget->open = true;
	base_run(budget, dwarf);
	find(elf, ".debug_info", &budget->info);
	find(elf, ".debug_abbrev", &budget->abbrev);
	find(elf, ".debug_line", &budget->lines.line);
	find(elf, ".debug_line_str", &budget->lines.line_str);
	find(elf, ".debug_str", &budget->lines.str);
	budget->lines.big_endian =
		elf && elf_getident(elf, NULL)[EI_DATA] == ELFDATA2MSB;
}

/* Who has none left gets none again. */
static bool spend(uint64_t limit, uint64_t nr, uint64_t *spent)
{
	if (nr > limit || *spent > limit - nr) {
		*spent = UINT64_MAX;
		return false;
	}
	*spent += nr;
	return true;
}

/* No abbreviation has the code 0: then it is all of the table. */
static bool spend_abbrevs(struct budget *budget, Dwarf_Die *unit, uint64_t code,
			  uint64_t *spent)
{
	const struct dwarf_section *s = &budget->abbrev;
	Dwarf_Off offset = 0;
	Dwarf_Die entry;

	if (!s->data ||
	    !dwarf_cu_die(unit->cu, &entry, NULL, &offset, NULL, NULL, NULL,
			  NULL) ||
	    offset > s->size)
		return false;
	return spend(s->size + ABBREVS_SHARED,
		     count_abbrevs((struct dwarf_bytes){s->data + offset,
							s->data + s->size,
							false},
				   code),
		     spent);
}

/* What is not there is in another section, of types. */
static uint64_t code_of(const struct budget *budget, const Dwarf_Die *unit)
{
	const struct dwarf_section *s = &budget->info;
	const uint8_t *at = unit->addr;

	if (!s->data || at < s->data || at >= s->data + s->size)
		return 0;
	return dwarf_uleb128(
		&(struct dwarf_bytes){at, s->data + s->size, false});
}

bool budget_admits_entry(struct budget *budget, Dwarf_Die *unit)
{
	open_sections(budget, unit);
	return spend_abbrevs(budget, unit, code_of(budget, unit),
			     &budget->entries);
}

/* They have to do with their table: of compilers it has more bytes. */
static bool spend_names(struct budget *budget, const struct line_table *table)
{
	uint64_t own = NAMES_A_BYTE * table->bytes;

	return table->names <= own ||
	       spend(NAMES_BEYOND, table->names - own, &budget->names);
}

/* Tables have no bytes in common: so has none more rows than its own bytes. */
static bool table_admits(struct budget *budget, Dwarf_Die *unit,
			 uint64_t offset)
{
	Dwarf_Attribute attribute;
	const char *dir =
		dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	struct line_table table;

	return line_table_read(&budget->lines, offset,
			       dir ? strnlen(dir, PATH_MAX) : 0, &table) &&
	       spend(budget->lines.line.size, table.bytes, &budget->tables) &&
	       spend_names(budget, &table);
}

static bool remember(struct budget *budget, struct map *map, uint64_t key,
		     uint32_t admits)
{
	if (!map_set(map, key, admits))
		return admits;
	budget->failed = true;
	return false;
}

/* libdw keeps one that units share once. */
static bool spend_table(struct budget *budget, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	uint32_t admits;

	if (!budget->lines.line.data ||
	    dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attribute),
			    &offset))
		return true;
	if (map_get(&budget->table_admits, offset, &admits))
		return admits;
	admits = table_admits(budget, unit, offset);
	return remember(budget, &budget->table_admits, offset, admits);
}

bool budget_admits(struct budget *budget, Dwarf_Die *unit)
{
	uint64_t key = dwarf_dieoffset(unit);
	uint32_t admitted;

	if (map_get(&budget->admitted, key, &admitted))
		return admitted;
	open_sections(budget, unit);
	admitted = spend_abbrevs(budget, unit, 0, &budget->abbrevs) &&
		   spend_table(budget, unit);
	return remember(budget, &budget->admitted, key, admitted);
}

ptrdiff_t budget_ranges(struct budget *budget, Dwarf_Die *die, ptrdiff_t last,
			Dwarf_Addr *base, Dwarf_Addr *begin, Dwarf_Addr *end)
{
	/* 1 is the only range of an entry without a list. */
	bool listed = last ? last != 1 : dwarf_hasattr(die, DW_AT_ranges);
	Dwarf *dwarf = dwarf_cu_getdwarf(die->cu);

	if (listed &&
	    !spend(RANGES_STEPS, 1 + base_run(budget, dwarf), &budget->steps))
		return -1;
	return dwarf_ranges(die, last, base, begin, end);
}

void budget_fini(struct budget *budget)
{
	map_fini(&budget->base_runs);
	map_fini(&budget->admitted);
	map_fini(&budget->table_admits);
}
