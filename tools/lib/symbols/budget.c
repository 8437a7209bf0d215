// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "budget.h"
#include "section.h"

#include <dwarf.h>
#include <stdint.h>

/*
 * Tables of abbreviations may be shared: units of Clang's -flto all have one.
 * Those of a kernel of 5000 units come to some millions, of 48 bytes each.
 */
#define ABBREVS_SHARED (UINT64_C(8) << 20)

/* Where a section is not found. */
#define SIZE_DEFAULT (UINT64_C(1) << 26)

struct bytes {
	const uint8_t *at;
	const uint8_t *end;
};

/* A LEB128; 0 at the end, which ends all that is read here. */
static uint64_t leb(struct bytes *b)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (b->at < b->end) {
		uint8_t byte = *b->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			return value;
	}
	return 0;
}

/* Past the tag, whether it has children, and attributes with their forms. */
static void skip_abbrev(struct bytes *b)
{
	leb(b);
	b->at += b->at < b->end;
	while (b->at < b->end) {
		uint64_t name = leb(b), form = leb(b);

		if (form == DW_FORM_implicit_const)
			leb(b);
		if (!name && !form)
			return;
	}
}

/* How many there are in a table up to that with @code, or all, if fewer. */
static uint64_t count_abbrevs(struct bytes b, uint64_t code)
{
	uint64_t nr = 0, found;

	while ((found = leb(&b))) {
		nr++;
		if (found == code)
			break;
		skip_abbrev(&b);
	}
	return nr;
}

static void find(Elf *elf, const char *name, struct budget_section *found)
{
	struct section section;
	const Elf_Data *data = NULL;

	*found = (struct budget_section){.size = SIZE_DEFAULT};
	if (elf && section_find(elf, name, &section))
		data = elf_getdata(section.scn, NULL);
	if (data && data->d_buf)
		*found = (struct budget_section){data->d_buf, data->d_size};
}

static void open_sections(struct budget *budget, Dwarf_Die *unit)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(unit->cu));

	if (budget->open)
		return;
	budget->open = true;
	find(elf, ".debug_info", &budget->info);
	find(elf, ".debug_abbrev", &budget->abbrev);
	find(elf, ".debug_line", &budget->line);
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
	const struct budget_section *s = &budget->abbrev;
	Dwarf_Off offset = 0;
	Dwarf_Die entry;

	if (!s->data ||
	    !dwarf_cu_die(unit->cu, &entry, NULL, &offset, NULL, NULL, NULL,
			  NULL) ||
	    offset > s->size)
		return true;
	return spend(s->size + ABBREVS_SHARED,
		     count_abbrevs((struct bytes){s->data + offset,
						  s->data + s->size},
				   code),
		     spent);
}

/* What is not there is in another section, of types. */
static uint64_t code_of(const struct budget *budget, const Dwarf_Die *unit)
{
	const struct budget_section *s = &budget->info;
	const uint8_t *at = unit->addr;

	if (!s->data || at < s->data || at >= s->data + s->size)
		return 0;
	return leb(&(struct bytes){at, s->data + s->size});
}

bool budget_admits_entry(struct budget *budget, Dwarf_Die *unit)
{
	open_sections(budget, unit);
	return spend_abbrevs(budget, unit, code_of(budget, unit),
			     &budget->entries);
}

/*
 * They are read here: one table has fewer rows than bytes. Of units that share
 * one libdw keeps it once.
 */
static bool spend_rows(struct budget *budget, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t nr = 0;
	uint32_t known;

	if (budget->rows > budget->line.size)
		return false;
	if (dwarf_getsrclines(unit, &lines, &nr) ||
	    map_get(&budget->tables, (uintptr_t)lines, &known))
		return true;
	return !map_set(&budget->tables, (uintptr_t)lines, 1) &&
	       spend(budget->line.size, nr, &budget->rows);
}

bool budget_admits(struct budget *budget, Dwarf_Die *unit)
{
	uint64_t key = dwarf_dieoffset(unit);
	uint32_t admitted;

	if (map_get(&budget->admitted, key, &admitted))
		return admitted;
	open_sections(budget, unit);
	admitted = spend_abbrevs(budget, unit, 0, &budget->abbrevs) &&
		   spend_rows(budget, unit);
	return !map_set(&budget->admitted, key, admitted) && admitted;
}

void budget_fini(struct budget *budget)
{
	map_fini(&budget->admitted);
	map_fini(&budget->tables);
}
