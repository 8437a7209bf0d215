// SPDX-License-Identifier: GPL-2.0-or-later
#include "html/html.h"

/* First, only uses with fewer samples than this lose their cells. */
#define FEW_SAMPLES 64

int moments_begin(struct moments *moments)
{
	*moments = (struct moments){.least = 1};
	return cells_begin(&moments->cells);
}

void moments_fini(struct moments *moments)
{
	cells_fini(&moments->cells);
	free(moments->of_use);
}

struct keeper {
	const struct cache_lines *all;
	uint32_t least;
};

static bool is_kept(const void *context, struct cube_cell *cell)
{
	const struct keeper *keeper = context;

	return use_samples(&keeper->all->uses[cell->place]) >= keeper->least;
}

static int reduce(struct moments *moments, const struct cache_lines *all)
{
	struct cells *cells = &moments->cells;
	struct keeper keeper = {.all = all};
	int ret = 0;

	while (cells->nr > MOMENTS_MAX_CELLS / 2 && !ret) {
		if (moments->least >= FEW_SAMPLES &&
		    cells_slices(cells) > CUBE_SLICES_MIN) {
			ret = cells_coarsen(cells);
			continue;
		}
		keeper.least = moments->least *= 2;
		ret = cells_change(cells, is_kept, &keeper);
	}
	return ret;
}

int moments_count(void *context, const struct cache_lines *all, uint32_t use,
		  unsigned int access, const struct view *view)
{
	struct moments *moments = context;
	struct cells *cells = &moments->cells;
	const struct pmscope_sample *sample = view->sample;
	bool timed = view->has & PMSCOPE_HAS_TOTAL;
	struct cube_cell cell = {
		.place = use,
		.kind = access,
		.slice = CUBE_UNTIMED,
		.class = timed ? cube_class_of(view->total) : CUBE_NO_LATENCY,
		.samples = 1,
		.latency = timed ? view->total : 0,
	};

	if (use_samples(&all->uses[use]) < moments->least)
		return 0;
	if (cells->nr >= MOMENTS_MAX_CELLS && reduce(moments, all))
		return -ENOMEM;
	if (cells_room(cells) ||
	    (sample->has_time &&
	     cells_slice_at(cells, sample->time, &cell.slice)))
		return -ENOMEM;
	cells_put(cells, &cell);
	return 0;
}

static bool use_renumber(const void *context, struct cube_cell *cell)
{
	const uint32_t *numbers = context;
	uint32_t number = numbers[cell->place];

	cell->place = number - 1;
	return number;
}

int moments_renumber(void *context, const uint32_t *numbers)
{
	struct moments *moments = context;

	return cells_change(&moments->cells, use_renumber, numbers);
}

static int compare(const void *a, const void *b)
{
	const struct cube_cell *x = *(const struct cube_cell *const *)a;
	const struct cube_cell *y = *(const struct cube_cell *const *)b;

	return COMPARE(x->place, y->place);
}

int moments_sort(struct moments *moments)
{
	const struct cells *cells = &moments->cells;
	size_t nr = 0;

	moments->of_use = calloc(cells->nr + 1, sizeof(*moments->of_use));
	if (!moments->of_use)
		return -ENOMEM;
	for (size_t i = 0; i < cells->capacity; i++)
		if (cells->all[i].samples)
			moments->of_use[nr++] = &cells->all[i];
	qsort(moments->of_use, nr, sizeof(*moments->of_use), compare);
	return 0;
}

const struct cube_cell **moments_of(const struct moments *moments, uint32_t use,
				    size_t *nr)
{
	const struct cube_cell **all = moments->of_use;
	size_t first = 0, end = moments->cells.nr;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (all[middle]->place < use)
			first = middle + 1;
		else
			end = middle;
	}
	for (end = first; end < moments->cells.nr && all[end]->place == use;)
		end++;
	*nr = end - first;
	return all + first;
}
