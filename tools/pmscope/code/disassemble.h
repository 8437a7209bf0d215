/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A64 machine code as text: by LLVM if its library is installed, otherwise by
 * objdump.
 */
#pragma once

#include "base/arena.h"

#define INSN_SIZE 4

/**
 * struct insn - one instruction
 * @address: its address
 * @word: its encoding
 * @branches: it is a direct branch, to @target
 * @text: mnemonic and operands, one space between; ".word 0x..." if it is not
 *	  a known instruction; NULL if nothing can disassemble it
 */
struct insn {
	uint64_t address;
	uint32_t word;
	bool branches;
	uint64_t target;
	const char *text;
};

/* Initialize to zeros. */
struct insns {
	struct insn *all;
	size_t nr;
	struct arena texts;
};

/*
 * Disassembles @size bytes at @address. @objdump: the objdump to use instead of
 * LLVM, or NULL. Returns 0, also if there is no disassembler, or -ENOMEM.
 */
int disassemble(const char *objdump, const uint8_t *bytes, size_t size,
		uint64_t address, struct insns *insns);
void insns_fini(struct insns *insns);

/*
 * Writes the name and version of the disassembler to @name; "none" if there is
 * none. Returns @name.
 */
#define DISASSEMBLER_NAME 128
const char *disassembler_name(const char *objdump,
			      char name[DISASSEMBLER_NAME]);
