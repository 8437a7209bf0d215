// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/stacks.h"
#include "base/array.h"
#include "read/stacks.h"

#include <pmscope/events.h>
#include <pmscope/source.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN "[unknown]"
#define SOON	8 /* rows, until a cell that is read now is needed */
#define LATENCIES \
	(PMSCOPE_HAS_TOTAL | PMSCOPE_HAS_ISSUE | PMSCOPE_HAS_TRANSLATE)

int stacks_begin(struct export_worker *worker)
{
	worker->state = calloc(1, sizeof(struct stack_cells));
	return worker->state ? 0 : -ENOMEM;
}

void stacks_fini(struct export_worker *worker)
{
	struct stack_cells *stacks = worker->state;

	if (!stacks)
		return;
	places_fini(&stacks->places);
	free(stacks->threads);
	free(stacks->cells);
	map_fini(&stacks->thread_of_hash);
	map_fini(&stacks->cell_of_hash);
	free(stacks);
}

static uint64_t thread_hash(const struct stack_thread *thread)
{
	return hash_finish((uintptr_t)thread->comm *
				   UINT64_C(0x9fb21c651e98df25) +
			   thread->tid * UINT64_C(0x165667b19e3779f9) +
			   thread->pid * UINT64_C(0xc2b2ae3d27d4eb4f));
}

