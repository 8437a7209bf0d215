// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export.h"

#include <pmscope/events.h>
#include <pmscope/source.h>

#define UNKNOWN "[unknown]"
#define SOON	8 /* rows, until a cell that is read now is needed */
/* Then all of the time is one slice. */
#define STACK_DOUBLINGS 32
#define LATENCIES \
	(PMSCOPE_HAS_TOTAL | PMSCOPE_HAS_ISSUE | PMSCOPE_HAS_TRANSLATE)

int stacks_begin(struct export_worker *worker)
{
	struct stack_cells *stacks = calloc(1, sizeof(*stacks));

	worker->state = stacks;
	if (!stacks)
		return -ENOMEM;
	stacks->most = export_most(worker->export->config);
	return 0;
}

void stacks_fini(struct export_worker *worker)
{
	struct stack_cells *stacks = worker->state;

	if (!stacks)
		return;
	places_fini(&stacks->places);
	keyed_fini(&stacks->thread_of_hash);
	keyed_fini(&stacks->cell_of_hash);
	keyed_fini(&stacks->data_of_key);
	map_fini(&stacks->data_of_variable);
	strings_fini(&stacks->names);
	data_symbols_free(stacks->variables);
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
	return keyed_get(&stacks->thread_of_hash, sizeof(*wanted),
			 thread_hash(wanted), wanted, number);
}

/* The number of the sample's thread, which is mostly that of the one before. */
static int thread_of(struct stack_cells *stacks, const struct pmscope_sample *s,
		     uint32_t *number)
{
	struct stack_running *running =
		&stacks->running[s->cpu % THREAD_CACHES];
	struct stack_thread *known = &running->thread;

	if (!running->known || known->comm != s->comm || known->pid != s->pid ||
	    known->tid != s->tid) {
		*known = (struct stack_thread){s->comm, s->pid, s->tid};
		running->known =
			!thread_number(stacks, known, &running->number);
	}
	*number = running->number;
	return running->known ? 0 : -ENOMEM;
}

/* A sample without a known time is in the first slice. */
static uint32_t slice_of(const struct stack_cells *stacks,
			 const struct pmscope_sample *sample)
{
	uint64_t slice;

	if (!sample->has_time || sample->time <= stacks->begin)
		return 0;
	slice = (sample->time - stacks->begin) / stacks->slice;
	return MIN(slice, UINT32_MAX);
}

/* Which of its latencies and source the cells have. */
static uint32_t kept_of(const struct stack_cells *stacks)
{
	if (stacks->slice || stacks->level >= STACK_NO_CPUS)
		return 0;
	return stacks->level >= STACK_NO_LATENCIES
		       ? PMSCOPE_HAS_SOURCE
		       : LATENCIES | PMSCOPE_HAS_SOURCE;
}

/* What a viewer shows of a sample, but for its code, thread and callers. */
static struct stack_cell cell_of(const struct stack_cells *stacks,
				 const struct pmscope_sample *sample)
{
	const struct pmscope_batch *b = sample->batch;
	size_t row = sample->row;
	uint32_t kept = kept_of(stacks) & b->has[row];
	struct stack_cell cell = {.cpu = PMSCOPE_NO_ID, .has = kept};

	if (stacks->slice) {
		cell.slice = slice_of(stacks, sample);
		return cell;
	}
	if (stacks->level < STACK_NO_CPUS) {
		cell.cpu = sample->cpu;
		cell.midr = sample->midr;
	}
	if (kept & PMSCOPE_HAS_SOURCE)
		cell.source = b->source[row];
	if (kept & PMSCOPE_HAS_TOTAL)
		cell.total = b->total[row];
	if (kept & PMSCOPE_HAS_ISSUE)
		cell.issue = b->issue[row];
	if (kept & PMSCOPE_HAS_TRANSLATE)
		cell.translate = b->translate[row];
	return cell;
}

