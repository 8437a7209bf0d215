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
#ifndef PMSCOPE_EXPORT_FLOWS_H
#define PMSCOPE_EXPORT_FLOWS_H

#include "export/export.h"
#include "export/places.h"

enum flow_kind {
	FLOW_TAKEN, /* a branch and its target */
	FLOW_NEXT, /* an operation that is no taken branch: it goes on behind */
	FLOW_PATH, /* target of the branch before, and a taken branch */
	FLOW_KINDS
};

/* Samples of one kind from one place to another, by load_weight(). */
struct flow {
	uint32_t from;
	uint32_t to; /* FLOW_NEXT: the same */
	uint64_t samples;
	uint64_t mispredicted;
	bool is_return;
};

struct flow_table {
	struct flow *items;
	size_t nr;
	size_t max;
	struct map of_places;
};

/**
 * struct flows - all flows; initialize to zeros
 * @newest: of each place the newest flow from it, of each kind: its number and
 *	    1. Most branches have one target
 * @wrong: samples of operations that did not retire
 * @nowhere: samples without an address
 */
struct flows {
	struct places places;
	struct flow_table tables[FLOW_KINDS];
	uint32_t (*newest)[FLOW_KINDS];
	size_t max_newest;
	uint64_t wrong;
	uint64_t nowhere;
};

/* These fit struct export_format; the state of a worker is a struct flows. */
int flows_begin(struct export_worker *worker);
int flows_add(struct export_worker *worker, const struct thread_cache *current);
void flows_fini(struct export_worker *worker);

/*
 * Joins those of all workers in the first one's, with names and link addresses.
 * NULL if out of memory.
 */
struct flows *flows_join(struct export *export);

#endif /* PMSCOPE_EXPORT_FLOWS_H */
