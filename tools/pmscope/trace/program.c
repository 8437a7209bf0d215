// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the functions of a program, as opposed to those of the kernel. */
#include "trace/trace.h"

#include <gelf.h>

/* Returns true if @sym is a function that a uprobe can be placed at. */
static bool is_function(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC);
}

static bool section_has(Elf *elf, Elf_Scn *scn, const char *name)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr header;
	GElf_Sym sym;

	if (!data || !gelf_getshdr(scn, &header))
		return false;
	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		const char *text = elf_strptr(elf, header.sh_link, sym.st_name);

		if (is_function(&sym) && text && !strcmp(text, name))
			return true;
	}
	return false;
}

/* As libbpf, which will place the uprobe: not in a separate debug file. */
bool trace_program_has(const char *path, const char *name)
{
	CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;
	GElf_Shdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	/* Not mapped: its owner may cut it meanwhile. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	for (Elf_Scn *s = NULL; elf && !found && (s = elf_nextscn(elf, s));)
		found = gelf_getshdr(s, &header) &&
			(header.sh_type == SHT_SYMTAB ||
			 header.sh_type == SHT_DYNSYM) &&
			section_has(elf, s, name);
	elf_end(elf);
	return found;
}
