// SPDX-License-Identifier: GPL-2.0-or-later
#include "archive/kcore.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The header counts segments with 16 bits; more functions are left out. */
#define SEGMENTS_MAX (PN_XNUM - 1)

uint8_t *kcore_image(const struct needs *needs, size_t *size)
{
	size_t nr =
		needs->nr_code < SEGMENTS_MAX ? needs->nr_code : SEGMENTS_MAX;
	size_t at = sizeof(Elf64_Ehdr) + nr * sizeof(Elf64_Phdr);
	uint8_t *image = malloc(at + needs->code_bytes);
	Elf64_Phdr *segments;

	if (!image)
		return NULL;
	segments = (Elf64_Phdr *)(image + sizeof(Elf64_Ehdr));
	*(Elf64_Ehdr *)image = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			    ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = needs->machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = nr,
	};
	for (size_t i = 0; i < nr; i++) {
		const struct kernel_code *code = &needs->code[i];

		segments[i] = (Elf64_Phdr){
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = at,
			.p_vaddr = code->address,
			.p_filesz = code->size,
			.p_memsz = code->size,
		};
		memcpy(image + at, code->bytes, code->size);
		at += code->size;
	}
	*size = at;
	return image;
}
