// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The stubs are in the order of the relocations in .rela.plt, behind a header
 * of a size that the architecture's ABI fixes; theirs depends on the linker's
 * options (BTI, PAC), so it is what is left, shared out.
 */
#include "plt.h"
#include "section.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#define RANK_STUB	16 /* worse than any symbol, better than a bare address */
#define NAME_MAX_LENGTH 512

/* Bytes before the first stub; -1: not known for this machine. */
static int header_size(Elf *file)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(file, &header))
		return -1;
	switch (header.e_machine) {
	case EM_AARCH64:
		return 32;
	case EM_X86_64:
		return 16;
	default:
		return -1;
	}
}

/* The stubs that are called: x86-64 with IBT has them in a section apart. */
static bool stubs_find(Elf *file, size_t count, uint64_t *start, uint64_t *size)
{
	int before = header_size(file);
	struct section plt;

	if (before < 0)
		return false;
	if (section_find(file, ".plt.sec", &plt))
		before = 0;
	else if (!section_find(file, ".plt", &plt))
		return false;
	if (plt.header.sh_size < (uint64_t)before + 8 * count)
		return false;
	*start = plt.header.sh_addr + before;
	*size = (plt.header.sh_size - before) / count;
	return true;
}

static int stub_add(Elf *file, const GElf_Shdr *symbols, Elf_Data *data,
		    size_t index, uint64_t address, uint64_t size,
		    struct symbol_table *table)
{
	char name[NAME_MAX_LENGTH + sizeof("@plt")];
	struct symbol symbol = {.address = address,
				.size = size,
				.name = name,
				.rank = RANK_STUB};
	const char *text;
	GElf_Sym sym;

	if (!index || !gelf_getsym(data, index, &sym))
		return 0;
	text = elf_strptr(file, symbols->sh_link, sym.st_name);
	if (!text || !*text)
		return 0;
	snprintf(name, sizeof(name), "%.*s@plt", NAME_MAX_LENGTH, text);
	return symbol_table_add(table, &symbol);
}

static int stubs_add(Elf *file, const struct section *relocs,
		     struct symbol_table *table)
{
	size_t count = relocs->header.sh_size / relocs->header.sh_entsize;
	Elf_Scn *scn = elf_getscn(file, relocs->header.sh_link);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	Elf_Data *entries = elf_getdata(relocs->scn, NULL);
	uint64_t start, size;
	GElf_Shdr symbols;
	int ret = 0;

	if (!count || !data || !entries || !gelf_getshdr(scn, &symbols) ||
	    !stubs_find(file, count, &start, &size))
		return 0;
	for (size_t i = 0; i < count && !ret; i++) {
		GElf_Rela rela;

		if (gelf_getrela(entries, i, &rela))
			ret = stub_add(file, &symbols, data,
				       GELF_R_SYM(rela.r_info),
				       start + i * size, size, table);
	}
	return ret;
}

/*
 * What the stubs jump to while a function is not bound yet: without a name of
 * its own it would be taken for _init, which is before it.
 */
static int header_add(Elf *file, struct symbol_table *table)
{
	struct symbol symbol = {.name = ".plt", .rank = RANK_STUB};
	int size = header_size(file);
	struct section plt, called;

	if (size < 0 || !section_find(file, ".plt", &plt))
		return 0;
	symbol.address = plt.header.sh_addr;
	symbol.size = section_find(file, ".plt.sec", &called)
			      ? plt.header.sh_size
			      : (uint64_t)size;
	return symbol_table_add(table, &symbol);
}

int plt_read(Elf *file, struct symbol_table *table)
{
	struct section relocs;
	int ret;

	if (!section_find(file, ".rela.plt", &relocs) ||
	    !relocs.header.sh_entsize)
		return 0;
	ret = header_add(file, table);
	return ret ? ret : stubs_add(file, &relocs, table);
}
