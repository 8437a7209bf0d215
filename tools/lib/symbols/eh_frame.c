// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * .eh_frame_hdr (Linux Standard Base Core, 10.6.2): a header, then a sorted
 * table of pairs: where a function begins, and where its unwind entry is.
 */
#include "eh_frame.h"
#include "base/little_endian.h"
#include "base/text.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#define RANK_LAST 255

/* The only encodings linkers write (DW_EH_PE_*). */
enum {
	POINTER_ENCODING = 0x1b, /* pcrel | sdata4 */
	COUNT_ENCODING = 0x03,	 /* udata4 */
	TABLE_ENCODING = 0x3b,	 /* datarel | sdata4 */
};

enum {
	HEADER_SIZE = 12,
	COUNT_AT = 8,
	PAIR_SIZE = 8
};

static bool header_find(Elf *file, GElf_Phdr *found)
{
	size_t count;

	if (elf_getphdrnum(file, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(file, i, found) &&
		    found->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

static int function_add(struct symbol_table *table, uint64_t address)
{
	char name[32];
	struct symbol symbol = {
		.address = address, .name = name, .rank = RANK_LAST};
	char *end = text_hex(text_string(name, "fn_"), address, 1);

	*end = '\0';
	return symbol_table_add(table, &symbol);
}

static int table_read(const Elf_Data *data, uint64_t base,
		      struct symbol_table *table)
{
	const uint8_t *p = data->d_buf;
	uint64_t count = get32(p + COUNT_AT);

	if (p[0] != 1 || p[1] != POINTER_ENCODING || p[2] != COUNT_ENCODING ||
	    p[3] != TABLE_ENCODING)
		return 0;
	if (count > (data->d_size - HEADER_SIZE) / PAIR_SIZE)
		count = (data->d_size - HEADER_SIZE) / PAIR_SIZE;
	for (uint64_t i = 0; i < count; i++) {
		int32_t offset = get32(p + HEADER_SIZE + PAIR_SIZE * i);
		int ret = function_add(table, base + offset);

		if (ret)
			return ret;
	}
	return 0;
}

int eh_frame_read(Elf *file, struct symbol_table *table)
{
	const char *ident = elf_getident(file, NULL);
	Elf_Data *data;
	GElf_Phdr phdr;

	if (!ident || ident[EI_DATA] != ELFDATA2LSB ||
	    !header_find(file, &phdr))
		return 0;
	data = elf_getdata_rawchunk(file, phdr.p_offset, phdr.p_filesz,
				    ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size < HEADER_SIZE)
		return 0;
	return table_read(data, phdr.p_vaddr, table);
}
