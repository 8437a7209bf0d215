/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rows/rows.h"

/* A64 machine code as text: by LLVM if it is installed, else by objdump. */

#define INSN_SIZE 4

struct insn {
	uint64_t address; /* its address */
	uint32_t word;	  /* its encoding */
	bool branches;	  /* it is a direct branch, to @target */
	uint64_t target;
	/*
	 * mnemonic and operands, one space between; ".word 0x..." if it is not
	 * a known instruction; NULL if nothing can disassemble it
	 */
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

/* Writes the disassembler's name and version, or "none". Returns @name. */
#define DISASSEMBLER_NAME 128
const char *disassembler_name(const char *objdump,
			      char name[DISASSEMBLER_NAME]);

/* The disassembler of LLVM, whose library is loaded when it is needed. */

struct llvm;

/* NULL if no library of LLVM is installed that knows AArch64. */
struct llvm *llvm_open(void);
void llvm_close(struct llvm *llvm);
const char *llvm_name(const struct llvm *llvm);

/* Writes the instruction's text. Returns false if @word is none. */
bool llvm_print(struct llvm *llvm, uint32_t word, char *text, size_t size);

/* The disassembler of binutils, in a child process with limits. */

/* Finds an objdump for AArch64: @wanted, or in PATH. Its name, or NULL. */
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

/*
 * The instructions of a function, each with its samples, if it has any: what
 * annotate prints, and the page of report shows.
 */

/* Functions of rows by instruction, and their code: of annotate and pages. */

struct function {
	const char *sym;	 /* its name */
	const char *dso;	 /* its file */
	bool placed;		 /* @place is set; else no symbol is known */
	struct row_place place;	 /* where it is */
	const struct row **rows; /* its sampled instructions, by offset */
	size_t nr_rows;		 /* how many */
	uint64_t samples;	 /* sum of the rows */
	uint64_t weight;	 /* sum of their weights: samples, or cycles */
	uint64_t own;		 /* sum of their own cycles */
};

/* Initialize to zeros. The heaviest function comes first. */
struct functions {
	struct function *all;
	size_t nr;
	const struct row **rows;
};

/*
 * Finds the functions of a finished table that row_table_by_instruction()
 * began; they refer to it. Returns 0 or -ENOMEM.
 */
int functions_find(struct functions *functions, const struct row_table *table);
void functions_fini(struct functions *functions);

/* Share of all samples, or of all cycles, 0 to 1. */
double function_share(const struct row_table *table,
		      const struct function *function);

static inline uint64_t function_offset(const struct row *row)
{
	return row->values[INSTRUCTION_OFFSET];
}

/* More code than this is left out, in bytes. */
#define FUNCTION_CODE_MAX (1U << 20)

struct function_code {
	struct pmscope_code code; /* see pmscope_symbols_code() */
	struct insns insns;	  /* from the function's start; none on error */
	bool cut;  /* the function has more than FUNCTION_CODE_MAX bytes */
	int error; /* 0, or why there is none: see function_code_why() */
};

/*
 * Reads and disassembles the code of @function. @objdump: see disassemble().
 * Returns 0, also without code, or -ENOMEM.
 */
int function_code_read(struct function_code *code, const struct load *load,
		       const struct function *function, const char *objdump);
void function_code_fini(struct function_code *code);
const char *function_code_why(const struct function_code *code);

/* Source line of the instruction at an offset. Returns false if unknown. */
bool function_line(const struct load *load, const struct function *function,
		   uint64_t offset, struct pmscope_line *line);

/* One instruction, without its function */
struct code_found {
	struct pmscope_line line; /* all zeros if unknown */
	struct insns insns;	  /* the instruction; none without code */
};

/* Finds the instruction at @at, near @place. 0 or -ENOMEM; insns_fini(). */
int code_find(struct code_found *found, const struct load *load,
	      const struct row_place *place, uint64_t at);

/* Where a branch goes to. False if unknown, or within the function. */
bool function_branch(const struct load *load, const struct function *function,
		     const struct function_code *code, const struct insn *insn,
		     struct pmscope_symbol *symbol);

struct annotated {
	uint64_t offset;	 /* from the function; UINT64_MAX: not known */
	const struct insn *insn; /* what it is; NULL without code */
	const struct row *row;	 /* its samples; NULL if it has none */
	/*
	 * of all samples, cycles or time. A clock's interrupt comes some
	 * instructions late: own cycles divide the time of the function
	 */
	double share;
	struct row_parts parts;	  /* of @row; all zeros without */
	struct pmscope_line line; /* all zeros if unknown */
	/* where a branch out of the function goes to; all zeros otherwise */
	struct pmscope_symbol branch;
};

/* All instructions of a function, by their offsets. */
struct annotated_function {
	const struct function *function;
	const struct function_code *code;
	struct annotated *insns;
	size_t nr;
};

/*
 * Fills in offsets, instructions and rows of @f, which has its function and
 * code. Returns 0 or -ENOMEM; end with annotated_fini().
 */
int annotated_merge(struct annotated_function *f,
		    const struct row_table *table);
void annotated_fini(struct annotated_function *f);

/* Fills in the rest. 0 or -ENOMEM; end with row_parts_fini(). */
int annotated_describe(struct annotated *a, const struct row_table *table,
		       const struct load *load,
		       const struct annotated_function *f);

/*
 * The name of where a direct branch goes, and @offset from there; the name is
 * NULL if it is unknown, or no direct branch.
 */
const char *annotated_target(const struct annotated_function *f,
			     const struct annotated *a, uint64_t *offset);
