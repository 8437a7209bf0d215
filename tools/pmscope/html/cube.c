// SPDX-License-Identifier: GPL-2.0-or-later
#include "html/html.h"

/* How much of all samples a place needs to get cells of its own later. */
#define PROMOTED_PART 2048
#define PROMOTED_MIN  64

/* Of a place: whose cells it uses, and how many samples since it uses those. */
struct cube_use {
	uint32_t target;
	uint32_t unkept;
};

static uint64_t hash_of(uint64_t a, uint64_t b)
{
	return hash_finish(a * UINT64_C(0x9e3779b97f4a7c15) +
			   b * UINT64_C(0xc2b2ae3d27d4eb4f));
}

int cube_begin(struct cube *cube)
{
	const struct cube_place other = {.whole = true, .kept = true};
	uint32_t number;

	*cube = (struct cube){.limit = CUBE_SOFT_CELLS, .keep = CUBE_KEPT};
	cube->kinds = row_kinds_new();
	cube->uses = calloc(CUBE_MAX_PLACES, sizeof(*cube->uses));
	cube->numbers = code_numbers_new();
	cube->currents = calloc(THREAD_CACHES, sizeof(*cube->currents));
	cube->codes = symbol_cache_new();
	/* CUBE_OTHER_PLACE counts the samples of places without room. */
	return cells_begin(&cube->cells) || !cube->kinds || !cube->uses ||
			       !cube->numbers || !cube->currents ||
			       !cube->codes ||
			       keyed_add(&cube->place_of_hash, sizeof(other), 0,
					 &other, &number)
		       ? -ENOMEM
		       : 0;
}

void cube_fini(struct cube *cube)
{
	free(cube->kinds);
	free(cube->uses);
	code_numbers_free(cube->numbers);
	free(cube->currents);
	symbol_cache_free(cube->codes);
	cells_fini(&cube->cells);
	keyed_fini(&cube->place_of_hash);
	*cube = (struct cube){};
}

static bool cell_renumber(const void *context, struct cube_cell *cell)
{
	const uint32_t *number = context;

	cell->place = number[cell->place];
	return true;
}

int cube_renumber(struct cube *cube, const uint32_t *number)
{
	return cells_change(&cube->cells, cell_renumber, number);
}

void cube_sum(struct cube *cube)
{
	for (size_t i = 0; i < cube->nr_places; i++) {
		struct cube_place *place = &cube->places[i];

		place->samples = place->timed = 0;
		place->latency = place->own = 0;
	}
	for (size_t i = 0; i < cube->cells.capacity; i++) {
		const struct cube_cell *cell = &cube->cells.all[i];
		struct cube_place *place = &cube->places[cell->place];

		if (!cell->samples)
			continue;
		place->samples += cell->samples;
		place->latency += cell->latency;
		place->own += cell->own;
		if (cell->class != CUBE_NO_LATENCY)
			place->timed += cell->samples;
	}
}

int cube_compare_places(const struct cube_place *x, const struct cube_place *y)
{
	return compare_texts(x->name, y->name) ?: compare_texts(x->dso, y->dso)
		       ?: compare_texts(x->comm, y->comm)
		       ?: compare_texts(x->callers, y->callers)
		       ?: COMPARE(x->offset, y->offset)
		       ?: COMPARE(x->pc, y->pc)
		       ?: COMPARE(x->whole, y->whole);
}

static int compare_sizes(const void *a, const void *b, void *context)
{
	const struct cube_place *places = context;
	const struct cube_place *x = &places[*(const uint32_t *)a];
	const struct cube_place *y = &places[*(const uint32_t *)b];

	return COMPARE(y->samples, x->samples) ?: cube_compare_places(x, y);
}

/* The place whose cells the samples of @place are counted in. */
static uint32_t target_of(const struct cube *cube, uint32_t place)
{
	while (!cube->places[place].kept)
		place = cube->places[place].parent;
	return place;
}

