// SPDX-License-Identifier: GPL-2.0-or-later
#include "program.h"

#include <elf.h>
#include <string.h>

#define TEXT_SIZE (PROGRAM_DATA - PROGRAM_TEXT)

/* In the order of their headers. */
enum section {
	NONE,
	TEXT,
	DATA,
	BSS,
	SYMTAB,
	STRTAB,
	SECTIONS
};

static const char section_names[] = "\0.text\0.data\0.bss\0.symtab\0.strtab";
static const unsigned int name_at[] = {0, 1, 7, 13, 18, 26};

/* Segments are where they are in the file, but for the gap between them. */
static uint64_t address_of(uint64_t offset)
{
	return offset < PROGRAM_DATA ? offset : offset + PROGRAM_GAP;
}

Elf64_Ehdr program_header(uint16_t type, uint16_t segments, uint64_t at,
			  uint16_t sections, uint16_t names)
{
	return (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			    ELFDATA2LSB, EV_CURRENT},
		.e_type = type,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_phoff = segments ? sizeof(Elf64_Ehdr) : 0,
		.e_shoff = at,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = segments,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = sections,
		.e_shstrndx = names,
	};
}

static void put_header(struct bytes *b, uint64_t sections)
{
	const Elf64_Ehdr h =
		program_header(ET_DYN, 2, sections, SECTIONS, STRTAB);

	bytes_add(b, &h, sizeof(h));
}

static void put_segments(struct bytes *b)
{
	const Elf64_Phdr segments[] = {
		{.p_type = PT_LOAD,
		 .p_flags = PF_R | PF_X,
		 .p_filesz = PROGRAM_DATA,
		 .p_memsz = PROGRAM_DATA,
		 .p_align = PROGRAM_DATA},
		{.p_type = PT_LOAD,
		 .p_flags = PF_R | PF_W,
		 .p_offset = PROGRAM_DATA,
		 .p_vaddr = address_of(PROGRAM_DATA),
		 .p_paddr = address_of(PROGRAM_DATA),
		 .p_filesz = PROGRAM_DATA_SIZE,
		 .p_memsz = PROGRAM_DATA_SIZE + PROGRAM_BSS_SIZE,
		 .p_align = PROGRAM_DATA},
	};

	bytes_add(b, segments, sizeof(segments));
}

static uint16_t section_of(const struct program_symbol *symbol)
{
	if (symbol->absolute)
		return SHN_ABS;
	if (symbol->at < PROGRAM_DATA)
		return TEXT;
	return symbol->at < PROGRAM_BSS ? DATA : BSS;
}

static void put_symbols(struct bytes *b, struct bytes *strings,
			const struct program_symbol *symbols, size_t nr)
{
	put_zeros(b, sizeof(Elf64_Sym));
	for (size_t i = 0; i < nr; i++) {
		const struct program_symbol *s = &symbols[i];
		Elf64_Sym symbol = {
			.st_name = strings->size,
			.st_info = ELF64_ST_INFO(s->bind, s->type),
			.st_shndx = section_of(s),
			.st_value =
				s->type == STT_TLS ? s->at : address_of(s->at),
			.st_size = s->size,
		};

		bytes_add(strings, s->name, strlen(s->name) + 1);
		bytes_add(b, &symbol, sizeof(symbol));
	}
}

static void put_section(struct bytes *b, enum section section, uint32_t type,
			uint64_t offset, uint64_t size)
{
	Elf64_Shdr h = {
		.sh_name = name_at[section],
		.sh_type = type,
		.sh_offset = offset,
		.sh_size = size,
		.sh_addralign = 1,
	};

	if (section < SYMTAB) {
		h.sh_flags = SHF_ALLOC |
			     (section == TEXT ? SHF_EXECINSTR : SHF_WRITE);
		h.sh_addr = address_of(offset);
	}
	if (section == SYMTAB) {
		h.sh_link = STRTAB;
		h.sh_info = 1; /* the first that is not local: not looked at */
		h.sh_entsize = sizeof(Elf64_Sym);
	}
	bytes_add(b, &h, sizeof(h));
}

void put_program(struct bytes *b, const struct program_symbol *symbols,
		 size_t nr)
{
	uint64_t symtab = PROGRAM_BSS;
	uint64_t strtab = symtab + (nr + 1) * sizeof(Elf64_Sym);
	struct bytes strings = {}, entries = {};

	bytes_add(&strings, section_names, sizeof(section_names));
	put_symbols(&entries, &strings, symbols, nr);
	put_header(b, strtab + strings.size);
	put_segments(b);
	put_zeros(b, PROGRAM_BSS - b->size);
	bytes_add(b, entries.data, entries.size);
	bytes_add(b, strings.data, strings.size);
	put_zeros(b, sizeof(Elf64_Shdr));
	put_section(b, TEXT, SHT_PROGBITS, PROGRAM_TEXT, TEXT_SIZE);
	put_section(b, DATA, SHT_PROGBITS, PROGRAM_DATA, PROGRAM_DATA_SIZE);
	put_section(b, BSS, SHT_NOBITS, PROGRAM_BSS, PROGRAM_BSS_SIZE);
	put_section(b, SYMTAB, SHT_SYMTAB, symtab, entries.size);
	put_section(b, STRTAB, SHT_STRTAB, strtab, strings.size);
	bytes_fini(&entries);
	bytes_fini(&strings);
}
