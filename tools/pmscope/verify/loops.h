/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops of known composition, in assembly: what they do is not guessed. */
#pragma once

#include "base/std.h"

/*
 * What an iteration has, each known or UNKNOWN. Branches are direct ones
 * (IMMED), returns, and other indirect ones (INDIRECT).
 */
enum quantity {
	INSTRUCTIONS,
	CYCLES,
	LOADS,
	STORES,
	IMMED,
	RETURNS,
	INDIRECT,
	SKIPPED, /* not taken */
	MISPREDICTED,
	L1_MISSES,
	L2_MISSES,
	LL_MISSES,
	TLB_MISSES,
	WALKS,
	UNALIGNED,
	LOAD_EXCLUSIVES,
	STORE_EXCLUSIVES,
	INTEGER,
	FLOATING,
	VECTORS,
	EXCEPTIONS,
	DMBS,
	DSBS,
	ISBS,
	NR_COUNTED,
	/* Sums of these */
	ACCESSES = NR_COUNTED,
	BRANCHES,
	TAKEN,
	IMMED_TAKEN,
	INDIRECT_TAKEN,
	NR_QUANTITIES
};

#define UNKNOWN -1

/* Memory that loops go through. */
enum region {
	SMALL,	/* a page */
	RING_2, /* too large for the L1 cache: pointers in random order */
	RING_M, /* the same, too large for all caches */
	RING_P, /* small; another CPU has written it */
	PAGES,	/* more pages than TLBs have entries, each the same memory */
	NR_REGIONS
};

#define LOOP_PAGES 8192

/**
 * struct loop - one loop
 * @run: makes @n iterations; @at is what the last run returned, first 0
 * @body: its first instruction in an iteration
 * @n: iterations for a measurement
 * @per: quantities of an iteration
 * @random: a branch is taken as a bit of a random number says, else skipped,
 *	    and no predictor knows; @at is the generator
 * @traps: runs mostly in the kernel
 */
struct loop {
	const char *name;
	uint64_t (*run)(uint64_t n, uint64_t at, void *base, unsigned int page);
	const char *body;
	enum region region;
	uint64_t n;
	double per[NR_COUNTED];
	bool random;
	bool traps;
};

#define LOOPS_MAX 24
extern const struct loop loops[];
extern const size_t nr_loops;

/*
 * The loop "mix" has MIX_TIMES loads (0), other operations (1), stores (2) and
 * branches that are not taken (3), which repeat in this order, so that no two
 * places look alike.
 */
#define MIX_KINDS 4
#define MIX_TIMES 16
#define MIX_ORDER "0123103223013210"

const struct loop *loop_find(const char *name);

/* UNKNOWN, or how many in @n iterations, of which @taken take the branch */
double loop_quantity(const struct loop *loop, enum quantity quantity,
		     uint64_t n, uint64_t taken);

/**
 * struct loop_memory - the regions
 * @at: where the loop over a region goes on, and
 * @from: where the last one began
 * @lines: nodes of a ring
 * @fits: RING_2 fits in the L2 cache
 * @misses: RING_M does not fit in any cache
 * @assumed: sysfs does not tell sizes of caches
 * @cpu: that runs the loops
 * @peer: that writes RING_P before; -1: there is no other
 */
struct loop_memory {
	void *base[NR_REGIONS];
	size_t size[NR_REGIONS];
	uint64_t at[NR_REGIONS];
	uint64_t from;
	size_t lines[NR_REGIONS];
	bool fits;
	bool misses;
	bool has_l3;
	bool assumed;
	int cpu;
	int peer;
};

/* Moves this thread; -errno */
int loop_run_on(int cpu);

/* For loops on @cpu; 0, -ENOMEM. */
int loop_memory_open(struct loop_memory *memory, int cpu);
void loop_memory_close(struct loop_memory *memory);

/* Can the loop run here? */
bool loop_is_possible(const struct loop *loop,
		      const struct loop_memory *memory);

/* Before it runs, not counted */
void loop_prepare(const struct loop *loop, struct loop_memory *memory);

void loop_run(const struct loop *loop, struct loop_memory *memory, uint64_t n);

/* Of the last run, of @n iterations: how often the random branch was taken. */
uint64_t loop_taken(const struct loop *loop, const struct loop_memory *memory,
		    uint64_t n);