static void uses_begin(struct cube *cube)
{
	for (size_t i = 0; i < cube->nr_places; i++)
		cube->uses[i] = (struct cube_use){.target = target_of(cube, i)};
}

/* Leaves cells to the @keep largest instructions and as many rests. */
static void keep_largest(struct cube *cube, const uint32_t *order, size_t keep)
{
	size_t instructions = 0, rests = 0;

	cube->nr_kept = 0;
	for (size_t i = 0; i < cube->nr_places; i++) {
		struct cube_place *place = &cube->places[order[i]];
		size_t *nr = place->whole ? &rests : &instructions;

		place->kept = order[i] == CUBE_OTHER_PLACE || (*nr)++ < keep;
		cube->nr_kept += place->kept;
	}
}

static int places_reduce(struct cube *cube, size_t keep)
{
	FREED uint32_t *order = calloc(2 * cube->nr_places, sizeof(*order));
	uint32_t *target = order + cube->nr_places;
	int ret;

	if (!order)
		return -ENOMEM;
	cube_sum(cube);
	for (size_t i = 0; i < cube->nr_places; i++)
		order[i] = i;
	qsort_r(order, cube->nr_places, sizeof(*order), compare_sizes,
		cube->places);
	keep_largest(cube, order, keep);
	for (size_t i = 0; i < cube->nr_places; i++)
		target[i] = target_of(cube, i);
	ret = cube_renumber(cube, target);
	uses_begin(cube);
	cube->reduced = true;
	return ret;
}

/* Leaves half of the cells free if it can. */
static int cells_reduce(struct cube *cube)
{
	int ret = cells_settle(&cube->cells);

	while (cube->cells.nr > cube->limit / 2 && !ret) {
		if (cells_slices(&cube->cells) > CUBE_SLICES / 2) {
			ret = cells_coarsen(&cube->cells);
		} else if (cube->nr_kept > CUBE_KEPT / 4 + 1) {
			ret = places_reduce(cube, cube->keep);
			if (cube->keep > CUBE_KEPT / 8)
				cube->keep /= 2;
		} else if (cells_slices(&cube->cells) > CUBE_SLICES_MIN) {
			ret = cells_coarsen(&cube->cells);
		} else {
			break;
		}
	}
	if (cube->cells.nr > cube->limit / 2 && cube->limit < CUBE_MAX_CELLS)
		cube->limit *= 2;
	return ret;
}

/* Makes room for one more cell, or leaves as many as there may be. */
static int cells_reserve(struct cube *cube)
{
	int ret = 0;

	if (cube->cells.nr >= cube->limit && cube->cells.nr < CUBE_MAX_CELLS)
		ret = cells_reduce(cube);
	return ret ?: cells_room(&cube->cells);
}

/* Beyond the limit, few cells take the rest, without place and kind. */
static struct cube_cell *cell_get(struct cube *cube, struct cube_cell *wanted)
{
	if (cube->cells.nr >= CUBE_MAX_CELLS &&
	    !cells_find(&cube->cells, wanted)->samples) {
		wanted->place = CUBE_OTHER_PLACE;
		wanted->kind = MAX_KINDS;
	}
	return cells_newest(&cube->cells, wanted);
}

/* Returns a new place, or CUBE_OTHER_PLACE if all are used; NULL: no memory. */
static struct cube_place *place_new(struct cube *cube, uint64_t hash)
{
	const struct cube_place new = {.hash = hash, .kept = !cube->reduced};

	if (cube->nr_places >= CUBE_MAX_PLACES)
		return &cube->places[CUBE_OTHER_PLACE];
	cube->nr_kept += new.kept;
	return keyed_item(&cube->place_of_hash, sizeof(new), hash, &new);
}

static void place_names(struct cube_place *place,
			const struct pmscope_sample *sample,
			const struct cached_symbol *code)
{
	place->comm = sample->comm;
	if (!code)
		return;
	place->name = code->name;
	place->dso = code->dso;
}

