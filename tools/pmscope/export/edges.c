// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/flows.h"
#include "base/io.h"

#define FIRST_ROOM 4096
#define DIGIT_BITS 11
#define DIGITS	   (1 << DIGIT_BITS)
#define NR_DIGITS  6		     /* three of each number */
#define BUFFERS	   ((size_t)1 << 20) /* edges of all runs while merging */
#define BUFFER_MIN 64
#define BUFFER_MAX 4096

static int no_room(int ret)
{
	error("no room in TMPDIR, or /tmp, for branches: %s", strerror(-ret));
	return -EIO;
}

static int short_of_memory(void)
{
	no_memory();
	return -EIO;
}

static uint64_t key_of(const struct edge *edge)
{
	return (uint64_t)edge->from << 32 | edge->to;
}

static unsigned int digit_of(const struct edge *edge, unsigned int digit)
{
	uint32_t number = digit < 3 ? edge->to : edge->from;

	return number >> digit % 3 * DIGIT_BITS & (DIGITS - 1);
}

static void count_digits(const struct edge *items, size_t nr,
			 uint32_t counts[NR_DIGITS][DIGITS])
{
	memset(counts, 0, NR_DIGITS * sizeof(*counts));
	for (size_t i = 0; i < nr; i++)
		for (unsigned int digit = 0; digit < NR_DIGITS; digit++)
			counts[digit][digit_of(&items[i], digit)]++;
}

/* Sorts by one digit; edges with the same one stay in their order. */
static void sort_digit(struct edges *edges, unsigned int digit,
		       uint32_t counts[DIGITS])
{
	struct edge *items = edges->items;
	uint32_t at = 0;

	for (size_t i = 0; i < DIGITS; i++) {
		uint32_t nr = counts[i];

		counts[i] = at;
		at += nr;
	}
	for (size_t i = 0; i < edges->nr; i++)
		edges->spare[counts[digit_of(&items[i], digit)]++] = items[i];
	edges->items = edges->spare;
	edges->spare = items;
}

static void edge_sum(struct edge *edge, const struct edge *from)
{
	edge->samples += from->samples;
	edge->mispredicted += from->mispredicted;
}

/* Sorts what is in memory, and makes equal edges one. */
static void sort(struct edges *edges)
{
	uint32_t counts[NR_DIGITS][DIGITS];
	size_t nr = 0;

	if (!edges->nr)
		return;
	count_digits(edges->items, edges->nr, counts);
	for (unsigned int digit = 0; digit < NR_DIGITS; digit++)
		if (counts[digit][digit_of(edges->items, digit)] < edges->nr)
			sort_digit(edges, digit, counts[digit]);
	for (size_t i = 1; i < edges->nr; i++)
		if (key_of(&edges->items[nr]) == key_of(&edges->items[i]))
			edge_sum(&edges->items[nr], &edges->items[i]);
		else
			edges->items[++nr] = edges->items[i];
	edges->nr = nr + 1;
}

static int grow(struct edges *edges)
{
	size_t room = edges->room ? 2 * edges->room : FIRST_ROOM;
	struct edge *items;

	room = MIN(room, edges->most);
	free(edges->spare);
	edges->spare = malloc(room * sizeof(*edges->spare));
	items = realloc(edges->items, room * sizeof(*items));
	if (items)
		edges->items = items;
	if (!items || !edges->spare)
		return short_of_memory();
	edges->room = room;
	return 0;
}

static int run_write(struct edges *edges, const struct edge_run *run)
{
	off_t at = (off_t)(run->first * sizeof(*edges->items));
	int ret = lseek(edges->file, at, SEEK_SET) < 0 ? -errno : 0;

	if (!ret)
		ret = io_write(edges->file, edges->items,
			       run->nr * sizeof(*edges->items));
	return ret ? no_room(ret) : 0;
}

/* Puts what is in memory, which is sorted, into the file. */
static int spill(struct edges *edges)
{
	struct edge_run run = {edges->in_file, edges->nr};

	if (array_room(edges->runs, edges->nr_runs, edges->max_runs))
		return short_of_memory();
	if (!edges->nr_runs) {
		edges->file = io_temporary();
		if (edges->file < 0)
			return no_room(edges->file);
	}
	edges->runs[edges->nr_runs++] = run;
	edges->in_file += run.nr;
	edges->nr = 0;
	return run_write(edges, &run);
}

int edges_make_room(struct edges *edges)
{
	sort(edges);
	if (edges->nr && edges->nr <= edges->room / 2)
		return 0;
	return edges->room < edges->most ? grow(edges) : spill(edges);
}

static int edges_read(int file, struct edge *items, uint64_t first, size_t nr)
{
	size_t size = nr * sizeof(*items);
	ssize_t n = io_read_at(file, items, size, first * sizeof(*items));

	if (n == (ssize_t)size)
		return 0;
	return no_room(n < 0 ? n : -EIO);
}

static void renumber(struct edges *edges, const uint32_t *numbers)
{
	for (size_t i = 0; i < edges->nr; i++) {
		edges->items[i].from = numbers[edges->items[i].from];
		edges->items[i].to = numbers[edges->items[i].to];
	}
	sort(edges);
}

