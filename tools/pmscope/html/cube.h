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
#include "read/symbol_cache.h"
#include "rows/kinds.h"
#include "read/thread_cache.h"

#include <pmscope/recording.h>

/*
 * A table of samples by place, kind, slice of time and class of latency. Slices
 * become longer when the time does not fit.
 */

#define CUBE_SLICES	 128
#define CUBE_SLICES_MIN	 16
#define CUBE_FIRST_WIDTH 1000 /* ns */
#define CUBE_UNTIMED	 255  /* the slice of samples without a time */

/*
 * Classes of latency: two for each power of two, and one for samples without a
 * total latency.
 */
#define CUBE_CLASSES	32
#define CUBE_NO_LATENCY CUBE_CLASSES

/* The smallest latency of class @number. */
static inline unsigned int cube_class_first(unsigned int number)
{
	unsigned int power = number / 2;

	if (number < 2)
		return number;
	return (1U << power) + (number & 1) * (1U << (power - 1));
}

/*
 * Samples of one place, kind and cause (CUBE_CAUSE), slice and class. Empty:
 * @samples is 0. @own: their cycles from issue to completion.
 */
#define CUBE_CAUSE 9 /* this and higher bits of @kind */

struct cube_cell {
	uint32_t place;
	uint16_t kind;
	uint8_t slice; /* of the absolute number, the low 7 bits */
	uint8_t class;
	uint32_t samples;
	uint64_t latency;
	uint64_t own;
};

static inline unsigned int cube_class_of(unsigned int latency)
{
	unsigned int power;

	if (latency < 2)
		return latency;
	power = 31 - __builtin_clz(latency);
	return 2 * power + (latency >> (power - 1) & 1);
}

/* Its cycles beyond those of the smallest latency of its class. */
static inline uint64_t cube_cell_above(const struct cube_cell *cell)
{
	if (cell->class == CUBE_NO_LATENCY)
		return 0;
	return cell->latency -
	       (uint64_t)cell->samples * cube_class_first(cell->class);
}

/**
 * struct cells - see cells_begin()
 * @all: the table
 * @newest: cells that are not in it yet. Samples that are near in time are in
 *	    few cells, which the CPU's caches hold
 * @nr: cells in use
 * @capacity: a power of two
 * @begun: some sample has a time
 * @width: of a slice, in ns
 * @first, @last: slices of time with samples, as multiples of @width
 * @now: the time at which the slice @now_slice begins
 */
struct cells {
	struct cube_cell *all;
	struct cube_cell *newest;
	size_t nr;
	size_t capacity;
	bool begun;
	uint64_t width;
	uint64_t first;
	uint64_t last;
	uint64_t now;
	uint8_t now_slice;
};

/* Returns 0 or -ENOMEM, as all below do. */
int cells_begin(struct cells *cells);
void cells_fini(struct cells *cells);

static inline bool cell_is(const struct cube_cell *cell,
			   const struct cube_cell *other)
{
	return cell->place == other->place && cell->kind == other->kind &&
	       cell->slice == other->slice && cell->class == other->class;
}

static inline size_t cell_hash(const struct cube_cell *cell)
{
	uint64_t rest =
		(uint64_t)cell->kind << 16 | cell->slice << 8 | cell->class;

	return hash_finish(cell->place * UINT64_C(0x9e3779b97f4a7c15) +
			   rest * UINT64_C(0xc2b2ae3d27d4eb4f));
}

/* The cell with the key of @wanted, or the empty one to fill. */
static inline struct cube_cell *cells_find(struct cells *cells,
					   const struct cube_cell *wanted)
{
	size_t mask = cells->capacity - 1, at = cell_hash(wanted) & mask;

	while (cells->all[at].samples && !cell_is(&cells->all[at], wanted))
		at = (at + 1) & mask;
	return &cells->all[at];
}

/* Adds a cell to the one with the same key. There must be room. */
void cells_put(struct cells *cells, const struct cube_cell *from);

/*
 * The newest cell with the key of @wanted. The one in its place is put in the
 * table before, where there must be room for it.
 */
struct cube_cell *cells_newest(struct cells *cells,
			       const struct cube_cell *wanted);

/* Puts all newest cells in the table. */
int cells_settle(struct cells *cells);

/* Makes room for one more. */
int cells_room(struct cells *cells);

/* Changes the key of each cell; if @change returns false it is dropped. */
int cells_change(struct cells *cells,
		 bool (*change)(const void *context, struct cube_cell *cell),
		 const void *context);

/* Makes slices twice as long. */
int cells_coarsen(struct cells *cells);

/* Makes the slice of @time the present one, which may make slices longer. */
int cells_find_slice(struct cells *cells, uint64_t time);

static inline int cells_slice_at(struct cells *cells, uint64_t time,
				 uint8_t *slice)
{
	if ((!cells->now || time < cells->now ||
	     time - cells->now >= cells->width) &&
	    cells_find_slice(cells, time))
		return -ENOMEM;
	*slice = cells->now_slice;
	return 0;
}

/* Lets the slices cover @number, of the present width. False: they cannot. */
bool cells_cover(struct cells *cells, uint64_t number);

static inline size_t cells_slices(const struct cells *cells)
{
	return cells->begun ? cells->last - cells->first + 1 : 0;
}

/* The number of a cell's slice, counted from the first. */
static inline unsigned int cells_slice_of(const struct cells *cells,
					  const struct cube_cell *cell)
{
	return (cell->slice - cells->first) % CUBE_SLICES;
}

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
