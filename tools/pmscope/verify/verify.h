/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "print/print.h"
#include "session/event.h"

/* Loops of known composition, in assembly: what they do is not guessed. */

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

/* One loop. @n: iterations for a measurement. */
struct loop {
	const char *name;
	/* makes @n iterations; @at is what the last run returned, first 0 */
	uint64_t (*run)(uint64_t n, uint64_t at, void *base, unsigned int page);
	const char *body; /* its first instruction in an iteration */
	enum region region;
	uint64_t n;
	double per[NR_COUNTED]; /* quantities of an iteration */
	/*
	 * a branch is taken as a bit of a random number says, else skipped, and
	 * no predictor knows; @at is the generator
	 */
	bool random;
	bool traps; /* runs mostly in the kernel */
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

struct loop_memory {
	void *base[NR_REGIONS];
	size_t size[NR_REGIONS];
	uint64_t at[NR_REGIONS];  /* where the loop goes on in it, and */
	uint64_t from;		  /* where the last one began */
	size_t lines[NR_REGIONS]; /* nodes of a ring */
	bool fits;		  /* RING_2 fits in the L2 cache */
	bool misses;		  /* RING_M does not fit in any cache */
	bool has_l3;
	bool assumed; /* sysfs does not tell sizes of caches */
	int cpu;      /* that runs the loops */
	int peer;     /* that writes RING_P before; -1: there is no other */
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

/* From what was counted and what a loop does to a verdict about a counter. */
enum verdict {
	VERDICT_UNDECIDED,
	VERDICT_EXACT,
	VERDICT_WITHIN,	   /* the margin of its kind of event */
	VERDICT_SOMETHING, /* counts something else */
	VERDICT_DEAD,
	VERDICT_OTHER_CODE, /* right, but other code is counted, too */
	VERDICT_NOT_ALLOWED,
	NR_VERDICTS
};

/* As text and JSON lines have them. */
extern const char *const verdict_words[NR_VERDICTS];
extern const char *const verdict_keys[NR_VERDICTS];

/* Half a per mille is what other instructions of a loop take. */
#define VERDICT_EXACTLY 0.001

/* An event in a loop */
struct measured {
	bool known;	     /* the loop says what the event must be */
	bool speculates;     /* executes what is thrown away */
	bool traps;	     /* mostly in the kernel, where it is unknown */
	double expected;     /* how many there are in user space */
	double counted;	     /* with the filter u */
	double kernel;	     /* with the filter k; -1: not counted */
	double instructions; /* in user space */
};

struct judged {
	enum verdict verdict;
	size_t loop;	  /* index of the measurement that decides */
	double error;	  /* |counted - expected| / expected */
	double ratio;	  /* counted / expected; 0: none is expected */
	bool speculative; /* VERDICT_OTHER_CODE: of wrong paths */
};

/* @margin: the error that events of this kind may have */
struct judged verdict_of(const struct measured *m, size_t nr, double margin);

/* Must what is made from the event be doubted? */
static inline bool verdict_is_bad(enum verdict verdict)
{
	return verdict == VERDICT_SOMETHING || verdict == VERDICT_DEAD ||
	       verdict == VERDICT_OTHER_CODE;
}

/* What samples of a loop must look like: from records to verdicts. */

/* A chi-square of @freedom degrees above this is no accident (p < 1e-6). */
double chi_square_limit(unsigned int freedom);

/* Samples of the loop "mix", by instruction */
struct mixed {
	uint64_t at[66];    /* of instructions; the last two end the loop */
	uint64_t nr;	    /* how many there are in the loop */
	uint64_t outside;   /* how many are not */
	uint64_t misplaced; /* whose kind is not that of the instruction */
	int shift;	    /* most are so many instructions late; 0: no help */
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

/* What records say of NR_LOADS loops. @latency: the mean of TOTAL. */
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

/* `pmscope doctor --verify`: do counters count what they say? */

/* How exactly an event can be counted */
enum exactness {
	RETIRED,  /* to the instruction */
	EXECUTED, /* with what is guessed wrongly, fused or split */
	CACHED,	  /* in caches, which fetch and merge on their own */
};

/* What events must count */
struct verify_rule {
	const char *events;
	enum quantity quantity;
	enum exactness exactness;
	bool used; /* by pmscope's own views */
};

static inline double verify_margin(const struct verify_rule *rule)
{
	return rule->exactness == RETIRED    ? 0.01
	       : rule->exactness == EXECUTED ? 0.1
					     : 0.3;
}

/* NULL: no loop knows the event. */
const struct verify_rule *verify_rule(const char *event);

/* A known erratum of an event or a check, by its title; NULL: none. */
const char *verify_erratum(uint64_t midr, const char *name, const char **note);

/* What was found of a counter */
struct verify_row {
	char name[48];
	int number; /* of an event; -1: a check of something else */
	enum verdict verdict;
	const char *loop; /* name of the loop that decides, NULL: none */
	double counted;	  /* there, and next what is right */
	double expected;
	double ratio;
	bool used;	/* pmscope's own views rest on it */
	bool is_silent; /* an overflow makes no interrupt */
	bool listed;	/* the CPU reports that it has the event */
	char text[64];	/* the verdict in words */
	char note[128]; /* what else is to be known; empty: nothing */
};

/* CPUs of one kind; the loops run on the first of them */
struct verify_kind {
	struct pmu pmu;
	char cpus[64];
	int cpu;
	uint64_t midr;
	double until;	 /* when to stop, by CLOCK_MONOTONIC, seconds */
	uint64_t stolen; /* ticks that a hypervisor took; repeated then */
	bool kernel;	 /* this user may count the kernel */
	struct loop_memory memory;
	struct verify_row *row;
	size_t nr;
};

/* A row, with the words of its verdict by @loop and @m; NULL: no memory. */
struct verify_row *verify_add(struct verify_kind *kind, const char *name,
			      int number, struct judged judged,
			      const struct loop *loop,
			      const struct measured *m);

__attribute__((format(printf, 2, 3))) void verify_note(struct verify_row *row,
						       const char *fmt, ...);

/* CLOCK_MONOTONIC, seconds */
double verify_now(void);

/* Events that are counted of this thread */
struct counting {
	struct pmscope_counters *counters;
	struct event_list events;
	struct target target;
};

/* Always needs counting_close(). Returns 0, -errno. */
int counting_open(struct counting *counting, const char *events);
void counting_close(struct counting *counting);

/* snapshots.c: pmu_snapshot, if it is there. 0, -ENOMEM. */
int verify_snapshots(struct verify_kind *kind);

/* spe.c: samples of SPE, if the CPU has it. 0, -ENOMEM. */
int verify_spe(struct verify_kind *kind);

/* counters.c: all events of its PMU. 0, -ENOMEM. */
int verify_counters(struct verify_kind *kind);

/* Runs all and prints it. 1: what views use is wrong, or nothing ran. */
int verify_main(enum print_format format);
