/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#pragma once

#include "export/edges.h"
#include "export/export.h"
#include "export/code_places.h"

#define FLOW_NONE UINT32_MAX

/* What has two places. */
enum flow_kind {
	FLOW_TAKEN, /* a branch and its target */
	FLOW_PATH,  /* target of the branch before, and a taken branch */
	FLOW_KINDS
};

/**
 * struct flow_place - what is known of a place, by load_weight(): one cache
 * line
 * @samples: of operations there
 * @next: those that went on to the next one
 * @returned: to here
 * @taken: the newest branch from here: its samples; they are not yet in edges
 * @mispredicted: of these
 * @path: the same of the newest path that ends here
 * @taken_to: the other end of it, or FLOW_NONE
 * @path_from: the same of the path
 * @is_return: it is a return
 */
struct flow_place {
	uint64_t samples;
	uint64_t next;
	uint64_t returned;
	uint64_t taken;
	uint64_t mispredicted;
	uint64_t path;
	uint32_t taken_to;
	uint32_t path_from;
	bool is_return;
};

/**
 * struct flows - all flows; initialize to zeros
 * @of_place: a struct flow_place for each place
 * @numbers: after flows_join(): of its places in the first worker's flows;
 *	     NULL: they are the same
 */
struct flows {
	struct places places;
	struct flow_place *of_place;
	size_t max_of_place;
	struct edges edges[FLOW_KINDS];
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