static void place_init(struct cube_place *place, const struct load *load,
		       const struct pmscope_sample *sample, uint64_t pc,
		       const struct cached_symbol *code)
{
	place_names(place, sample, code);
	if (!code)
		return;
	place->pc = pc;
	place->offset = code->name ? pc - code->start : 0;
	place->has_pc = true;
	pmscope_recording_place(load->recording, sample, pc, &place->place);
	if (place->place.build_id_size)
		memcpy(place->build_id, place->place.build_id,
		       place->place.build_id_size);
}

/* Instructions of a function are the same in all processes. */
static uint64_t place_hash(const struct pmscope_sample *sample, uint64_t at,
			   const struct cached_symbol *code)
{
	return hash_of(code_key(code) + (uintptr_t)sample->comm, at) | 1;
}

/* The rest of the function, or -ENOMEM. */
static int rest_find(struct cube *cube, const struct pmscope_sample *sample,
		     const struct cached_symbol *code, uint32_t *index)
{
	uint64_t hash = place_hash(sample, UINT64_MAX, code);
	struct cube_place *rest;

	if (keyed_find(&cube->place_of_hash, hash, index))
		return 0;
	rest = place_new(cube, hash);
	if (!rest)
		return -ENOMEM;
	if (rest->hash) {
		place_names(rest, sample, code);
		rest->whole = true;
	}
	*index = rest - cube->places;
	return 0;
}

static int place_fill(struct cube *cube, const struct load *load,
		      const struct pmscope_sample *sample, uint64_t pc,
		      const struct cached_symbol *code, uint32_t callers,
		      uint64_t hash, uint32_t *index)
{
	struct cube_place *place;
	uint32_t parent;

	if (keyed_find(&cube->place_of_hash, hash, index))
		return 0;
	if (rest_find(cube, sample, code, &parent))
		return -ENOMEM;
	place = place_new(cube, hash);
	if (!place)
		return -ENOMEM;
	*index = place - cube->places;
	if (*index == CUBE_OTHER_PLACE) {
		*index = parent;
		return 0;
	}
	place_init(place, load, sample, pc, code);
	place->callers = stacks_text(load->stacks, callers);
	place->parent = parent;
	return 0;
}

/* Has a place with so many samples earned cells of its own? */
static bool is_large(const struct cube *cube, uint64_t samples)
{
	return samples >= PROMOTED_MIN &&
	       samples >= cube->samples / PROMOTED_PART &&
	       cube->nr_kept <= 2 * cube->keep;
}

/* The rest of a function that has no cells of its own. */
static void rest_count(struct cube *cube, uint32_t index)
{
	struct cube_place *rest = &cube->places[index];

	if (rest->kept || !is_large(cube, ++cube->uses[index].unkept))
		return;
	rest->kept = true;
	cube->nr_kept++;
	uses_begin(cube);
}

/* A sample of a place without cells of its own. */
static void unkept_count(struct cube *cube, uint32_t place)
{
	struct cube_use *use = &cube->uses[place];

	if (is_large(cube, ++use->unkept)) {
		cube->places[place].kept = true;
		cube->nr_kept++;
		use->target = place;
	} else if (use->target == CUBE_OTHER_PLACE) {
		rest_count(cube, cube->places[place].parent);
	}
}

/* Gives a place a number, unless the symbols of its code change. */
static int number_fill(struct cube *cube, const struct load *load,
		       const struct thread_cache *current, uint64_t pc,
		       uint32_t callers, uint32_t *number, uint32_t *place)
{
	const struct pmscope_sample *sample = &current->sample;
	const struct cached_symbol *code = NULL;
	uint64_t hash;

	if (sample->batch->has[sample->row] & PMSCOPE_HAS_PC)
		code = symbol_cache_find(cube->codes, &load->names, current);
	hash = place_hash(sample, code && code->name ? pc - code->start : pc,
			  code);
	if (callers != STACKS_NONE)
		hash = hash_of(hash, callers) | 1;
	if (place_fill(cube, load, sample, pc, code, callers, hash, place))
		return -ENOMEM;
	cube->uses[*place].target = target_of(cube, *place);
	if (!code || code->space == code_space(pc, current))
		*number = *place + 1;
	return 0;
}

