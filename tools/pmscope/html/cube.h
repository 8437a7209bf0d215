/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts samples by place of code, kind, time and latency at once, so that the
 * page can sum over any region of time and latency.
 *
 * Memory is bounded, and the cells that are in use fit in a cache: when there
 * are too many, slices of time become longer, and the places with the fewest
 * samples are counted together, by function and thread name, or all together. A
 * place that has many samples later gets cells of its own from then on.
 */
#pragma once

#include "base/map.h"
#include "html/cells.h"
#include "read/symbol_cache.h"
#include "rows/kinds.h"

#include <pmscope/recording.h>

#define CUBE_OTHER_PLACE 0

/* After the places are reduced, so many have cells of their own. */
#define CUBE_MAX_PLACES (1U << 16)
#define CUBE_SOFT_CELLS (1U << 17)
#define CUBE_MAX_CELLS	(1U << 20)
#define CUBE_KEPT	2048

/**
 * struct cube_place - an instruction, as executed by threads of one name
 * @hash: of all that distinguishes it
 * @name, @dso: its function and file, or NULL
 * @comm: name of the threads, or NULL
 * @callers: of its function, see stacks_text(); NULL if they are not known
 * @pc: at the first sample, if @has_pc; @place and @build_id of that
 * @offset: of @pc in the function
 * @whole: several instructions: the rest of a function
 * @kept: has cells of its own; otherwise those of @parent are used
 * @parent: the rest of its function, or CUBE_OTHER_PLACE
 * @samples, @timed, @latency, @own: sums of its cells, after cube_sum(); @timed
 *	    have a total latency
 */
struct cube_place {
	uint64_t hash;
	uint32_t parent;
	bool kept;
	bool has_pc;
	bool whole;
	const char *name;
	const char *dso;
	const char *comm;
	const char *callers;
	uint64_t pc;
	uint64_t offset;
	uint8_t build_id[20];
	struct pmscope_place place;
	uint64_t samples;
	uint64_t timed;
	uint64_t latency;
	uint64_t own;
};

/**
 * struct cube - starts as zeros, see cube_begin()
 * @limit: of the number of cells, before something is reduced
 * @reduced: some places have no cells of their own
 * @nr_kept: places that have
 * @keep: how many instructions keep theirs next time, and as many rests
 */
struct cube {
	struct row_kinds *kinds;
	KEYED(struct cube_place, places, nr_places, place_of_hash);
	struct cube_use *uses;	      /* of each place */
	struct code_numbers *numbers; /* of places, and 1 */
	struct thread_cache *currents;
	struct symbol_cache *codes;
	struct cells cells;
	size_t limit;
	uint64_t untimed;
	uint64_t samples;
	bool reduced;
	size_t nr_kept;
	size_t keep;
};

/* Returns 0 or -ENOMEM; also on failure end with cube_fini(). */
int cube_begin(struct cube *cube);
void cube_fini(struct cube *cube);

/* Adds the samples of @run that pass the filter of @load. 0 or -ENOMEM. */
int cube_add_run(struct cube *cube, struct load *load,
		 const struct pmscope_run *run);

/* The order of places that have as many samples. */
int cube_compare_places(const struct cube_place *x, const struct cube_place *y);

/* Sums up the cells of each place. */
void cube_sum(struct cube *cube);

/*
 * Gives each place a new number: @number has one for each old place, below
 * @nr_places. Returns 0 or -ENOMEM.
 */
int cube_renumber(struct cube *cube, const uint32_t *number);
