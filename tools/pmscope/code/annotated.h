/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a function, each with its samples, if it has any: what
 * annotate prints, and the page of report shows.
 */
#ifndef PMSCOPE_CODE_ANNOTATED_H
#define PMSCOPE_CODE_ANNOTATED_H

#include "code/functions.h"

/**
 * struct annotated - one instruction
 * @offset: from the start of the function; UINT64_MAX: not known
 * @insn: what it is; NULL without code
 * @row: its samples; NULL if it has none
 * @parts: events and sources of @row; all zeros without
 * @line: where it comes from; all zeros if unknown
 * @branch: the symbol that a branch out of the function goes to; all zeros
 *	    otherwise
 */
struct annotated {
	uint64_t offset;
	const struct insn *insn;
	const struct row *row;
	struct row_parts parts;
	struct pmscope_line line;
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
int annotated_merge(struct annotated_function *f);
void annotated_fini(struct annotated_function *f);

/*
 * Fills in the rest of an instruction of @f. Returns 0 or -ENOMEM; end with
 * row_parts_fini().
 */
int annotated_describe(struct annotated *a, const struct row_table *table,
		       const struct load *load,
		       const struct annotated_function *f);

/*
 * The name of where a direct branch goes, and @offset from there; the name is
 * NULL if it is unknown, or no direct branch.
 */
const char *annotated_target(const struct annotated_function *f,
			     const struct annotated *a, uint64_t *offset);

#endif /* PMSCOPE_CODE_ANNOTATED_H */