static int thread_number(struct stack_cells *stacks,
			 const struct stack_thread *wanted, uint32_t *number)
{
	uint64_t hash = thread_hash(wanted);
	struct stack_thread *threads;

	if (map_get(&stacks->thread_of_hash, hash, number))
		return 0;
	threads = array_reserve(stacks->threads, stacks->nr_threads,
				&stacks->max_threads, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	stacks->threads = threads;
	if (map_set(&stacks->thread_of_hash, hash, stacks->nr_threads))
		return -ENOMEM;
	threads[stacks->nr_threads] = *wanted;
	*number = stacks->nr_threads++;
	return 0;
}

/* A sample without a known time is in the first slice. */
static struct stack_cell cell_of_slice(const struct stack_cells *stacks,
				       const struct pmscope_sample *sample)
{
	bool late = sample->has_time && sample->time > stacks->begin;

	return (struct stack_cell){
		.cpu = PMSCOPE_NO_ID,
		.slice = late ? (sample->time - stacks->begin) / stacks->slice
			      : 0,
	};
}

/* What a viewer shows of a sample, but for its code and thread. */
static struct stack_cell cell_of(const struct stack_cells *stacks,
				 const struct pmscope_sample *sample)
{
	const struct pmscope_batch *b = sample->batch;
	size_t row = sample->row;
	uint32_t kept = LATENCIES | PMSCOPE_HAS_SOURCE;

	if (stacks->slice)
		return cell_of_slice(stacks, sample);
	if (stacks->unlabelled)
		kept = PMSCOPE_HAS_SOURCE;
	kept &= b->has[row];
	return (struct stack_cell){
		.cpu = sample->cpu,
		.has = kept,
		.midr = sample->midr,
		.total = kept & PMSCOPE_HAS_TOTAL ? b->total[row] : 0,
		.issue = kept & PMSCOPE_HAS_ISSUE ? b->issue[row] : 0,
		.translate =
			kept & PMSCOPE_HAS_TRANSLATE ? b->translate[row] : 0,
		.source = kept & PMSCOPE_HAS_SOURCE ? b->source[row] : 0,
		.l1d_miss = b->events[row] & PMSCOPE_EVENT_BIT(L1D_REFILL),
		.llc_miss = b->events[row] & PMSCOPE_EVENT_BIT(LLC_REFILL),
		.mispredicted = b->events[row] & PMSCOPE_EVENT_BIT(MISPRED),
	};
}

/* It is wide enough that cells never collide in practice, see sample_key.h. */
static uint64_t cell_hash(const struct stack_cell *cell,
			  const struct thread_cache *current, uint64_t pc)
{
	const struct pmscope_sample *s = &current->sample;
	bool has_pc = s->batch->has[s->row] & PMSCOPE_HAS_PC;
	uint64_t latencies = cell->total | (uint64_t)cell->issue << 16 |
			     (uint64_t)cell->translate << 32 |
			     (uint64_t)cell->source << 48;
	uint64_t rest = cell->has | (uint64_t)cell->l1d_miss << 32 |
			(uint64_t)cell->llc_miss << 33 |
			(uint64_t)cell->mispredicted << 34 |
			(uint64_t)has_pc << 35;

	return hash_finish(pc * UINT64_C(0x9e3779b97f4a7c15) +
			   code_space(pc, current) + current->on_cpu +
			   cell->callers * UINT64_C(0x27d4eb2f165667c5) +
			   cell->slice * UINT64_C(0x8bb84b93962eacc9) +
			   cell->midr * UINT64_C(0xff51afd7ed558ccd) +
			   latencies * UINT64_C(0xe7037ed1a0b428db) +
			   rest * UINT64_C(0xc4ceb9fe1a85ec53));
}

static int place_of(struct export_worker *worker,
		    const struct thread_cache *current, uint64_t pc,
		    uint32_t *place)
{
	const struct pmscope_sample *s = &current->sample;
	struct stack_cells *stacks = worker->state;

	*place = NO_PLACE;
	if (!(s->batch->has[s->row] & PMSCOPE_HAS_PC))
		return 0;
	return places_find(&stacks->places, &worker->load, current, pc, place);
}

/* All of it but its place and thread. */
static int cell_make(struct export_worker *worker,
		     const struct thread_cache *current, uint64_t pc,
		     struct stack_cell *cell)
{
	const struct stack_cells *stacks = worker->state;
	const struct pmscope_sample *s = &current->sample;
	uint32_t place;

	*cell = cell_of(stacks, s);
	if (!worker->load.stacks)
		return 0;
	if (place_of(worker, current, pc, &place))
		return -ENOMEM;
	cell->callers = stacks_find(
		worker->load.stacks, s->tid, s->time,
		place == NO_PLACE ? NULL : stacks->places.items[place].symbol);
	return 0;
}

/*
 * Cells with latencies get no more samples; without them the map is small, and
 * stays in the CPU's caches. stacks_sort() joins what is in both.
 */
static void labels_end(struct stack_cells *stacks)
{
	if (stacks->unlabelled)
		return;
	map_fini(&stacks->cell_of_hash);
	stacks->unlabelled = true;
	stacks->has_ahead = false;
}

static int cell_add(struct export_worker *worker,
		    const struct thread_cache *current, uint64_t pc,
		    uint64_t hash)
{
	const struct pmscope_sample *s = &current->sample;
	const struct stack_thread thread = {s->comm, s->pid, s->tid};
	struct stack_cells *stacks = worker->state;
	struct stack_cell cell, *cells;

	if (cell_make(worker, current, pc, &cell) ||
	    place_of(worker, current, pc, &cell.place) ||
	    thread_number(stacks, &thread, &cell.thread))
		return -ENOMEM;
	cells = array_reserve(stacks->cells, stacks->nr_cells,
			      &stacks->max_cells, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	stacks->cells = cells;
	if (map_set(&stacks->cell_of_hash, hash, stacks->nr_cells))
		return -ENOMEM;
	cells[stacks->nr_cells++] = cell;
	if (stacks->nr_cells >= LABELLED_CELLS && !stacks->slice)
		labels_end(stacks);
	return 0;
}

/* With slices or callers, the cell also depends on the time. */
static bool looks_ahead(const struct export_worker *worker)
{
	const struct stack_cells *stacks = worker->state;

	return !stacks->slice && !worker->load.stacks;
}

void stacks_ahead(struct export_worker *worker,
		  const struct thread_cache *current)
{
	const struct pmscope_sample *s = &current->sample;
	struct stack_cells *stacks = worker->state;
	struct stack_cell cell;
	uint64_t hash;

	if (!looks_ahead(worker))
		return;
	cell = cell_of(stacks, s);
	hash = cell_hash(&cell, current, code_pc(s, s->row));
	stacks->has_ahead = true;
	stacks->ahead[s->row % STACKS_AHEAD] = hash;
	map_prefetch(&stacks->cell_of_hash, hash);
}

/* Starts to read the cell of a row that is soon added; it may be another's. */
static void cell_prefetch(const struct stack_cells *stacks, size_t row)
{
	uint32_t number;

	if (map_get(&stacks->cell_of_hash, stacks->ahead[row % STACKS_AHEAD],
		    &number))
		__builtin_prefetch(&stacks->cells[number].samples, 1);
}

static int hash_find(struct export_worker *worker,
		     const struct thread_cache *current, uint64_t pc,
		     uint64_t *hash)
{
	struct stack_cells *stacks = worker->state;
	size_t row = current->sample.row;
	struct stack_cell cell;

	if (stacks->has_ahead) {
		cell_prefetch(stacks, row + SOON);
		*hash = stacks->ahead[row % STACKS_AHEAD];
		return 0;
	}
	if (cell_make(worker, current, pc, &cell))
		return -ENOMEM;
	*hash = cell_hash(&cell, current, pc);
	return 0;
}

int stacks_add(struct export_worker *worker, const struct thread_cache *current)
{
	const struct pmscope_sample *s = &current->sample;
	struct stack_cells *stacks = worker->state;
	uint64_t pc = code_pc(s, s->row), hash;
	uint64_t weight = load_weight(&worker->load, s);
	struct stack_cell *cell;
	uint32_t number;

	if (hash_find(worker, current, pc, &hash))
		return -ENOMEM;
	if (!map_get(&stacks->cell_of_hash, hash, &number)) {
		number = stacks->nr_cells;
		if (cell_add(worker, current, pc, hash))
			return -ENOMEM;
	}
	cell = &stacks->cells[number];
	cell->samples += weight;
	if (s->batch->has[s->row] & PMSCOPE_HAS_TOTAL)
		cell->cycles += weight * s->batch->total[s->row];
	return 0;
}

static int cells_join(struct stack_cells *stacks,
		      const struct stack_cells *from, const uint32_t *numbers)
{
	for (size_t i = 0; i < from->nr_cells; i++) {
		struct stack_cell *cells =
			array_reserve(stacks->cells, stacks->nr_cells,
				      &stacks->max_cells, sizeof(*cells));
		struct stack_cell cell = from->cells[i];

		if (!cells)
			return -ENOMEM;
		stacks->cells = cells;
		if (thread_number(stacks, &from->threads[cell.thread],
				  &cell.thread))
			return -ENOMEM;
		if (cell.place != NO_PLACE)
			cell.place = numbers[cell.place];
		cells[stacks->nr_cells++] = cell;
	}
	return 0;
}

static int join(struct stack_cells *stacks, const struct stack_cells *from)
{
	uint32_t *numbers = calloc(from->places.nr + 1, sizeof(*numbers));
	int ret = numbers ? places_join(&stacks->places, &from->places, numbers)
			  : -ENOMEM;

	if (!ret)
		ret = cells_join(stacks, from, numbers);
	free(numbers);
	return ret;
}

static int compare_numbers(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

static int compare_threads(const void *a, const void *b)
{
	const struct stack_thread *x = a, *y = b;

	return compare_numbers(x->pid, y->pid)
		       ?: compare_numbers(x->tid, y->tid)
		       ?: strcmp(x->comm ?: "", y->comm ?: "");
}

static int threads_sort(struct stack_cells *stacks)
{
	size_t nr = stacks->nr_threads;
	struct stack_thread *old = malloc(nr * sizeof(*old) + 1);
	uint32_t *numbers = calloc(nr + 1, sizeof(*numbers));

	if (nr && old && numbers) {
		memcpy(old, stacks->threads, nr * sizeof(*old));
		qsort(stacks->threads, nr, sizeof(*old), compare_threads);
		for (size_t i = 0; i < nr; i++)
			numbers[i] = (struct stack_thread *)bsearch(
					     &old[i], stacks->threads, nr,
					     sizeof(*old), compare_threads) -
				     stacks->threads;
	}
	for (size_t i = 0; old && numbers && i < stacks->nr_cells; i++)
		stacks->cells[i].thread = numbers[stacks->cells[i].thread];
	free(old);
	free(numbers);
	return old && numbers ? 0 : -ENOMEM;
}

static int places_order(struct stack_cells *stacks)
{
	uint32_t *numbers = calloc(stacks->places.nr + 1, sizeof(*numbers));
	int ret = numbers ? places_sort(&stacks->places, numbers) : -ENOMEM;

	for (size_t i = 0; !ret && i < stacks->nr_cells; i++)
		if (stacks->cells[i].place != NO_PLACE)
			stacks->cells[i].place =
				numbers[stacks->cells[i].place];
	free(numbers);
	return ret;
}

static uint64_t bits_of(const struct stack_cell *cell)
{
	return cell->total | (uint64_t)cell->issue << 16 |
	       (uint64_t)cell->translate << 32 | (uint64_t)cell->source << 48;
}

static unsigned int misses_of(const struct stack_cell *cell)
{
	return cell->l1d_miss | cell->llc_miss << 1 | cell->mispredicted << 2;
}

/* By code, thread, and all else that makes them differ. */
static int compare_cells(const void *a, const void *b)
{
	const struct stack_cell *x = a, *y = b;

	return compare_numbers(x->place, y->place)
		       ?: compare_numbers(x->thread, y->thread)
		       ?: compare_numbers(x->callers, y->callers)
		       ?: compare_numbers(x->slice, y->slice)
		       ?: compare_numbers(bits_of(x), bits_of(y))
		       ?: compare_numbers(x->has, y->has)
		       ?: compare_numbers(misses_of(x), misses_of(y))
		       ?: compare_numbers(x->cpu, y->cpu)
		       ?: compare_numbers(x->midr, y->midr);
}

/* What cells are sorted by: these are smaller than cells. */
struct cell_order {
	struct cell_key key;
	uint32_t cell;
};

struct sorting {
	const struct cell_sort *by;
	const struct stack_cell *cells;
};

static int compare_orders(const void *a, const void *b, void *context)
{
	const struct cell_order *x = a, *y = b;
	const struct sorting *sorting = context;

	return compare_numbers(x->key.major, y->key.major)
		       ?: compare_numbers(x->key.minor, y->key.minor)
		       ?: sorting->by->compare(&sorting->cells[x->cell],
					       &sorting->cells[y->cell]);
}

/* Puts the cells of each group together. @ends has a number more than groups */
static void group_cells(const struct stack_cells *stacks,
			const struct cell_sort *by, struct cell_order *orders,
			uint32_t *ends)
{
	for (size_t i = 0; i < stacks->nr_cells; i++)
		ends[by->group(by, &stacks->cells[i]) + 1]++;
	for (size_t i = 1; i < by->nr_groups; i++)
		ends[i] += ends[i - 1];
	for (size_t i = 0; i < stacks->nr_cells; i++) {
		const struct stack_cell *cell = &stacks->cells[i];

		orders[ends[by->group(by, cell)]++] =
			(struct cell_order){by->key(cell), i};
	}
}

static void sort_groups(const struct stack_cells *stacks,
			const struct cell_sort *by, struct cell_order *orders,
			const uint32_t *ends)
{
	struct sorting sorting = {by, stacks->cells};
	size_t first = 0;

	for (size_t i = 0; i < by->nr_groups; i++) {
		if (ends[i] - first > 1)
			qsort_r(orders + first, ends[i] - first,
				sizeof(*orders), compare_orders, &sorting);
		first = ends[i];
	}
}

/* Those that are alike become one. */
static void take_in_order(struct stack_cells *stacks,
			  const struct cell_sort *by,
			  const struct cell_order *orders,
			  struct stack_cell *sorted)
{
	size_t nr = 0;

	for (size_t i = 0; i < stacks->nr_cells; i++) {
		const struct stack_cell *cell = &stacks->cells[orders[i].cell];

		if (i + SOON < stacks->nr_cells)
			__builtin_prefetch(
				&stacks->cells[orders[i + SOON].cell]);
		if (nr && !by->compare(&sorted[nr - 1], cell)) {
			sorted[nr - 1].samples += cell->samples;
			sorted[nr - 1].cycles += cell->cycles;
		} else {
			sorted[nr++] = *cell;
		}
	}
	free(stacks->cells);
	stacks->cells = sorted;
	stacks->max_cells = stacks->nr_cells;
	stacks->nr_cells = nr;
}

int stacks_sort(struct stack_cells *stacks, const struct cell_sort *by)
{
	size_t nr = stacks->nr_cells;
	uint32_t *ends = calloc(by->nr_groups + 1, sizeof(*ends));
	struct cell_order *orders = malloc(nr * sizeof(*orders) + 1);
	struct stack_cell *sorted = malloc(nr * sizeof(*sorted) + 1);
	bool failed = !ends || !orders || !sorted;

	if (!failed) {
		group_cells(stacks, by, orders, ends);
		sort_groups(stacks, by, orders, ends);
		take_in_order(stacks, by, orders, sorted);
	}
	free(ends);
	free(orders);
	if (failed)
		free(sorted);
	return failed ? -ENOMEM : 0;
}

/* Those without code come last. */
static size_t place_of_cell(const struct cell_sort *by,
			    const struct stack_cell *cell)
{
	return cell->place == NO_PLACE ? by->nr_groups - 1 : cell->place;
}

/* Cells have a slice, or what bits_of() has. */
static struct cell_key key_of_cell(const struct stack_cell *cell)
{
	return (struct cell_key){
		.major = (uint64_t)cell->thread << 32 | cell->callers,
		.minor = cell->slice | bits_of(cell),
	};
}

struct stack_cells *stacks_join(struct export *export)
{
	struct stack_cells *stacks = export->workers[0].state;
	struct cell_sort by = {
		.group = place_of_cell,
		.key = key_of_cell,
		.compare = compare_cells,
	};

	for (unsigned int i = 1; i < export->nr_workers; i++)
		if (join(stacks, export->workers[i].state))
			return NULL;
	if (threads_sort(stacks) || places_order(stacks))
		return NULL;
	by.nr_groups = stacks->places.nr + 1;
	return stacks_sort(stacks, &by) ? NULL : stacks;
}

int stacks_frames(const struct export *export, const struct places *places,
		  const struct code_place *place,
		  struct pmscope_frame frames[PMSCOPE_FRAMES_MAX])
{
	const struct code_binary *binary = &places->binaries[place->binary];
	struct pmscope_place at = binary_place(binary, place->offset);
	uint64_t behind;
	int nr = -ENOENT;

	if (place->symbol && binary_is_file(binary))
		nr = pmscope_symbols_frames(export->load->symbols, &at, frames,
					    &behind);
	if (nr > 0 || nr == -ENOMEM)
		return nr;
	frames[0] = (struct pmscope_frame){
		.name = place->symbol ?: UNKNOWN,
		.linkage = place->symbol ?: UNKNOWN,
	};
	return 1;
}

const char *stacks_binary(const struct code_binary *binary)
{
	return binary->name ?: binary->dso ?: UNKNOWN;
}

const char *stacks_comm(const struct stack_thread *thread)
{
	return thread->comm ?: UNKNOWN;
}

const char *stacks_source(const struct stack_cell *cell, char text[32])
{
	const char *name;

	if (!(cell->has & PMSCOPE_HAS_SOURCE))
		return NULL;
	name = pmscope_source_name(cell->midr, cell->source);
	if (name)
		return name;
	snprintf(text, 32, "source %u", cell->source);
	return text;
}