/* The number of the place, and 1; 0 if it is not known yet. */
static uint32_t *number_find(struct cube *cube, const struct load *load,
			     const struct thread_cache *current, uint64_t *pc,
			     uint32_t *callers)
{
	const struct pmscope_sample *sample = &current->sample;
	const struct cached_symbol *code = NULL;
	uint64_t space = (uintptr_t)sample->comm;
	bool has_pc = sample->batch->has[sample->row] & PMSCOPE_HAS_PC;

	*callers = STACKS_NONE;
	*pc = has_pc ? code_pc(sample, sample->row) : 0;
	if (load->stacks) {
		if (has_pc)
			code = symbol_cache_find(cube->codes, &load->names,
						 current);
		*callers = stacks_number(load->stacks, current, code);
		space = hash_of(space, *callers);
	}
	return code_number(cube->numbers,
			   space + (has_pc ? code_space(*pc, current) : 1),
			   *pc);
}

/* The place whose cells are used. */
static int place_find(struct cube *cube, const struct load *load,
		      const struct thread_cache *current, uint32_t *index)
{
	uint32_t callers, place;
	uint64_t pc;
	uint32_t *number = number_find(cube, load, current, &pc, &callers);

	place = *number - 1;
	if (!*number &&
	    number_fill(cube, load, current, pc, callers, number, &place))
		return -ENOMEM;
	*index = cube->uses[place].target;
	if (*index != place)
		unkept_count(cube, place);
	return 0;
}

static int sample_add(struct cube *cube, const struct load *load,
		      const struct pmscope_run *run,
		      const struct thread_cache *current)
{
	const struct pmscope_batch *batch = run->batch;
	size_t row = current->sample.row;
	bool timed = batch->has[row] & PMSCOPE_HAS_TOTAL;
	unsigned int latency = timed ? batch->total[row] : 0;
	struct row_kind kind = row_kind_of(batch, row, run->midr);
	struct cube_cell *cell,
		wanted = {
			.slice = CUBE_UNTIMED,
			.class = timed ? cube_class_of(latency)
				       : CUBE_NO_LATENCY,
			.kind = row_kind_number(cube->kinds, &kind),
		};

	wanted.kind |= row_cause_at(cube->kinds, &kind, wanted.kind, batch, row)
		       << CUBE_CAUSE;
	/* Making room may change the slices and the places. */
	if (cells_reserve(cube) ||
	    place_find(cube, load, current, &wanted.place) ||
	    (current->sample.has_time &&
	     cells_slice_at(&cube->cells, current->sample.time, &wanted.slice)))
		return -ENOMEM;
	cell = cell_get(cube, &wanted);
	cell->samples++;
	cell->latency += latency;
	if (timed)
		cell->own += row_own_cycles(latency, batch->issue[row],
					    batch->translate[row]);
	cube->samples++;
	cube->untimed += !current->sample.has_time;
	return 0;
}

int cube_add_run(struct cube *cube, struct load *load,
		 const struct pmscope_run *run)
{
	struct thread_cache *current = thread_cache_of(cube->currents, run);

	for (size_t row = run->first; row < run->end; row++) {
		struct view view;

		thread_cache_set(current, &load->names, run, row);
		thread_cache_set_time(current, &load->names);
		if (load->filter->nr_terms) {
			view_begin(&view, &current->sample);
			if (!filter_passes(load, &view, current))
				continue;
		}
		if (sample_add(cube, load, run, current))
			return -ENOMEM;
	}
	return 0;
}
