// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Machine code in ELF files, for the child process. */
#include "base/io.h"
#include "reader.h"

/* The bytes from a wanted address to the end of its section or segment. */
struct extent {
	uint64_t offset;
	uint64_t size;
};

/* Bytes from @address on, if they are among @size bytes at @start. */
static bool covers(uint64_t start, uint64_t size, uint64_t offset,
		   uint64_t address, struct extent *found)
{
	if (address < start || address - start >= size)
		return false;
	*found = (struct extent){offset + (address - start),
				 size - (address - start)};
	return true;
}

/* @of_section: addresses count from the start of each section. */
static bool in_section(Elf_Scn *scn, bool of_section, uint64_t address,
		       struct extent *found)
{
	GElf_Shdr h;

	return gelf_getshdr(scn, &h) && h.sh_flags & SHF_ALLOC &&
	       h.sh_type != SHT_NOBITS &&
	       covers(of_section ? 0 : h.sh_addr, h.sh_size, h.sh_offset,
		      address, found);
}

/* A file without section headers, such as kcore, has segments. */
static int find(Elf *elf, uint32_t section, uint64_t address,
		struct extent *found, unsigned int *machine)
{
	GElf_Ehdr header;
	GElf_Phdr h;
	size_t nr = 0;

	if (!elf || !gelf_getehdr(elf, &header) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	*machine = header.e_machine;
	if (section)
		return in_section(elf_getscn(elf, section), true, address,
				  found)
			       ? 0
			       : -ENODATA;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
		if (in_section(scn, false, address, found))
			return 0;
	if (elf_nextscn(elf, NULL) || elf_getphdrnum(elf, &nr))
		return -ENODATA;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, &h) && h.p_type == PT_LOAD &&
		    covers(h.p_vaddr, h.p_filesz, h.p_offset, address, found))
			return 0;
	return -ENODATA;
}

/* libelf would map the whole file, but /proc/kcore cannot be mapped. */
int code_read(int fd, uint32_t section, uint64_t address,
	      const struct code_request *request)
{
	struct extent extent = {};
	ssize_t size;
	Elf *elf;
	int ret;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	ret = find(elf, section, address, &extent, &request->code->machine);
	elf_end(elf);
	if (ret)
		return ret;
	size = io_read_at(fd, request->bytes, MIN(extent.size, request->size),
			  extent.offset);
	if (size <= 0)
		return size < 0 ? size : -ENODATA;
	request->code->size = size;
	return 0;
}
