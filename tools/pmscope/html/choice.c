// SPDX-License-Identifier: GPL-2.0-or-later
/* Which functions, places and cells a page of bounded size has. */
#include "html/html.h"

#define UNKNOWN "[unknown]"

/* Functions beyond the first ones are shown if their latencies are worth it. */
#define LATENCY_SHARE 0.002

static uint64_t names_key(uint32_t name, uint32_t dso)
{
	return (uint64_t)name << 32 | dso;
}

static int function_add(struct html *html, size_t row)
{
	const uint64_t *values = html->table->rows[row].values;

	html->functions[html->nr_functions] = row;
	return map_set(&html->function_of_names,
		       names_key(values[0], values[1]), html->nr_functions++);
}

static int choose_functions(struct html *html)
{
	const struct row_table *table = html->table;
	int ret = 0;

	html->functions = calloc(HTML_MAX_FUNCTIONS, sizeof(*html->functions));
	if (!html->functions)
		return -ENOMEM;
	for (size_t i = 0; i < table->nr_rows && !ret &&
			   html->nr_functions < HTML_MAX_FUNCTIONS;
	     i++)
		if (i < HTML_FUNCTIONS ||
		    table->rows[i].total.sum > LATENCY_SHARE * table->total.sum)
			ret = function_add(html, i);
	return ret;
}

int html_function_of(struct html *html, const struct cube_place *place)
{
	const char *names[] = {place->name ?: UNKNOWN, place->dso ?: UNKNOWN};
	uint32_t numbers[2], function;

	for (int i = 0; i < 2; i++)
		if (strings_intern(&html->table->strings, names[i],
				   strlen(names[i]), &numbers[i]))
			return -1;
	return map_get(&html->function_of_names,
		       names_key(numbers[0], numbers[1]), &function)
		       ? (int)function
		       : -1;
}

double html_rank(const struct html *html, uint64_t samples, double share)
{
	double part = mean_latency(samples, html->table->samples);

	return MAX(part, share);
}

/* Own cycles divide what a function has, as in code/code.h. */
static double share_of(struct html *html, const struct cube_place *place)
{
	const struct row_table *table = html->table;
	int function = html_function_of(html, place);
	const struct row *row =
		function < 0 ? NULL : &table->rows[html->functions[function]];

	return row && row->own ? row_share(table, row) * place->own / row->own
			       : mean_latency(place->own, table->own_cycles);
}

struct place_rank {
	uint32_t place;
	double share;
};

static int compare_ranks(const void *a, const void *b, void *places)
{
	const struct cube_place *all = places;
	const struct place_rank *x = a, *y = b;

	return COMPARE(y->share, x->share)
		       ?: cube_compare_places(&all[x->place], &all[y->place]);
}

static struct place_rank *ranks_of(struct html *html)
{
	struct cube *cube = &html->cube;
	struct place_rank *ranks = calloc(cube->nr_places, sizeof(*ranks));

	if (!ranks)
		return NULL;
	cube_sum(cube);
	for (size_t i = 0; i < cube->nr_places; i++) {
		const struct cube_place *place = &cube->places[i];

		ranks[i] = (struct place_rank){
			.place = i,
			.share = html_rank(html, place->samples,
					   share_of(html, place)),
		};
	}
	qsort_r(ranks, cube->nr_places, sizeof(*ranks), compare_ranks,
		cube->places);
	return ranks;
}

/* The places that stay */
struct choice {
	/* the first one takes what has no other place */
	struct cube_place *places;
	size_t nr;
	size_t kept;
	size_t rests;
	uint32_t *number;   /* the new number of each old place */
	struct map rest_of; /* a rest by its function and comm */
};

/* The rest of its function takes the place. */
static int choose_rest(struct html *html, struct choice *choice,
		       const struct cube_place *place, size_t max,
		       uint32_t *number)
{
	int function = html_function_of(html, place);
	uint64_t key = ((uintptr_t)place->comm << 16) + function;
	struct cube_place *rest;

	*number = CUBE_OTHER_PLACE;
	if (function < 0 || map_get(&choice->rest_of, key, number) ||
	    choice->rests == max)
		return 0;
	*number = choice->nr++;
	choice->rests++;
	rest = &choice->places[*number];
	*rest = (struct cube_place){.name = place->name,
				    .dso = place->dso,
				    .comm = place->comm,
				    .whole = true};
	return map_set(&choice->rest_of, key, *number);
}

