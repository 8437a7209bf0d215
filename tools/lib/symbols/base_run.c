// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "base_run.h"

#include <dwarf.h>
#include <gelf.h>
#include <stddef.h>
#include <string.h>

/* More than any entry has bytes; libdw reads no more of a LEB128 than 10. */
#define AHEAD	32
#define LEB_MAX 10

/* Compilers and linkers write one or two; others may share their bytes. */
#define MAX_SECTIONS 8

/* The size of the entry at @at if it sets the base, else 0. */
typedef size_t base_entry(const uint8_t *at, const uint8_t *end);

static size_t base_pair(const uint8_t *at, const uint8_t *end, size_t word)
{
	static const uint8_t highest[] = {0xff, 0xff, 0xff, 0xff,
					  0xff, 0xff, 0xff, 0xff};

	return (size_t)(end - at) >= 2 * word && !memcmp(at, highest, word)
		       ? 2 * word
		       : 0;
}

static size_t base_pair_of_4(const uint8_t *at, const uint8_t *end)
{
	return base_pair(at, end, 4);
}

static size_t base_pair_of_8(const uint8_t *at, const uint8_t *end)
{
	return base_pair(at, end, 8);
}

static size_t leb_size(const uint8_t *at, const uint8_t *end)
{
	size_t size = 0;

	while (at + size < end && size < LEB_MAX)
		if (!(at[size++] & 0x80))
			break;
	return size;
}

static size_t base_index(const uint8_t *at, const uint8_t *end)
{
	return *at == DW_RLE_base_addressx ? 1 + leb_size(at + 1, end) : 0;
}

static size_t base_address_of_4(const uint8_t *at, const uint8_t *end)
{
	return *at == DW_RLE_base_address ? 1 + 4 : base_index(at, end);
}

static size_t base_address_of_8(const uint8_t *at, const uint8_t *end)
{
	return *at == DW_RLE_base_address ? 1 + 8 : base_index(at, end);
}

/* @runs: of those entries that end at each of the bytes ahead. */
static uint32_t longest_in(const Elf_Data *data, base_entry *size_of)
{
	const uint8_t *begin = data->d_buf, *end = begin + data->d_size;
	uint32_t runs[AHEAD] = {}, longest = 0;

	for (const uint8_t *at = begin; at < end; at++) {
		uint32_t *run = &runs[(at - begin) % AHEAD], nr = *run + 1;
		size_t size = size_of(at, end);

		*run = 0;
		if (!size)
			continue;
		run = &runs[(at - begin + size) % AHEAD];
		if (*run < nr)
			*run = nr;
		if (longest < nr)
			longest = nr;
	}
	return longest;
}

static uint32_t longest_of(Elf_Scn *scn, base_entry *of_4, base_entry *of_8)
{
	const Elf_Data *data = elf_getdata(scn, NULL);
	uint32_t runs[2];

	if (!data || !data->d_buf)
		return 0;
	runs[0] = longest_in(data, of_4);
	runs[1] = longest_in(data, of_8);
	return runs[runs[0] < runs[1]];
}

static uint32_t longest_named(Elf_Scn *scn, const char *name)
{
	return strstr(name, "debug_ranges")
		       ? longest_of(scn, base_pair_of_4, base_pair_of_8)
		       : longest_of(scn, base_address_of_4, base_address_of_8);
}

/* libdw knows the sections by more names than these, which are in them. */
static const char *name_of(Elf *elf, size_t strings, Elf_Scn *scn)
{
	GElf_Shdr header;
	const char *name = gelf_getshdr(scn, &header)
				   ? elf_strptr(elf, strings, header.sh_name)
				   : NULL;

	return name && (strstr(name, "debug_ranges") ||
			strstr(name, "debug_rnglists"))
		       ? name
		       : NULL;
}

uint32_t base_run_longest(Elf *elf)
{
	uint32_t longest = 0, run, nr = 0;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return 0;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		const char *name = name_of(elf, strings, s);

		if (!name)
			continue;
		if (nr++ == MAX_SECTIONS)
			return UINT32_MAX;
		run = longest_named(s, name);
		if (longest < run)
			longest = run;
	}
	return longest;
}
