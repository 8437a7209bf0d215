/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three sentences on a recording: what limits the program, where, and on what
 * evidence. report and the HTML begin with them.
 */
#ifndef PMSCOPE_VERDICT_VERDICT_H
#define PMSCOPE_VERDICT_VERDICT_H

#include "rows/rows.h"

/*
 * SPE gives a branch no cycles for the operations behind it that were thrown
 * away. This is what Arm's manuals say a misprediction costs at least, rounded
 * up, since the refill of the pipeline comes on top.
 */
#define VERDICT_BRANCH_CYCLES 15

/*
 * A cause with less than this share of all cycles does not limit a program.
 * While a thread waits for another's cache, that one loses the line.
 */
#define VERDICT_SHARE	      0.1
#define VERDICT_SHARE_SHARING 0.03

/* Fewer samples with a latency than this say nothing. */
#define VERDICT_SAMPLES 100

enum verdict_sentence {
	VERDICT_WHAT,
	VERDICT_WHERE,
	VERDICT_EVIDENCE,
	VERDICT_SENTENCES
};

/**
 * struct verdict - starts as zeros
 * @cause: CAUSE_NONE if nothing reaches its least share
 * @largest: @cause, or that with the most cycles, which are too few
 * @samples: all
 * @timed: those with a total latency
 * @cycles: of all total latencies, and VERDICT_BRANCH_CYCLES for each
 *	    misprediction
 * @waits: by cause, of all rows; cycles as for @cycles
 * @where: the function that waits most for @largest, or what rows are by;
 *	   NULL: none
 * @at: its samples and cycles for @largest
 * @ipc: instructions per cycle; negative if unknown
 * @sentence: not escaped: names are as in the file; NULL: nothing to say
 */
struct verdict {
	enum row_cause cause;
	enum row_cause largest;
	uint64_t samples;
	uint64_t timed;
	uint64_t cycles;
	struct row_wait waits[NR_CAUSES];
	char *where;
	struct row_wait at;
	double ipc;
	char *sentence[VERDICT_SENTENCES];
};

/* @table: after row_table_finish(). Returns 0 or -ENOMEM. */
int verdict_make(struct verdict *verdict, const struct row_table *table);
void verdict_fini(struct verdict *verdict);

/* The share of all cycles that a cause has, 0 to 1. */
static inline double verdict_share(const struct verdict *verdict,
				   enum row_cause cause)
{
	return verdict->cycles
		       ? (double)verdict->waits[cause].cycles / verdict->cycles
		       : 0;
}

/* A cause in a few words: "another core's cache". */
const char *verdict_cause_name(enum row_cause cause);

#endif /* PMSCOPE_VERDICT_VERDICT_H */
