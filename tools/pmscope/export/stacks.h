/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples for viewers: those that are alike in all that a viewer shows are one
 * cell with a count.
 */
#pragma once

#include "export/export.h"
#include "export/code_places.h"

#define NO_PLACE UINT32_MAX

struct stack_thread {
	const char *comm; /* NULL: unknown */
	uint32_t pid;	  /* or PMSCOPE_NO_ID, and next */
	uint32_t tid;
};

/**
 * struct stack_cell - samples that are alike
 * @place: number of their code, or NO_PLACE
 * @thread: number of their thread
 * @cpu: or PMSCOPE_NO_ID
 * @callers: of the function: see stacks_text()
 * @has: of enum pmscope_has: which latencies, and whether a source, are known
 * @slice: of the time, see struct stack_cells
 * @samples: how many, or what they stand for: load_weight(), as all next
 * @cycles: sum of their total latencies
 * @l1d_misses: how many missed in the L1 data cache, and so on
 */
struct stack_cell {
	uint32_t place;
	uint32_t thread;
	uint32_t cpu;
	uint32_t callers;
	uint32_t has;
	uint32_t slice;
	uint16_t total;
	uint16_t issue;
	uint16_t translate;
	uint16_t source;
	uint64_t midr;
	uint64_t samples;
	uint64_t cycles;
	uint64_t l1d_misses;
	uint64_t llc_misses;
	uint64_t mispredictions;
};

/* What cells without slices are not told apart by, one more at each level. */
enum stack_level {
	STACK_ALL,
	STACK_NO_LATENCIES,
	STACK_NO_CPUS, /* nor sources */
	STACK_NO_IDS,  /* of threads and processes: only their names */
	STACK_LEVELS
};

/* The newest thread on some CPUs, and its number. */
struct stack_running {
	struct stack_thread thread;
	uint32_t number;
	bool known;
};

/**
 * struct stack_cells - all cells; initialize to zeros
 * @slice: length of a slice of time in ns: cells have nothing but a slice,
 *	   thread, code and callers. 0: they have no slice, but all else
 * @begin: of the first slice
 * @level: enum stack_level; with slices, how often their length was doubled
 * @most: cells, before the level is raised
 *
 * The level is the lowest with at most @most cells, or the last one: it follows
 * from all samples together, not from the worker that takes them. This bounds
 * the memory, and what a viewer must hold.
 */
struct stack_cells {
	uint64_t slice;
	uint64_t begin;
	unsigned int level;
	size_t most;
	struct places places;
	KEYED(struct stack_thread, threads, nr_threads, thread_of_hash);
	struct stack_running running[THREAD_CACHES];
	KEYED(struct stack_cell, cells, nr_cells, cell_of_hash);
};

/* These fit struct export_format; the state of a worker is a struct
 * stack_cells. */
int stacks_begin(struct export_worker *worker);
int stacks_add(struct export_worker *worker,
	       const struct thread_cache *current);
void stacks_fini(struct export_worker *worker);

/*
 * Joins those of all workers in the first one's, in an order that does not
 * depend on the workers. NULL if out of memory.
 */
struct stack_cells *stacks_join(struct export *export);

/*
 * The functions at a place, innermost first, at least one: with names, files
 * and lines as far as they are known. Returns how many, or -ENOMEM.
 */
int stacks_frames(const struct export *export, const struct places *places,
		  const struct code_place *place,
		  struct pmscope_frame frames[PMSCOPE_FRAMES_MAX]);

/* Cells are ordered by @major, then by @minor. */
struct cell_key {
	uint64_t major;
	uint64_t minor;
};

/**
 * struct cell_sort - an order of cells
 * @nr_groups: groups that follow each other
 * @group: the number of a cell's group
 * @slices: for @group
 * @key: the order of most cells in a group
 * @compare: as qsort() needs it; cells for which it is 0 become one
 */
struct cell_sort {
	size_t nr_groups;
	size_t (*group)(const struct cell_sort *by,
			const struct stack_cell *cell);
	size_t slices;
	struct cell_key (*key)(const struct stack_cell *cell);
	int (*compare)(const void *a, const void *b);
};

/* What its level leaves out, for a person; NULL: nothing. Free with free(). */
char *stacks_left_out(const struct stack_cells *stacks);

/* Returns 0 or -ENOMEM. */
int stacks_sort(struct stack_cells *stacks, const struct cell_sort *by);

/* The name of a binary, and of a thread; never NULL. */
const char *stacks_binary(const struct code_binary *binary);
const char *stacks_comm(const struct stack_thread *thread);

/* The name of a cell's data source, or its number; NULL without one. */
const char *stacks_source(const struct stack_cell *cell, char text[32]);
