// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Stubs are in the order of the relocations in .rela.plt. They follow a header
 * whose size the ABI defines. The size of a stub depends on linker options
 * (BTI, PAC), so the rest of the section is divided evenly.
 */
#include "plt.h"
#include "section.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#define RANK_STUB	16 /* after all symbols, before bare addresses */
#define NAME_MAX_LENGTH 4095

/* Limits the names as in elf.c: all stubs may have the same long one. */
#define NAMES_MAX 4

/* Bytes of the header before the first stub, and the minimum for a stub. */
static const struct shape {
	GElf_Half machine;
	unsigned int header;
	unsigned int stub;
} shapes[] = {
	{EM_AARCH64, 32, 16},
	{EM_X86_64, 16, 8},
};

static const struct shape *shape_of(Elf *file)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(file, &header))
		return NULL;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (header.e_machine == shapes[i].machine)
			return &shapes[i];
	return NULL;
}

/* Static programs have no header, because there is no lazy binding. */
static unsigned int header_size(const struct shape *shape,
				const struct section *plt, size_t count)
{
	return plt->header.sh_size < shape->header + count * shape->stub
		       ? 0
		       : shape->header;
}

/*
 * Finds the stubs that code calls: in .plt.sec with x86-64 IBT, else in .plt.
 */
static bool stubs_find(Elf *file, const struct shape *shape, size_t count,
		       uint64_t *start, uint64_t *size)
{
	unsigned int before = 0;
	struct section plt;

	if (!section_find(file, ".plt.sec", &plt)) {
		if (!section_find(file, ".plt", &plt))
			return false;
		before = header_size(shape, &plt, count);
	}
	if (plt.header.sh_size < before + count * shape->stub)
		return false;
	*start = plt.header.sh_addr + before;
	*size = (plt.header.sh_size - before) / count;
	return true;
}

static int stub_add(Elf *file, const GElf_Shdr *symbols, Elf_Data *data,
		    size_t index, uint64_t address, uint64_t size,
		    uint64_t *room, struct symbol_table *table)
{
	char name[NAME_MAX_LENGTH + sizeof("@plt")];
	struct symbol symbol = {.address = address,
				.size = size,
				.name = name,
				.rank = RANK_STUB};
	const char *text;
	size_t length;
	GElf_Sym sym;

	if (!index || !gelf_getsym(data, index, &sym))
		return 0;
	text = elf_strptr(file, symbols->sh_link, sym.st_name);
	if (!text || !*text)
		return 0;
	length =
		snprintf(name, sizeof(name), "%.*s@plt", NAME_MAX_LENGTH, text);
	if (length > *room)
		return 0;
	*room -= length;
	return symbol_table_add(table, &symbol);
}

static int stubs_add(Elf *file, const struct section *relocs,
		     const struct shape *shape, size_t count,
		     struct symbol_table *table)
{
	Elf_Scn *scn = elf_getscn(file, relocs->header.sh_link);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	Elf_Data *entries = elf_getdata(relocs->scn, NULL);
	uint64_t start, size, room;
	GElf_Shdr symbols;
	size_t bytes = 0;
	int ret = 0;

	if (!count || !data || !entries || !gelf_getshdr(scn, &symbols) ||
	    !stubs_find(file, shape, count, &start, &size))
		return 0;
	elf_rawfile(file, &bytes);
	room = NAMES_MAX * (uint64_t)bytes;
	for (size_t i = 0; i < count && !ret; i++) {
		GElf_Rela rela;

		if (gelf_getrela(entries, i, &rela))
			ret = stub_add(file, &symbols, data,
				       GELF_R_SYM(rela.r_info),
				       start + i * size, size, &room, table);
	}
	return ret;
}

/*
 * Names the header, which unbound stubs jump to: otherwise it would seem to be
 * part of _init, which precedes it.
 */
static int header_add(Elf *file, const struct shape *shape, size_t count,
		      struct symbol_table *table)
{
	struct symbol symbol = {.name = ".plt", .rank = RANK_STUB};
	struct section plt, called;

	if (!section_find(file, ".plt", &plt))
		return 0;
	symbol.address = plt.header.sh_addr;
	symbol.size = section_find(file, ".plt.sec", &called)
			      ? plt.header.sh_size
			      : header_size(shape, &plt, count);
	return symbol.size ? symbol_table_add(table, &symbol) : 0;
}

int plt_read(Elf *file, struct symbol_table *table)
{
	const struct shape *shape = shape_of(file);
	struct section relocs;
	size_t count;
	int ret;

	/* Another type could have any size without having the bytes. */
	if (!shape || !section_find(file, ".rela.plt", &relocs) ||
	    relocs.header.sh_type != SHT_RELA || !relocs.header.sh_entsize)
		return 0;
	count = relocs.header.sh_size / relocs.header.sh_entsize;
	ret = header_add(file, shape, count, table);
	return ret ? ret : stubs_add(file, &relocs, shape, count, table);
}
