/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row of columns, put as its plan tells. */
#ifndef PMSCOPE_SCRIPT_ROW_H
#define PMSCOPE_SCRIPT_ROW_H

#include "read/deps.h"
#include "script/plan.h"

/**
 * struct row_memory - what the rows of one thread have in common
 * @variables: only where a column is of data
 * @extra: room that a row has for texts longer than a piece
 */
struct row_memory {
	const struct load *load;
	struct layout layout;
	struct codes *codes;
	struct variables *variables;
	struct small small;
	struct text_buffer buffer;
	size_t extra;
};

/**
 * struct row - a record, and what is known of it
 * @batch: that has it; a copy, so that there is a pointer less to follow
 * @pc: as an address
 * @guess: what may be its code
 * @code: once asked for; NULL without a PC
 * @variable: the newest of those asked for; or NULL
 * @extra: of the memory's, used. If it is more than that, the row is not whole
 * @failed: memory is short
 */
struct row {
	struct pmscope_batch batch;
	const uint64_t *times; /* of the batch, in perf's clock */
	struct current *current;
	uint64_t pc;
	const struct code *guess;
	const struct code *code;
	const struct code *variable;
	struct row_memory *memory;
	size_t extra;
	bool failed;
};

/* The names of what the row ran; with @line also where in its source. */
void row_view(const struct row *row, bool line, struct view *view);

/* The put of struct step. */
step_put *row_step(enum column_value value);

/* Puts the row at @p, but for what ends it, and returns its end. */
static inline char *row_put(struct row *row, size_t at, const struct plan *plan,
			    char *p)
{
	return plan->steps->put(p, plan->steps, row, at);
}

#endif /* PMSCOPE_SCRIPT_ROW_H */
