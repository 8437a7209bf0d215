// SPDX-License-Identifier: GPL-2.0-or-later
#include "arm_module.h"
#include "program.h"

#include <elf.h>
#include <string.h>

#define CODE (SHF_ALLOC | SHF_EXECINSTR)

enum {
	PLT = 1,
	TRAMPOLINE,
	TEXT,
	RELA,
	SYMTAB,
	STRTAB,
	SECTIONS
};

enum {
	STUBS = 1, /* a label */
	FAR,
	FARTHER,
	FIRST,
	SECOND,
	SYMBOLS
};

static const char names[] =
	"\0.plt\0.text.ftrace_trampoline\0.text\0.rela.text\0"
	".symtab\0.strtab\0stubs\0far\0farther\0" ARM_MODULE_FIRST
	"\0" ARM_MODULE_SECOND;

static uint32_t name_at(const char *name)
{
	for (size_t i = 1; i < sizeof(names); i += strlen(names + i) + 1)
		if (!strcmp(names + i, name))
			return i;
	return 0;
}

/* The first CALLS_AWAY take stubs, all of them. */
#define CALLS_AWAY 4

static const Elf64_Rela calls[] = {
	{0, ELF64_R_INFO(FAR, R_AARCH64_CALL26), 0},
	{4, ELF64_R_INFO(FARTHER, R_AARCH64_CALL26), 0},
	{8, ELF64_R_INFO(FAR, R_AARCH64_JUMP26), 0},
	{12, ELF64_R_INFO(FAR, R_AARCH64_CALL26), 0},
	{16, ELF64_R_INFO(SECOND, R_AARCH64_CALL26), 0},
	{20, ELF64_R_INFO(FARTHER, R_AARCH64_CALL26), 0},
	{24, ELF64_R_INFO(FAR, R_AARCH64_ADR_PREL_PG_HI21), 0},
};

static void put_symbols(struct bytes *b)
{
	const Elf64_Sym symbols[SYMBOLS] = {
		[STUBS] = {name_at("stubs"),
			   ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, PLT, 0, 0},
		[FAR] = {name_at("far"), ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
			 0, SHN_UNDEF, 0, 0},
		[FARTHER] = {name_at("farther"),
			     ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0,
			     SHN_UNDEF, 0, 0},
		[FIRST] = {name_at(ARM_MODULE_FIRST),
			   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, TEXT,
			   ARM_MODULE_START, ARM_MODULE_SIZE},
		[SECOND] = {name_at(ARM_MODULE_SECOND),
			    ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, TEXT,
			    ARM_MODULE_START + ARM_MODULE_SIZE,
			    ARM_MODULE_SIZE},
	};

	bytes_add(b, symbols, sizeof(symbols));
}

static void put_section(struct bytes *b, const char *name, uint32_t type,
			uint64_t flags, uint64_t size, uint64_t *at)
{
	Elf64_Shdr h = {
		.sh_name = name_at(name),
		.sh_type = type,
		.sh_flags = flags,
		.sh_offset = *at,
		.sh_size = size,
		.sh_addralign = !strcmp(name, ".text") ? 4 : 1,
	};

	if (type == SHT_RELA) {
		h.sh_link = SYMTAB;
		h.sh_info = TEXT;
		h.sh_entsize = sizeof(Elf64_Rela);
	}
	if (type == SHT_SYMTAB) {
		h.sh_link = STRTAB;
		h.sh_info = 1;
		h.sh_entsize = sizeof(Elf64_Sym);
	}
	bytes_add(b, &h, sizeof(h));
	if (type != SHT_NOBITS)
		*at += size;
}

static void put_sections(struct bytes *b, uint32_t code, size_t nr)
{
	uint64_t at = sizeof(Elf64_Ehdr);

	put_zeros(b, sizeof(Elf64_Shdr));
	put_section(b, ".plt", code, CODE, 1, &at);
	put_section(b, ".text.ftrace_trampoline", code, CODE, 1, &at);
	put_section(b, ".text", code, CODE, ARM_MODULE_CODE, &at);
	put_section(b, ".rela.text", SHT_RELA, 0, nr * sizeof(*calls), &at);
	put_section(b, ".symtab", SHT_SYMTAB, 0, SYMBOLS * sizeof(Elf64_Sym),
		    &at);
	put_section(b, ".strtab", SHT_STRTAB, 0, sizeof(names), &at);
}

/* With the first @nr calls. */
static void put_module(struct bytes *b, int debug, size_t nr)
{
	size_t code = debug ? 0 : 2 + ARM_MODULE_CODE;
	const Elf64_Ehdr h = program_header(
		ET_REL, 0,
		sizeof(h) + code + nr * sizeof(*calls) +
			SYMBOLS * sizeof(Elf64_Sym) + sizeof(names),
		SECTIONS, STRTAB);

	bytes_add(b, &h, sizeof(h));
	put_zeros(b, code);
	bytes_add(b, calls, nr * sizeof(*calls));
	put_symbols(b);
	bytes_add(b, names, sizeof(names));
	put_sections(b, debug ? SHT_NOBITS : SHT_PROGBITS, nr);
}

void put_arm_module(struct bytes *b, int debug)
{
	put_module(b, debug, sizeof(calls) / sizeof(calls[0]));
}

void put_arm_module_of_calls(struct bytes *b)
{
	put_module(b, 0, CALLS_AWAY);
}