/* It is wide enough that cells never collide in practice, see read/caches.h. */
static uint64_t cell_hash(const struct stack_cell *cell)
{
	uint64_t code = (uint64_t)cell->place << 32 | cell->thread;
	uint64_t around = (uint64_t)cell->callers << 32 | cell->slice;
	uint64_t latencies = cell->total | (uint64_t)cell->issue << 16 |
			     (uint64_t)cell->translate << 32 |
			     (uint64_t)cell->source << 48;
	uint64_t rest = (uint64_t)cell->cpu << 32 | cell->has;

	return hash_finish(code * UINT64_C(0x9e3779b97f4a7c15) +
			   around * UINT64_C(0x27d4eb2f165667c5) +
			   cell->midr * UINT64_C(0xff51afd7ed558ccd) +
			   cell->data * UINT64_C(0xbf58476d1ce4e5b9) +
			   latencies * UINT64_C(0xe7037ed1a0b428db) +
			   rest * UINT64_C(0xc4ceb9fe1a85ec53));
}

static int place_of(struct export_worker *worker,
		    const struct thread_cache *current, uint32_t *place)
{
	const struct pmscope_sample *s = &current->sample;
	struct stack_cells *stacks = worker->state;

	*place = NO_PLACE;
	if (!(s->batch->has[s->row] & PMSCOPE_HAS_PC))
		return 0;
	return places_find(&stacks->places, &worker->load, current,
			   code_pc(s, s->row), place);
}

static int thread_at_level(struct stack_cells *stacks,
			   const struct pmscope_sample *s, uint32_t *number)
{
	struct pmscope_sample named = {.comm = s->comm,
				       .cpu = s->cpu,
				       .pid = PMSCOPE_NO_ID,
				       .tid = PMSCOPE_NO_ID};
	bool without = !stacks->slice && stacks->level >= STACK_NO_IDS;

	return thread_of(stacks, without ? &named : s, number);
}

/* The values of a cell are 0. */
static int cell_make(struct export_worker *worker,
		     const struct thread_cache *current,
		     struct stack_cell *cell)
{
	struct stack_cells *stacks = worker->state;
	const struct pmscope_sample *s = &current->sample;

	*cell = cell_of(stacks, s);
	if (place_of(worker, current, &cell->place) ||
	    thread_at_level(stacks, s, &cell->thread) ||
	    stack_data_find(worker, current, cell))
		return -ENOMEM;
	if (worker->load.stacks)
		cell->callers = stacks_find(
			worker->load.stacks, s->tid, s->time,
			cell->place == NO_PLACE
				? NULL
				: stacks->places.items[cell->place].symbol);
	return 0;
}

static void cell_sum(struct stack_cell *cell, const struct stack_cell *from)
{
	cell->samples += from->samples;
	cell->cycles += from->cycles;
	cell->l1d_misses += from->l1d_misses;
	cell->llc_misses += from->llc_misses;
	cell->mispredictions += from->mispredictions;
}

/* The number of the cell that is like @cell, which may be new. */
static int cell_number(struct stack_cells *stacks,
		       const struct stack_cell *cell, uint64_t hash,
		       uint32_t *number)
{
	return keyed_get(&stacks->cell_of_hash, sizeof(*cell), hash, cell,
			 number);
}

/* Adds a cell with its values. */
static int cell_add(struct stack_cells *stacks, const struct stack_cell *cell)
{
	size_t known = stacks->nr_cells;
	uint32_t number;

	if (cell_number(stacks, cell, cell_hash(cell), &number))
		return -ENOMEM;
	if (number < known)
		cell_sum(&stacks->cells[number], cell);
	return 0;
}

static int thread_without_ids(struct stack_cells *stacks, uint32_t *number)
{
	const struct stack_thread thread = {stacks->threads[*number].comm,
					    PMSCOPE_NO_ID, PMSCOPE_NO_ID};

	return thread_number(stacks, &thread, number);
}

/* Makes a cell of a lower level one of the next. */
static int cell_raise(struct stack_cells *stacks, struct stack_cell *cell,
		      unsigned int level)
{
	if (stacks->slice) {
		cell->slice /= 2;
		return 0;
	}
	cell->has &= ~(uint32_t)LATENCIES;
	cell->total = 0;
	cell->issue = 0;
	cell->translate = 0;
	if (level >= STACK_NO_CPUS) {
		cell->has = 0;
		cell->source = 0;
		cell->data = 0;
		cell->midr = 0;
		cell->cpu = PMSCOPE_NO_ID;
	}
	return level < STACK_NO_IDS ? 0
				    : thread_without_ids(stacks, &cell->thread);
}

