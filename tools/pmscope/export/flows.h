/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <pmscope/symbols.h>

#include "base/a64.h"
#include "base/containers.h"
#include "export.h"

/* What an A64 instruction does to the flow of control (Arm ARM C4.1). */

/* The effect of an instruction */
struct a64_branch {
	bool ends_block; /* control may go elsewhere and not come back */
	bool is_call;	 /* BL, BLR and their kin */
	bool direct;	 /* @target is a branch's distance in bytes */
	int64_t target;
};

static inline struct a64_branch a64_branch_of(uint32_t insn)
{
	struct a64_branch branch = {.ends_block = true, .direct = true};

	if (insn >> 26 == 0x05) { /* B */
		branch.target = 4 * a64_immediate(insn, 0, 26);
	} else if (insn >> 24 == 0x54 || (insn & 0x7e000000) == 0x34000000) {
		/* B.cond, BC.cond, CBZ, CBNZ */
		branch.target = 4 * a64_immediate(insn, 5, 19);
	} else if ((insn & 0x7e000000) == 0x36000000) { /* TBZ, TBNZ */
		branch.target = 4 * a64_immediate(insn, 5, 14);
	} else if ((insn & 0x7e000000) == 0x74000000) { /* CB<cc> */
		branch.target = 4 * a64_immediate(insn, 5, 9);
	} else {
		branch.direct = false;
		branch.is_call = a64_is_call(insn); /* BL, BLR, BLRA* */
		branch.ends_block =
			(insn & 0xfe000000) == 0xd6000000 && !branch.is_call;
	}
	return branch;
}

/*
 * A64 instructions that compilers place where it suits them: those that set a
 * register to an address or another constant, copy it, or extend it. One may
 * serve several lines of source, of which it keeps one: it does not tell how
 * often that line is executed.
 */

/* ADR, ADRP, MOVN, MOVZ, MOVK, ORR of XZR, FMOV (Arm ARM C4.1) */
static inline bool a64_is_constant(uint32_t insn)
{
	return (insn & 0x1f000000) == 0x10000000 ||
	       (insn & 0x1f800000) == 0x12800000 ||
	       (insn & 0x7f8003e0) == 0x320003e0 ||
	       (insn & 0xff201fe0) == 0x1e201000;
}

/* MOV from a register; SXTB to SXTW, UXTB, UXTH, and AND with 0xff, 0xffff */
static inline bool a64_is_copy(uint32_t insn)
{
	uint32_t last = insn >> 10 & 0x3f;
	bool whole = last == 7 || last == 15 || last == 31;

	return (insn & 0x7fe0ffe0) == 0x2a0003e0 ||
	       ((insn & 0x7fbf0000) == 0x13000000 && whole) ||
	       ((insn & 0xffff0000) == 0x53000000 && whole) ||
	       ((insn & 0x7fbf0000) == 0x12000000 && whole);
}

/* Does @insn add the lower bits to the page of an address, which @adrp set? */
static inline bool a64_completes(uint32_t adrp, uint32_t insn)
{
	return a64_is_adrp(adrp) && (insn & 0xffc00000) == 0x91000000 &&
	       a64_rn(insn) == a64_rd(adrp);
}

/* Is @insn one of these, behind the instruction @before? */
static inline bool a64_is_cheap(uint32_t before, uint32_t insn)
{
	return a64_is_constant(insn) || a64_is_copy(insn) ||
	       a64_completes(before, insn);
}

/*
 * Pairs of numbers with their counts, of which there may be more than memory
 * holds: sorted runs of them go to a temporary file, and are merged at the end.
 */
struct edge {
	uint32_t from;
	uint32_t to;
	uint64_t samples;
	uint64_t mispredicted;
};

/* Edges in the file, sorted, each only once. */
struct edge_run {
	uint64_t first;
	size_t nr;
};

/* Edges in any order; initialize to zeros, but for @most */
struct edges {
	size_t most;	    /* so many at most are in memory */
	struct edge *items; /* @nr of them, with room for @room */
	struct edge *spare; /* of the same size, for sorting */
	size_t nr;
	size_t room;
	int file;	  /* a descriptor, if there are any runs */
	uint64_t in_file; /* how many edges are there */
	struct edge_run *runs;
	size_t nr_runs;
	size_t max_runs;
};

/* Makes room for another edge. Returns 0, or a negative errno after error(). */
int edges_make_room(struct edges *edges);

/* As edges_make_room(). */
static inline int edges_add(struct edges *edges, const struct edge *edge)
{
	int ret = edges->nr < edges->room ? 0 : edges_make_room(edges);

	if (!ret)
		edges->items[edges->nr++] = *edge;
	return ret;
}

/* Replaces numbers by those in @numbers, and sorts. As edges_make_room(). */
int edges_order(struct edges *edges, const uint32_t *numbers);

/*
 * Calls @take with each edge of @nr sets that were ordered, each edge once and
 * in order, until it returns another number than 0. Returns that, or a negative
 * errno after error().
 */
int edges_merge(const struct edges *const *sets, size_t nr,
		int (*take)(void *context, const struct edge *edge),
		void *context);

void edges_fini(struct edges *edges);

/*
 * A sample profile for a compiler: for each function the counts of its lines,
 * and of the functions inlined in it, as a tree.
 */
struct fdo_call {
	const char *name;
	uint64_t count;
};

/*
 * A line, counted from the one where its function is declared; @guessed:
 * nothing of it is known but what compilers place anywhere.
 */
