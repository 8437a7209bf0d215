/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples of a loop must look like: from records to verdicts. */
#pragma once

#include "verify/loops.h"
#include "verify/verdict.h"

#include <pmscope/record.h>

/* A chi-square of @freedom degrees above this is no accident (p < 1e-6). */
double chi_square_limit(unsigned int freedom);

/**
 * struct mixed - samples of the loop "mix", by instruction
 * @at: samples of each instruction; the last two end the loop
 * @nr: how many there are in the loop
 * @outside: how many are not
 * @misplaced: whose kind is not that of the instruction
 * @shift: by how many instructions most of these are late; 0: it does not help
 */
struct mixed {
	uint64_t at[66];
	uint64_t nr;
	uint64_t outside;
	uint64_t misplaced;
	int shift;
};

/* @body: address of the loop's first instruction */
void mixed_of(struct mixed *mixed, const struct pmscope_batch *batch,
	      uint64_t body);

/* Loads, others, stores and branches are there as often as in the code. */
struct judged judge_mix(const struct pmscope_batch *batch, struct measured *m);
struct judged judge_places(const struct mixed *mixed, struct measured *m);
/* Instructions that are alike are sampled alike. */
struct judged judge_bias(const struct mixed *mixed, struct measured *m);

/* All branches of that loop but the last are not taken. */
struct judged judge_not_taken(const struct pmscope_batch *batch,
			      struct measured *m);

/**
 * struct of_loads - what the records of loads say, of NR_LOADS loops
 * @latency: the mean of TOTAL
 */
#define NR_LOADS 5
struct of_loads {
	struct measured refills[NR_LOADS];
	struct measured walks[NR_LOADS];
	struct measured source[NR_LOADS];
	double latency[NR_LOADS];
};

/* Of the @i-th loop; @misses: RING_M does not fit in any cache */
void see_loads(struct of_loads *loads, size_t i,
	       const struct pmscope_batch *batch, const struct loop *loop,
	       uint64_t midr, bool misses);