/* All that depend on the level. */
static int level_raise(struct stack_cells *stacks)
{
	size_t nr = stacks->nr_cells;
	int ret = 0;

	stacks->level++;
	if (stacks->slice)
		stacks->slice *= 2;
	map_fini(&stacks->cell_of_hash.of_key);
	memset(stacks->running, 0, sizeof(stacks->running));
	stacks->nr_cells = 0;
	for (size_t i = 0; i < nr && !ret; i++) {
		struct stack_cell cell = stacks->cells[i];

		ret = cell_raise(stacks, &cell, stacks->level)
			      ?: cell_add(stacks, &cell);
	}
	return ret;
}

static bool is_last_level(const struct stack_cells *stacks)
{
	return stacks->level + 1 >=
	       (stacks->slice ? STACK_DOUBLINGS : STACK_LEVELS);
}

/* Raises the level as long as there are too many cells. */
static int cells_limit(struct stack_cells *stacks)
{
	int ret = 0;

	while (stacks->nr_cells > stacks->most && !is_last_level(stacks) &&
	       !ret)
		ret = level_raise(stacks);
	return ret;
}

static int cell_find(struct export_worker *worker,
		     const struct thread_cache *current, uint32_t *number)
{
	struct stack_cell cell;

	if (cell_make(worker, current, &cell))
		return -ENOMEM;
	return cell_number(worker->state, &cell, cell_hash(&cell), number);
}

int stacks_add(struct export_worker *worker, const struct thread_cache *current)
{
	const struct pmscope_sample *s = &current->sample;
	const struct pmscope_batch *b = s->batch;
	struct stack_cells *stacks = worker->state;
	uint64_t weight = load_weight(&worker->load, s);
	uint64_t events = b->events[s->row];
	struct stack_cell *cell;
	uint32_t number;

	if (cell_find(worker, current, &number))
		return -ENOMEM;
	cell = &stacks->cells[number];
	cell->samples += weight;
	if (b->has[s->row] & PMSCOPE_HAS_TOTAL)
		cell->cycles += weight * b->total[s->row];
	if (events & PMSCOPE_EVENT_BIT(L1D_REFILL))
		cell->l1d_misses += weight;
	if (events & PMSCOPE_EVENT_BIT(LLC_REFILL))
		cell->llc_misses += weight;
	if (events & PMSCOPE_EVENT_BIT(MISPRED))
		cell->mispredictions += weight;
	return stacks->nr_cells <= stacks->most ? 0 : cells_limit(stacks);
}

/* The cell with the numbers and at the level of @stacks. */
static int cell_convert(struct stack_cells *stacks,
			const struct stack_cells *from, const uint32_t *numbers,
			struct stack_cell *cell)
{
	int ret = thread_number(stacks, &from->threads[cell->thread],
				&cell->thread);

	if (cell->place != NO_PLACE)
		cell->place = numbers[cell->place];
	for (unsigned int level = from->level; level < stacks->level && !ret;)
		ret = cell_raise(stacks, cell, ++level);
	return ret;
}

static int cells_join(struct stack_cells *stacks, struct stack_cells *from,
		      const uint32_t *numbers)
{
	int ret = 0;

	while (stacks->level < from->level && !ret)
		ret = level_raise(stacks);
	for (size_t i = 0; i < from->nr_data && !ret; i++)
		ret = keyed_item(&stacks->data_of_key, sizeof(*from->data),
				 from->data[i].key, &from->data[i])
			      ? 0
			      : -ENOMEM;
	for (size_t i = 0; i < from->nr_cells && !ret; i++) {
		struct stack_cell cell = from->cells[i];

		ret = cell_convert(stacks, from, numbers, &cell)
			      ?: cell_add(stacks, &cell)
			      ?: cells_limit(stacks);
	}
	return ret;
}

/* Its memory is free when this ends. */
static int join(struct stack_cells *stacks, struct stack_cells *from)
{
	uint32_t *numbers = calloc(from->places.nr + 1, sizeof(*numbers));
	int ret = numbers ? places_join(&stacks->places, &from->places, numbers)
			  : -ENOMEM;

	map_fini(&from->cell_of_hash.of_key);
	if (!ret)
		ret = cells_join(stacks, from, numbers);
	free(numbers);
	free(from->cells);
	from->cells = NULL;
	return ret;
}

static COMPARISON(compare_threads, struct stack_thread,
		  COMPARE(x->pid, y->pid) ?: COMPARE(x->tid, y->tid)
		  ?: compare_texts(x->comm, y->comm));

