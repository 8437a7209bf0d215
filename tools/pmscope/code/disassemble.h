/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A64 machine code as text: by LLVM if its library is installed, otherwise by
 * objdump.
 */
#pragma once

#include "base/arena.h"
#include "base/std.h"

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

/* The disassembler of LLVM, whose library is loaded when it is needed. */

struct llvm;

/* NULL if no library of LLVM is installed that knows AArch64. */
struct llvm *llvm_open(void);
void llvm_close(struct llvm *llvm);

/* "LLVM 19.1.7" */
const char *llvm_name(const struct llvm *llvm);

/* Writes the instruction's text. Returns false if @word is none. */
bool llvm_print(struct llvm *llvm, uint32_t word, char *text, size_t size);

/* The disassembler of binutils, in a child process with limits. */

/*
 * Finds an objdump that knows AArch64: @wanted, or one in PATH. Returns its
 * name, or NULL.
 */
const char *objdump_find(const char *wanted);

/* Writes the first line of --version to @name. */
void objdump_name(const char *program, char *name, size_t size);

/* The offset and the text, within @line, of an instruction; or NULL. */
char *objdump_line(char *line, size_t *offset);

/*
 * Disassembles @size bytes and calls @take with the offset and the text of each
 * instruction. Returns 0 or -errno; it is not an error if objdump fails.
 */
int objdump_run(const char *program, const uint8_t *bytes, size_t size,
		int (*take)(void *context, size_t offset, char *text),
		void *context);
