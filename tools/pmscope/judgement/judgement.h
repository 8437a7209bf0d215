/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three sentences on a recording: what limits the program, where, and on what
 * evidence. report and the HTML begin with them.
 */
#ifndef PMSCOPE_JUDGEMENT_JUDGEMENT_H
#define PMSCOPE_JUDGEMENT_JUDGEMENT_H

#include "rows/rows.h"

/*
 * SPE gives a branch no cycles for the operations behind it that were thrown
 * away. This is what Arm's manuals say a misprediction costs at least, rounded
 * up, since the refill of the pipeline comes on top.
 */
#define JUDGEMENT_BRANCH_CYCLES 15

/*
 * A cause with less than this share of all cycles does not limit a program.
 * While a thread waits for another's cache, that one loses the line.
 */
#define JUDGEMENT_SHARE		0.1
#define JUDGEMENT_SHARE_SHARING 0.03

/* Fewer samples with a latency than this say nothing. */
#define JUDGEMENT_SAMPLES 100

enum judgement_sentence {
	JUDGEMENT_WHAT,
	JUDGEMENT_WHERE,
	JUDGEMENT_EVIDENCE,
	JUDGEMENT_SENTENCES
};

/**
 * struct judgement - starts as zeros
 * @cause: CAUSE_NONE if nothing reaches its least share
 * @largest: @cause, or that with the most cycles, which are too few
 * @samples: all
 * @timed: those with a total latency
 * @cycles: of all total latencies, and JUDGEMENT_BRANCH_CYCLES for each
 *	    misprediction
 * @waits: by cause, of all rows; cycles as for @cycles
 * @where: the function that waits most for @largest, or what rows are by;
 *	   NULL: none
 * @at: its samples and cycles for @largest
 * @population: what has samples, if not all operations have, see
 *		population_read(); else NULL
 * @ipc: instructions per cycle; negative if unknown
 * @sentence: not escaped: names are as in the file; NULL: nothing to say
 */
struct judgement {
	enum row_cause cause;
	enum row_cause largest;
	uint64_t samples;
	uint64_t timed;
	uint64_t cycles;
	struct row_wait waits[NR_CAUSES];
	char *where;
	struct row_wait at;
	char *population;
	double ipc;
	char *sentence[JUDGEMENT_SENTENCES];
};

/*
 * @table: after row_table_finish(); @population: becomes the judgement's own.
 * Returns 0 or -ENOMEM.
 */
int judgement_make(struct judgement *judgement, const struct row_table *table,
		   char *population);

/* The same of all that @load has. */
int judgement_of(struct judgement *judgement, const struct row_table *table,
		 const struct load *load);
void judgement_fini(struct judgement *judgement);

/* The share of all cycles that a cause has, 0 to 1. */
static inline double judgement_share(const struct judgement *judgement,
				     enum row_cause cause)
{
	return judgement->cycles ? (double)judgement->waits[cause].cycles /
					   judgement->cycles
				 : 0;
}

/* A cause in a few words: "another core's cache". */
const char *judgement_cause_name(enum row_cause cause);

#endif /* PMSCOPE_JUDGEMENT_JUDGEMENT_H */
