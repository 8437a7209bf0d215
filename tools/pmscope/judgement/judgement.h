/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sentences on a recording: what limits the program, where, on what evidence,
 * what to do, and what comes second. report, top and the HTML begin with them.
 *
 * A cause has the own cycles of its operations beyond what they need if nothing
 * is wrong (enum row_need). Operations of the same function also wait for their
 * issue: the causes share these cycles by the own cycles of the operations that
 * others wait for.
 */
#pragma once

#include "print/print.h"
#include "rows/rows.h"

/*
 * SPE gives a branch no cycles for the operations behind it that were thrown
 * away. Arm's manuals say that a misprediction costs 11 cycles at least;
 * rounded up beside latencies, where the refill of the pipeline comes on top.
 */
#define JUDGEMENT_BRANCH_TIME	11
#define JUDGEMENT_BRANCH_CYCLES 15

/*
 * A cause with less than this share of all cycles does not limit a program.
 * Less is needed of what costs more than latencies show: while a thread waits
 * for another's cache, that one loses the line; and operations wait at the same
 * time, but none goes on behind a mispredicted branch.
 */
#define JUDGEMENT_SHARE	       0.2
#define JUDGEMENT_SHARE_WORSE  0.1
#define JUDGEMENT_SHARE_SECOND 0.05

/* Of a share that is estimated: the other operations take some time, too. */
#define JUDGEMENT_SHARE_BRANCH 0.9

/* Fewer samples with a latency than this say nothing. */
#define JUDGEMENT_SAMPLES 100

enum judgement_sentence {
	JUDGEMENT_LOST, /* only where it was counted */
	JUDGEMENT_WHAT,
	JUDGEMENT_WHERE,
	JUDGEMENT_EVIDENCE,
	JUDGEMENT_ACTION,
	JUDGEMENT_SECOND,
	JUDGEMENT_SENTENCES
};

struct judged {
	uint64_t samples;   /* with it; with CAUSE_TLB others, too */
	uint64_t own;	    /* cycles of these from issue to completion */
	uint64_t translate; /* those of them that are for translations */
	double cycles;	    /* that are lost to it */
};

/* Where most of a cause is. @sym, @dso: NULL, if rows are not by functions. */
struct judged_place {
	char *where; /* the function, or what rows are by; NULL: nowhere */
	char *sym;
	char *dso;
	/*
	 * the instruction there that has most of it, as text; NULL: not known
	 */
	char *insn;
	uint64_t offset;  /* of @insn in the function */
	struct judged at; /* what it has of the cause */
};

/* Starts as zeros */
struct judgement {
	enum row_cause cause;	/* CAUSE_NONE: none reaches its share */
	enum row_cause largest; /* @cause, or the one below its share */
	enum row_cause second;	/* the next, or CAUSE_NONE */
	uint64_t samples;	/* all */
	uint64_t timed;		/* those with a total latency */
	uint64_t own;		/* cycles from issue to completion, of all */
	double cycles;		/* of all latencies, and of mispredictions */
	double deviation;	/* of a share of 0 or 1 for each, 95 % */
	struct judged causes[NR_CAUSES]; /* of all rows */
	struct judged_place first;	 /* loses most to @largest */
	struct judged_place also;	 /* loses most to @second */
	/* what has samples, if not all have: population_read(); else NULL */
	char *population;
	double ipc;   /* instructions per cycle; negative if unknown */
	bool counted; /* samples stand for all that counters saw */
	/* not escaped: names are as in the file; NULL: nothing to say */
	char *sentence[JUDGEMENT_SENTENCES];
};

/*
 * @table: after row_table_finish(); @population: becomes the judgement's own;
 * @load: has the code, or NULL. Returns 0 or -ENOMEM.
 */
int judgement_make(struct judgement *judgement, const struct row_table *table,
		   char *population, const struct load *load);

void judgement_fini(struct judgement *judgement);

/*
 * Print the sentences: as comments, of which the number is returned, and as an
 * array of JSON. Return -ENOMEM if memory is short.
 */
int judgement_print(FILE *out, const struct row_table *table,
		    const struct load *load);
int judgement_json(struct json *json, const char *key,
		   const struct row_table *table, const struct load *load);

/*
 * The same; in the array "verdict_places" the sentences that name a function,
 * with its costliest instruction; and in the array "causes" each enum
 * row_cause: its name, what has its cycles, and its share.
 */
int judgement_json_causes(struct json *json, const char *key,
			  const struct row_table *table,
			  const struct load *load);

/* The share of all cycles that a cause has, 0 to 1. */
static inline double judgement_share(const struct judgement *judgement,
				     enum row_cause cause)
{
	return judgement->cycles > 0
		       ? judgement->causes[cause].cycles / judgement->cycles
		       : 0;
}
