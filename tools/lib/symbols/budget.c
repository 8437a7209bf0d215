// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "budget.h"
#include "base_run.h"
#include "section.h"
#include "unit_headers.h"

#include <dwarf.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

/*
 * Bytes of memory that all files together may take beyond what is in proportion
 * to their sizes. Tables of abbreviations may be shared: units of Clang's -flto
 * all have one. Those of a kernel of 5000 units come to some millions.
 */
#define BEYOND	    (UINT64_C(512) << 20)
#define ABBREV_SIZE 64
#define ROW_SIZE    80

/*
 * Debug files have less than a row for ten bytes, also where they are packed.
 * While libdw reads a table it takes twice the memory; no compiler writes one
 * of so many rows.
 */
#define BYTES_A_ROW 4
#define TABLE_ROWS  (UINT64_C(4) << 20)

/* Debug information becomes two to ten times as large. */
#define UNPACKED_TIMES 32

/* Names of files with their directories, a byte of a line table, and beyond. */
#define NAMES_A_BYTE 256
#define NAMES_BEYOND (UINT64_C(64) << 20)

/*
 * Entries of functions are passed once for each that they are in, or as often
 * as compilers inline. That makes some 6 times the bytes of .debug_info where
 * all its functions are asked for.
 */
#define PASSED_TIMES  32
#define PASSED_BEYOND (UINT64_C(16) << 20)

/*
 * Entries of lists of ranges, where each range counts as far behind the one
 * before as one can be. In what compilers write that is less than 10, as bytes
 * of another entry may look like such.
 */
#define RANGES_STEPS (UINT64_C(1) << 27)

/* The longest of all files that were met: some have lists of another one. */
static uint64_t base_run(struct budget *budget, Dwarf *dwarf)
{
	uint64_t key = (uintptr_t)dwarf;
	uint32_t run;

	if (!map_get(&budget->base_runs, key, &run)) {
		run = base_run_longest(dwarf_getelf(dwarf));
		if (map_set(&budget->base_runs, key, run)) {
			run = UINT32_MAX;
			budget->missing->memory = true;
		}
		if (budget->base_run < run)
			budget->base_run = run;
	}
	return budget->base_run;
}

static bool is_big_endian(Elf *elf)
{
	return elf && elf_getident(elf, NULL)[EI_DATA] == ELFDATA2MSB;
}

static void open_lines(struct budget *budget, Dwarf_Die *unit)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
	Elf *elf = dwarf_getelf(dwarf);

	if (budget->open)
		return;
	budget->open = true;
	section_find_dwarf(elf, ".debug_line", &budget->lines.line);
	section_find_dwarf(elf, ".debug_line_str", &budget->lines.line_str);
	section_find_dwarf(elf, ".debug_str", &budget->lines.str);
	budget->lines.big_endian = is_big_endian(elf);
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

/* The same of what may go beyond; @each: bytes of memory. */
bool budget_spend(struct budget *budget, uint64_t limit, uint64_t nr,
		  uint64_t each, uint64_t *spent)
{
	uint64_t own = *spent < limit ? limit - *spent : 0, beyond;

	if (*spent == UINT64_MAX || nr >= UINT64_MAX - *spent)
		return spend(0, nr, spent);
	beyond = nr > own ? nr - own : 0;
	if (beyond > (BEYOND - budget->missing->beyond) / each) {
		budget->exceeded = true;
		return spend(0, nr, spent);
	}
	budget->missing->beyond += beyond * each;
	budget->beyond += beyond * each;
	*spent += nr;
	return true;
}

static bool units_are_few(struct budget *budget, Dwarf *dwarf)
{
	struct unit_headers headers;
	uint64_t nr;

	unit_headers_begin(&headers, dwarf);
	budget->abbrevs_limit += headers.abbrev.size;
	budget->passed_limit += PASSED_TIMES * headers.info.size;
	while (unit_headers_next(&headers, &nr))
		if (!budget_spend(budget, budget->abbrevs_limit, nr,
				  ABBREV_SIZE, &budget->entries))
			return false;
	return true;
}

/* That of sections, as libdw has unpacked them. */
static uint64_t size_in_memory(Elf *elf)
{
	GElf_Shdr header;
	uint64_t size = 0;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));)
		if (gelf_getshdr(s, &header) && header.sh_type != SHT_NOBITS &&
		    header.sh_size < UINT64_MAX - size)
			size += header.sh_size;
	return size;
}

