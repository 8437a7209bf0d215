/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of samples by place, kind, slice of time and class of latency. Slices
 * become longer when the time does not fit.
 */
#pragma once

#include "read/thread_cache.h"

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