static int choose_all(struct html *html, struct choice *choice, size_t keep,
		      size_t rests)
{
	struct cube *cube = &html->cube;
	FREED struct place_rank *ranks = ranks_of(html);
	int ret = ranks ? 0 : -ENOMEM;

	for (size_t i = 0; i < cube->nr_places && !ret; i++) {
		uint32_t old = ranks[i].place, *number = &choice->number[old];
		const struct cube_place *place = &cube->places[old];

		*number = CUBE_OTHER_PLACE;
		if (old && !place->whole && choice->kept < keep) {
			choice->kept++;
			*number = choice->nr;
			choice->places[choice->nr++] = *place;
			continue;
		}
		if (old)
			ret = choose_rest(html, choice, place, rests, number);
	}
	return ret;
}

/* Leaves @keep places, and at most @rests of the others' functions. */
static int choose_places(struct html *html, size_t keep, size_t rests)
{
	struct cube *cube = &html->cube;
	struct choice choice = {.nr = 1};
	int ret;

	choice.places = calloc(1 + keep + rests, sizeof(*choice.places));
	choice.number = calloc(cube->nr_places, sizeof(*choice.number));
	ret = choice.places && choice.number ? 0 : -ENOMEM;
	if (!ret) {
		choice.places[CUBE_OTHER_PLACE].whole = true;
		ret = choose_all(html, &choice, keep, rests)
			      ?: cube_renumber(cube, choice.number);
	}
	if (!ret) {
		free(cube->places);
		cube->places = choice.places;
		cube->nr_places = choice.nr;
		choice.places = NULL;
		cube_sum(cube);
	}
	free(choice.places);
	free(choice.number);
	map_fini(&choice.rest_of);
	return ret;
}

static int coarsen_to(struct cells *cells, uint64_t width)
{
	while (cells->width < width)
		if (cells_coarsen(cells))
			return -ENOMEM;
	return 0;
}

/* The slices of samples and of counts together. */
uint64_t html_first_slice(const struct html *html)
{
	const struct cells *cube = &html->cube.cells;
	const struct counts *counts = &html->counts;

	if (!cube->begun)
		return counts->first;
	return counts->begun && counts->first < cube->first ? counts->first
							    : cube->first;
}

size_t html_nr_slices(const struct html *html)
{
	uint64_t end = 0;

	if (html->cube.cells.begun)
		end = html->cube.cells.last + 1;
	if (html->counts.begun && html->counts.last >= end)
		end = html->counts.last + 1;
	return end ? end - html_first_slice(html) : 0;
}

/*
 * Lets slices of samples, lines and counts be the same, and as few as those of
 * one of them, however far apart their times are.
 */
static int align(struct html *html)
{
	struct cells *cube = &html->cube.cells;
	struct cells *lines = &html->moments.cells;
	struct counts *counts = &html->counts;

	for (;;) {
		if (coarsen_to(cube, counts->width) ||
		    coarsen_to(cube, lines->width) ||
		    coarsen_to(lines, cube->width))
			return -ENOMEM;
		while (counts->width < cube->width)
			counts_coarsen(counts);
		if (html_nr_slices(html) <= CUBE_SLICES)
			return 0;
		if (cells_coarsen(cube))
			return -ENOMEM;
	}
}

int html_choose(struct html *html)
{
	size_t places = HTML_PLACES, rests = HTML_RESTS;
	int ret = choose_functions(html) ?: cells_settle(&html->cube.cells) ?:
		  choose_places(html, places, rests);

	while (!ret && html->cube.cells.nr > HTML_CELLS) {
		if (cells_slices(&html->cube.cells) > CUBE_SLICES / 2) {
			ret = cells_coarsen(&html->cube.cells);
		} else if (places > HTML_PLACES / 8) {
			places /= 2;
			rests /= 2;
			ret = choose_places(html, places, rests);
		} else if (cells_slices(&html->cube.cells) > CUBE_SLICES_MIN) {
			ret = cells_coarsen(&html->cube.cells);
		} else {
			break;
		}
	}
	return ret ?: align(html);
}

unsigned int html_position(const struct html *html, const struct cells *cells,
			   const struct cube_cell *cell)
{
	unsigned int slice = html_nr_slices(html);

	if (cell->slice != CUBE_UNTIMED)
		slice = cells->first - html_first_slice(html) +
			cells_slice_of(cells, cell);
	return slice * (CUBE_CLASSES + 1) + cell->class;
}