/* What was one run stays one, and does not become longer. */
static int run_order(struct edges *edges, struct edge_run *run,
		     const uint32_t *numbers)
{
	if (edges_read(edges->file, edges->items, run->first, run->nr))
		return -EIO;
	edges->nr = run->nr;
	renumber(edges, numbers);
	run->nr = edges->nr;
	edges->nr = 0;
	return run_write(edges, run);
}

int edges_order(struct edges *edges, const uint32_t *numbers)
{
	int ret = 0;

	if (!edges->nr_runs) {
		renumber(edges, numbers);
		return 0;
	}
	sort(edges);
	if (edges->nr)
		ret = spill(edges);
	for (size_t i = 0; i < edges->nr_runs && !ret; i++)
		ret = run_order(edges, &edges->runs[i], numbers);
	return ret;
}

/* A run while it is merged: @items are the next, then @left in the file. */
struct cursor {
	const struct edge *items;
	size_t nr;
	struct edge *buffer; /* NULL: all are in memory */
	int file;
	uint64_t first;
	size_t left;
};

/* @first: cursors with edges left, by the least edge of each */
struct merge {
	struct cursor *cursors;
	size_t nr;
	struct tournament first;
	struct edge *buffers;
	size_t buffer; /* edges of each */
};

static int cursor_fill(const struct merge *merge, struct cursor *cursor)
{
	size_t nr = MIN(cursor->left, merge->buffer);

	if (cursor->nr || !nr)
		return 0;
	if (edges_read(cursor->file, cursor->buffer, cursor->first, nr))
		return -EIO;
	cursor->items = cursor->buffer;
	cursor->nr = nr;
	cursor->first += nr;
	cursor->left -= nr;
	return 0;
}

static int cursor_enter(struct merge *merge, size_t number)
{
	struct cursor *cursor = &merge->cursors[number];

	if (cursor_fill(merge, cursor))
		return -EIO;
	if (cursor->nr)
		tournament_enter(&merge->first, number, key_of(cursor->items));
	else
		tournament_leave(&merge->first, number);
	return 0;
}

static int cursors_enter(struct merge *merge)
{
	int ret = 0;

	for (size_t i = 0; i < merge->nr && !ret; i++)
		ret = cursor_enter(merge, i);
	return ret;
}

/* The least edge that is left. */
static int merge_next(struct merge *merge, struct edge *edge)
{
	size_t number = tournament_first(&merge->first).number;
	struct cursor *cursor = &merge->cursors[number];

	*edge = *cursor->items++;
	cursor->nr--;
	return cursor_enter(merge, number);
}

static bool next_is(const struct merge *merge, const struct edge *edge)
{
	return !tournament_is_over(&merge->first) &&
	       tournament_first(&merge->first).key == key_of(edge);
}

static int take_all(struct merge *merge,
		    int (*take)(void *context, const struct edge *edge),
		    void *context)
{
	int ret = 0;

	while (!tournament_is_over(&merge->first) && !ret) {
		struct edge edge, same;

		ret = merge_next(merge, &edge);
		while (!ret && next_is(merge, &edge)) {
			ret = merge_next(merge, &same);
			edge_sum(&edge, &same);
		}
		ret = ret ?: take(context, &edge);
	}
	return ret;
}

static size_t count_runs(const struct edges *const *sets, size_t nr)
{
	size_t runs = 0;

	for (size_t i = 0; i < nr; i++)
		runs += sets[i]->nr_runs;
	return runs;
}

static void cursors_make(struct merge *merge, const struct edges *const *sets,
			 size_t nr)
{
	struct edge *buffer = merge->buffers;

	for (size_t i = 0; i < nr; i++) {
		const struct edges *edges = sets[i];

		merge->cursors[merge->nr++] =
			(struct cursor){.items = edges->items, .nr = edges->nr};
		for (size_t j = 0; j < edges->nr_runs; j++) {
			merge->cursors[merge->nr++] = (struct cursor){
				.buffer = buffer,
				.file = edges->file,
				.first = edges->runs[j].first,
				.left = edges->runs[j].nr,
			};
			buffer += merge->buffer;
		}
	}
}

int edges_merge(const struct edges *const *sets, size_t nr,
		int (*take)(void *context, const struct edge *edge),
		void *context)
{
	size_t runs = count_runs(sets, nr);
	struct merge merge = {.buffer = runs ? BUFFERS / runs : BUFFER_MAX};
	int ret;

	merge.buffer = MIN(merge.buffer, BUFFER_MAX);
	merge.buffer = MAX(merge.buffer, BUFFER_MIN);
	merge.cursors = calloc(nr + runs, sizeof(*merge.cursors));
	merge.buffers = malloc(runs * merge.buffer * sizeof(struct edge) + 1);
	if (tournament_init(&merge.first, nr + runs) && merge.cursors &&
	    merge.buffers) {
		cursors_make(&merge, sets, nr);
		ret = cursors_enter(&merge) ?: take_all(&merge, take, context);
	} else {
		ret = short_of_memory();
	}
	free(merge.cursors);
	tournament_fini(&merge.first);
	free(merge.buffers);
	return ret;
}

void edges_fini(struct edges *edges)
{
	if (edges->nr_runs)
		close(edges->file);
	free(edges->items);
	free(edges->spare);
	free(edges->runs);
}
