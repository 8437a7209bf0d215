// SPDX-License-Identifier: GPL-2.0-or-later
#include "html/html.h"

#define FIRST_CELLS  (1U << 14)
#define NEWEST_CELLS (1U << 13)

int cells_begin(struct cells *cells)
{
	*cells = (struct cells){.width = CUBE_FIRST_WIDTH,
				.capacity = FIRST_CELLS};
	cells->all = calloc(cells->capacity, sizeof(*cells->all));
	cells->newest = calloc(NEWEST_CELLS, sizeof(*cells->newest));
	return cells->all && cells->newest ? 0 : -ENOMEM;
}

void cells_fini(struct cells *cells)
{
	free(cells->all);
	free(cells->newest);
	*cells = (struct cells){};
}

void cells_put(struct cells *cells, const struct cube_cell *from)
{
	struct cube_cell *cell = cells_find(cells, from);

	if (!cell->samples) {
		*cell = *from;
		cells->nr++;
		return;
	}
	cell->samples += from->samples;
	cell->latency += from->latency;
	cell->own += from->own;
}

/* Puts all cells in a table of @capacity, each as @change made it. */
static int cells_move(struct cells *cells, size_t capacity,
		      bool (*change)(const void *context,
				     struct cube_cell *cell),
		      const void *context)
{
	struct cube_cell *old = cells->all;
	size_t nr = cells->capacity;

	cells->all = calloc(capacity, sizeof(*cells->all));
	if (!cells->all) {
		cells->all = old;
		return -ENOMEM;
	}
	cells->capacity = capacity;
	cells->nr = 0;
	for (size_t i = 0; i < nr; i++)
		if (old[i].samples && (!change || change(context, &old[i])))
			cells_put(cells, &old[i]);
	free(old);
	return 0;
}

int cells_room(struct cells *cells)
{
	while (cells->nr >= cells->capacity / 2)
		if (cells_move(cells, 2 * cells->capacity, NULL, NULL))
			return -ENOMEM;
	return 0;
}

struct cube_cell *cells_newest(struct cells *cells,
			       const struct cube_cell *wanted)
{
	struct cube_cell *cell =
		&cells->newest[cell_hash(wanted) & (NEWEST_CELLS - 1)];

	if (cell->samples && cell_is(cell, wanted))
		return cell;
	if (cell->samples)
		cells_put(cells, cell);
	*cell = *wanted;
	return cell;
}

int cells_settle(struct cells *cells)
{
	for (size_t i = 0; i < NEWEST_CELLS; i++) {
		if (!cells->newest[i].samples)
			continue;
		if (cells_room(cells))
			return -ENOMEM;
		cells_put(cells, &cells->newest[i]);
		cells->newest[i].samples = 0;
	}
	return 0;
}

int cells_change(struct cells *cells,
		 bool (*change)(const void *context, struct cube_cell *cell),
		 const void *context)
{
	return cells_settle(cells)
		       ?: cells_move(cells, cells->capacity, change, context);
}

/* @context: the cells before their slices are made longer. */
static bool slice_halve(const void *context, struct cube_cell *cell)
{
	const struct cells *cells = context;

	if (cell->slice != CUBE_UNTIMED)
		cell->slice = (cells->first + cells_slice_of(cells, cell)) / 2 %
			      CUBE_SLICES;
	return true;
}

int cells_coarsen(struct cells *cells)
{
	struct cells before;

	if (cells_settle(cells))
		return -ENOMEM;
	before = *cells;
	if (cells_change(cells, slice_halve, &before))
		return -ENOMEM;
	cells->width *= 2;
	cells->first /= 2;
	cells->last /= 2;
	cells->now = 0;
	return 0;
}

/* Lets the slices cover @number, of the present width. False: they cannot. */
static bool cells_cover(struct cells *cells, uint64_t number)
{
	uint64_t first = cells->first, last = cells->last;

	if (number < first || !cells->begun)
		first = number;
	if (number > last || !cells->begun)
		last = number;
	if (last - first >= CUBE_SLICES)
		return false;
	cells->begun = true;
	cells->first = first;
	cells->last = last;
	return true;
}

int cells_find_slice(struct cells *cells, uint64_t time)
{
	while (!cells_cover(cells, time / cells->width))
		if (cells_coarsen(cells))
			return -ENOMEM;
	cells->now = time / cells->width * cells->width;
	cells->now_slice = time / cells->width % CUBE_SLICES;
	return 0;
}