/* Leaves out threads without cells. @used gets a flag for each thread. */
static void threads_in_use(struct stack_cells *stacks,
			   struct stack_thread *threads, uint32_t *used)
{
	size_t nr = 0;

	for (size_t i = 0; i < stacks->nr_cells; i++)
		used[stacks->cells[i].thread] = true;
	for (size_t i = 0; i < stacks->nr_threads; i++)
		if (used[i])
			threads[nr++] = stacks->threads[i];
	if (nr)
		qsort(threads, nr, sizeof(*threads), compare_threads);
	for (size_t i = 0; i < stacks->nr_threads; i++)
		if (used[i])
			used[i] = (struct stack_thread *)bsearch(
					  &stacks->threads[i], threads, nr,
					  sizeof(*threads), compare_threads) -
				  threads;
	stacks->nr_threads = nr;
}

static int threads_sort(struct stack_cells *stacks)
{
	size_t nr = stacks->nr_threads;
	struct stack_thread *sorted = malloc(nr * sizeof(*sorted) + 1);
	uint32_t *numbers = calloc(nr + 1, sizeof(*numbers));

	if (!sorted || !numbers) {
		free(sorted);
		free(numbers);
		return -ENOMEM;
	}
	threads_in_use(stacks, sorted, numbers);
	for (size_t i = 0; i < stacks->nr_cells; i++)
		stacks->cells[i].thread = numbers[stacks->cells[i].thread];
	free(stacks->threads);
	free(numbers);
	stacks->threads = sorted;
	return 0;
}

static int places_order(struct stack_cells *stacks)
{
	FREED uint32_t *numbers =
		calloc(stacks->places.nr + 1, sizeof(*numbers));
	int ret = numbers ? places_sort(&stacks->places, numbers) : -ENOMEM;

	for (size_t i = 0; !ret && i < stacks->nr_cells; i++)
		if (stacks->cells[i].place != NO_PLACE)
			stacks->cells[i].place =
				numbers[stacks->cells[i].place];
	return ret;
}

static uint64_t bits_of(const struct stack_cell *cell)
{
	return cell->total | (uint64_t)cell->issue << 16 |
	       (uint64_t)cell->translate << 32 | (uint64_t)cell->source << 48;
}

/* By code, thread, and all else that makes them differ. */
static COMPARISON(compare_cells, struct stack_cell,
		  COMPARE(x->place, y->place) ?: COMPARE(x->thread, y->thread)
		  ?: COMPARE(x->callers, y->callers)
		  ?: COMPARE(x->slice, y->slice)
		  ?: COMPARE(bits_of(x), bits_of(y)) ?: COMPARE(x->has, y->has)
		  ?: COMPARE(x->data, y->data)
		  ?: COMPARE(x->cpu, y->cpu) ?: COMPARE(x->midr, y->midr));

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

	return COMPARE(x->key.major, y->key.major)
		       ?: COMPARE(x->key.minor, y->key.minor)
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
			cell_sum(&sorted[nr - 1], cell);
		} else {
			sorted[nr++] = *cell;
		}
	}
	free(stacks->cells);
	stacks->cells = sorted;
	stacks->cell_of_hash.max = stacks->nr_cells;
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
	map_fini(&stacks->cell_of_hash.of_key);
	if (threads_sort(stacks) || places_order(stacks) ||
	    stack_data_sort(stacks))
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

char *stacks_left_out(const struct stack_cells *stacks)
{
	static const char *const names[STACK_LEVELS] = {
		[STACK_NO_LATENCIES] = "latencies",
		[STACK_NO_CPUS] = "latencies, sources, data and CPUs",
		[STACK_NO_IDS] =
			"latencies, sources, data, CPUs, and process and "
			"thread numbers",
	};
	char *text;
	int n;

	if (!stacks->level)
		return NULL;
	if (stacks->slice)
		n = asprintf(&text,
			     "more than %zu different samples: their times are "
			     "rounded down to %.3f ms",
			     stacks->most, stacks->slice / 1e6);
	else
		n = asprintf(&text,
			     "more than %zu different samples: they have no "
			     "labels of %s; the sums are exact",
			     stacks->most, names[stacks->level]);
	return n < 0 ? NULL : text;
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