struct fdo_line {
	uint32_t offset;
	uint32_t discriminator;
	bool guessed;
	uint64_t count;
	struct fdo_call *calls;
	size_t nr_calls;
	size_t max_calls;
};

struct fdo_function {
	const char *name;
	uint32_t offset; /* of the call that was inlined; else 0, and next */
	uint32_t discriminator;
	uint64_t head;	/* how often it was called */
	uint64_t total; /* of its bytes, and of those inlined in it */
	KEYED(struct fdo_line, lines, nr_lines, line_of_place);
	struct fdo_function **inlined;
	size_t nr_inlined;
	size_t max_inlined;
};

/*
 * The root: its inlined functions are the functions of the program. @of_gcc:
 * discriminators are numbers; LLVM packs three into one.
 */
struct fdo_profile {
	struct fdo_function root;
	bool of_gcc;
};

/* Instructions of one line */
struct fdo_code {
	size_t bytes;	   /* their size */
	uint64_t executed; /* how often */
	bool cheap;	   /* as compilers place anywhere: a64_is_cheap() */
};

/*
 * Adds @code of the line of @frames. Of code in several places, a line has the
 * largest count, but that of cheap ones only if there is nothing else.
 * Functions have the sum over all bytes, as llvm-profgen does, which LLVM
 * compares with the counts of hot lines to tell whether a call is hot. Returns
 * 0 or -ENOMEM.
 */
int fdo_code_add(struct fdo_profile *profile,
		 const struct pmscope_frame *frames, size_t nr,
		 const struct fdo_code *code);

/* The line of the innermost of @frames, made if missing. NULL: no memory. */
struct fdo_line *fdo_line_of(struct fdo_profile *profile,
			     const struct pmscope_frame *frames, size_t nr);

/* Finds the function of the outermost of @frames; NULL if out of memory. */
struct fdo_function *fdo_function_of(struct fdo_profile *profile,
				     const struct pmscope_frame *frames,
				     size_t nr);
int fdo_call_add(struct fdo_line *line, const char *name, uint64_t count);

/* By place, so that what is written does not depend on the order of samples. */
void fdo_sort(struct fdo_profile *profile);

/*
 * Sorts all of it and writes it without functions that were never executed: as
 * text for LLVM, and in the form of gcov's files for GCC, which returns 0 or
 * -ENOMEM.
 */
void fdo_write(struct fdo_profile *profile, FILE *out);
int fdo_write_gcov(struct fdo_profile *profile, FILE *out);
void fdo_fini(struct fdo_profile *profile);

/*
 * How control flowed, for compilers: branches that were taken, and operations
 * that went on to the next one, each with its number of samples.
 *
 * SPE samples every operation with the same probability. So the samples of one
 * instruction are proportional to how often it was executed, and those of one
 * branch with one target to how often it was taken there: no weights are
 * needed. This also holds for the path from the target of the branch before
 * (FEAT_SPE_PBT) to a branch that was taken, because each such path has exactly
 * one taken branch at its end. Branches at which an operation is only sampled
 * on the way do not tell this: paths that are long have more operations.
 */

#define FLOW_NONE UINT32_MAX

/* What has two places. */
enum flow_kind {
	FLOW_TAKEN, /* a branch and its target */
	FLOW_PATH,  /* target of the branch before, and a taken branch */
	FLOW_KINDS
};

/* What is known of a place, by load_weight(): one cache line */
struct flow_place {
	uint64_t samples;  /* of operations there */
	uint64_t next;	   /* those that went on to the next one */
	uint64_t returned; /* to here */
	/*
	 * the newest branch from here: its samples; they are not yet in edges
	 */
	uint64_t taken;
	uint64_t mispredicted; /* of these */
	uint64_t path;	       /* the same of the newest path that ends here */
	uint32_t taken_to;     /* the other end of it, or FLOW_NONE */
	uint32_t path_from;    /* the same of the path */
	bool is_return;	       /* it is a return */
};

/* All flows; initialize to zeros */
struct flows {
	struct places places;
	struct flow_place *of_place; /* a struct flow_place for each place */
	size_t max_of_place;
	struct edges edges[FLOW_KINDS];
	/* of its places in the first worker's flows; NULL: the same */
	uint32_t *numbers;
	bool has_others; /* samples of operations that are no branches */
};

/* These fit struct export_format; the state of a worker is a struct flows. */
int flows_begin(struct export_worker *worker);
int flows_add(struct export_worker *worker, const struct thread_cache *current);
void flows_fini(struct export_worker *worker);

/*
 * Joins places of all workers in @joined, the first one's, with names, link
 * addresses and what each place has. Returns as flows_each().
 */
int flows_join(struct export *export, struct flows **joined);

/*
 * Calls @take with each flow of a kind, once and in order, until it returns
 * another number than 0; only once for each kind. Places have the numbers in
 * @ranks instead of their own ones, unless it is NULL. Returns what @take
 * returned, or a negative errno; after error(), unless it is -ENOMEM.
 */
int flows_each(struct export *export, enum flow_kind kind,
	       const uint32_t *ranks,
	       int (*take)(void *context, const struct edge *edge),
	       void *context);

/*
 * Sets @chosen to the binary that the user names, or else to the program or
 * library with most samples, and the samples of each; NULL if none is known.
 * Returns 0; or -ENOENT after error(), also where all samples are the kernel's.
 */
int flows_binary(const struct export *export, struct flows *flows,
		 const struct code_binary **chosen);

/* Has any flow of the kind been seen? */
bool flows_have(const struct export *export, enum flow_kind kind);
