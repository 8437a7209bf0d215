// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "code.h"
#include "base/io.h"
#include "base/std.h"

#include <elf.h>

/* The bytes from a wanted address to the end of its section or segment. */
struct extent {
	uint64_t offset;
	uint64_t size;
};

static bool read_all(int fd, void *bytes, size_t size, uint64_t offset)
{
	return io_read_at(fd, bytes, size, offset) == (ssize_t)size;
}

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

static int in_section(const Elf64_Shdr *h, uint64_t start, uint64_t address,
		      struct extent *found)
{
	if (!(h->sh_flags & SHF_ALLOC) ||
	    !covers(start, h->sh_size, h->sh_offset, address, found))
		return -ENOENT;
	return h->sh_type == SHT_NOBITS ? -ENODATA : 0;
}

/* Section 0 has the number of sections that the header has no room for. */
static uint64_t nr_sections(int fd, const Elf64_Ehdr *header)
{
	Elf64_Shdr first;

	if (header->e_shnum || !header->e_shoff ||
	    !read_all(fd, &first, sizeof(first), header->e_shoff))
		return header->e_shnum;
	return first.sh_size < UINT16_MAX * 4 ? first.sh_size : 0;
}

static int find_in_sections(int fd, const Elf64_Ehdr *header, uint64_t nr,
			    uint64_t address, struct extent *found)
{
	int ret = -ENODATA;

	for (uint64_t i = 0; i < nr; i++) {
		Elf64_Shdr h;
		int one;

		if (!read_all(fd, &h, sizeof(h),
			      header->e_shoff + i * sizeof(h)))
			break;
		one = in_section(&h, h.sh_addr, address, found);
		if (!one)
			return 0;
	}
	return ret;
}

static int find_in_segments(int fd, const Elf64_Ehdr *header, uint64_t address,
			    struct extent *found)
{
	for (uint64_t i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr h;

		if (!read_all(fd, &h, sizeof(h),
			      header->e_phoff + i * sizeof(h)))
			break;
		if (h.p_type == PT_LOAD &&
		    covers(h.p_vaddr, h.p_filesz, h.p_offset, address, found))
			return 0;
	}
	return -ENODATA;
}

static int find_in_number(int fd, const Elf64_Ehdr *header, uint32_t section,
			  uint64_t offset, struct extent *found)
{
	Elf64_Shdr h;

	if (!read_all(fd, &h, sizeof(h),
		      header->e_shoff + section * (uint64_t)sizeof(h)) ||
	    in_section(&h, 0, offset, found))
		return -ENODATA;
	return 0;
}

static bool is_elf64(const Elf64_Ehdr *h)
{
	return !memcmp(h->e_ident, ELFMAG, SELFMAG) &&
	       h->e_ident[EI_CLASS] == ELFCLASS64 &&
	       h->e_ident[EI_DATA] == ELFDATA2LSB &&
	       (!h->e_phnum || h->e_phentsize == sizeof(Elf64_Phdr)) &&
	       (!h->e_shoff || h->e_shentsize == sizeof(Elf64_Shdr));
}

/* A file without section headers, such as kcore, has segments. */
static int find(int fd, uint32_t section, uint64_t address,
		struct extent *found, unsigned int *machine)
{
	Elf64_Ehdr header;
	uint64_t nr;

	if (!read_all(fd, &header, sizeof(header), 0) || !is_elf64(&header))
		return -ENOEXEC;
	*machine = header.e_machine;
	nr = nr_sections(fd, &header);
	if (section)
		return section < nr ? find_in_number(fd, &header, section,
						     address, found)
				    : -ENODATA;
	return nr ? find_in_sections(fd, &header, nr, address, found)
		  : find_in_segments(fd, &header, address, found);
}

int code_read(int fd, uint32_t section, uint64_t address,
	      const struct code_request *request)
{
	struct extent extent = {};
	ssize_t size;
	int ret;

	ret = find(fd, section, address, &extent, &request->code->machine);
	if (ret)
		return ret;
	size = io_read_at(fd, request->bytes,
			  min_size(extent.size, request->size), extent.offset);
	if (size <= 0)
		return size < 0 ? size : -ENODATA;
	request->code->size = size;
	return 0;
}