bool budget_admits_size(struct budget *budget, uint64_t disk, Dwarf *dwarf)
{
	uint64_t size = size_in_memory(dwarf_getelf(dwarf));

	budget->disk = disk;
	return budget_spend(budget, UNPACKED_TIMES * disk, size, 1,
			    &budget->unpacked);
}

bool budget_admits_file(struct budget *budget, Dwarf *dwarf)
{
	base_run(budget, dwarf);
	budget->passed_limit += PASSED_BEYOND;
	return units_are_few(budget, dwarf);
}

/* The rest of the file need not be unpacked for it. */
static void find_info_apart(Elf *elf, struct dwarf_section *found)
{
	struct section section;

	section_find_dwarf(elf, ".debug_info.dwo", found);
	if (found->data || !section_find(elf, ".debug_info.dwo", &section) ||
	    elf_compress(section.scn, 0, 0) < 0)
		return;
	section_find_dwarf(elf, ".debug_info.dwo", found);
}

static uint64_t packed_size(Elf *elf, const char *name)
{
	struct section section;
	const Elf_Data *data = section_find(elf, name, &section)
				       ? elf_rawdata(section.scn, NULL)
				       : NULL;

	return data && data->d_buf ? data->d_size : 0;
}

/* As of compilers. */
static bool has_one_unit(Elf *elf, const struct dwarf_section *info)
{
	struct section whole;
	struct dwarf_bytes b;

	if (!info->data || section_find_debug(elf, ".debug_info", &whole))
		return false;
	b = dwarf_at(info, 0);
	b.big_endian = is_big_endian(elf);
	return dwarf_number(&b, 4) == dwarf_left(&b);
}

bool budget_admits_apart(struct budget *budget, Elf *elf)
{
	struct dwarf_section info;
	Dwarf *dwarf;
	bool admits;

	find_info_apart(elf, &info);
	if (has_one_unit(elf, &info)) {
		budget->abbrevs_limit += packed_size(elf, ".debug_abbrev.dwo");
		budget->passed_limit += PASSED_TIMES * info.size;
		return true;
	}
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	admits = !dwarf || units_are_few(budget, dwarf);
	dwarf_end(dwarf);
	return admits;
}

/* They have to do with their table: of compilers it has more bytes. */
static bool spend_names(struct budget *budget, const struct line_table *table)
{
	uint64_t own = NAMES_A_BYTE * table->bytes;
	uint64_t more = table->names > own ? table->names - own : 0;

	if (more && more >= NAMES_BEYOND - budget->names)
		budget->names = NAMES_BEYOND;
	return budget->names < NAMES_BEYOND &&
	       budget_spend(budget, 0, more, 1, &budget->names);
}

static bool spend_rows(struct budget *budget, Dwarf_Die *unit,
		       const struct line_table *table)
{
	uint8_t address_size = 0;
	Dwarf_Die whole;
	uint64_t rows;

	if (!dwarf_diecu(unit, &whole, &address_size, NULL) ||
	    !line_table_rows(table, address_size, &rows))
		return false;
	budget->exceeded |= rows > TABLE_ROWS;
	return rows <= TABLE_ROWS &&
	       budget_spend(budget, budget->disk / BYTES_A_ROW, rows, ROW_SIZE,
			    &budget->rows);
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
	       spend_names(budget, &table) && spend_rows(budget, unit, &table);
}

static bool remember(struct budget *budget, struct map *map, uint64_t key,
		     uint32_t admits)
{
	if (!map_set(map, key, admits))
		return admits;
	budget->missing->memory = true;
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

bool budget_admits_lines(struct budget *budget, Dwarf_Die *unit)
{
	uint64_t key = (uintptr_t)unit->cu;
	uint32_t admits;

	if (map_get(&budget->lines_admitted, key, &admits))
		return admits;
	open_lines(budget, unit);
	admits = spend_table(budget, unit);
	return remember(budget, &budget->lines_admitted, key, admits);
}

bool budget_admits(struct budget *budget, Dwarf_Die *unit)
{
	uint64_t key = (uintptr_t)unit->cu;
	uint32_t admitted;

	if (map_get(&budget->admitted, key, &admitted))
		return admitted;
	admitted =
		budget_spend(budget, budget->abbrevs_limit, unit_abbrevs(unit),
			     ABBREV_SIZE, &budget->abbrevs);
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
	if (budget->beyond)
		budget->missing->beyond -= budget->beyond;
	map_fini(&budget->base_runs);
	map_fini(&budget->admitted);
	map_fini(&budget->lines_admitted);
	map_fini(&budget->table_admits);
}
