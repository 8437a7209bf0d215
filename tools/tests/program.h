/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program of nothing but names: an ELF file for arm64 with some symbols. */
#ifndef PMSCOPE_TESTS_PROGRAM_H
#define PMSCOPE_TESTS_PROGRAM_H

#include "bytes.h"

#include <elf.h>
#include <stdbool.h>

/*
 * Its two segments: code, and data with zeros behind what is in the file. They
 * are PROGRAM_GAP farther apart in memory than in the file.
 */
#define PROGRAM_TEXT	  0x200
#define PROGRAM_DATA	  0x1000
#define PROGRAM_DATA_SIZE 0x200
#define PROGRAM_BSS	  (PROGRAM_DATA + PROGRAM_DATA_SIZE)
#define PROGRAM_BSS_SIZE  0x8000
#define PROGRAM_GAP	  0x10000

/**
 * struct program_symbol - one symbol
 * @at: in the file, or where it would be there; @size: bytes
 * @type: STT_ and next STB_
 * @absolute: it is in no section
 */
struct program_symbol {
	const char *name;
	uint64_t at;
	uint64_t size;
	unsigned int type;
	unsigned int bind;
	bool absolute;
};

/*
 * Of an ELF file of type ET_DYN or ET_REL, with the headers of segments behind
 * it; those of sections are @at, and section @names has their names.
 */
Elf64_Ehdr program_header(uint16_t type, uint16_t segments, uint64_t at,
			  uint16_t sections, uint16_t names);

void put_program(struct bytes *b, const struct program_symbol *symbols,
		 size_t nr);

#endif /* PMSCOPE_TESTS_PROGRAM_H */
