/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <pmscope/recording.h>

#include "base/containers.h"
#include "print/print.h"
#include "print/table.h"
#include "read/caches.h"
#include "rows/cachelines.h"
#include "rows/histogram.h"
#include "rows/rows.h"

/*
 * What is around the numbers of a page: one file that needs no other, with its
 * style and script, which are all that its policy lets a browser run.
 */
enum html_shell {
	HTML_REPORT,
	HTML_DIFF
};

/*
 * Writes the page to @out; @model writes its numbers, as JSON for a <script>,
 * and returns 0 or -ENOMEM, as this does.
 */
int html_shell_write(enum html_shell shell,
		     int (*model)(void *context, FILE *out), void *context,
		     FILE *out);

/*
 * Counts samples by place of code, kind, time and latency at once, so that the
 * page can sum over any region of time and latency.
 *
 * Memory is bounded, and the cells that are in use fit in a cache: when there
 * are too many, slices of time become longer, and the places with the fewest
 * samples are counted together, by function and thread name, or all together. A
 * place that has many samples later gets cells of its own from then on.
 */

/*
 * A table of samples by place, kind, slice of time and class of latency. Slices
 * become longer when the time does not fit.
 */

#define CUBE_SLICES	 128
#define CUBE_SLICES_MIN	 16
#define CUBE_FIRST_WIDTH 1000 /* ns */
#define CUBE_UNTIMED	 255  /* the slice of samples without a time */

/* Classes of latency: two for a power of two, and one without a latency. */
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

/* See cells_begin(). @first, @last: slices with samples, in @width. */
struct cells {
	struct cube_cell *all; /* the table */
	/*
	 * cells that are not in it yet. Samples that are near in time are in
	 * few cells, which the CPU's caches hold
	 */
	struct cube_cell *newest;
	size_t nr;	 /* cells in use */
	size_t capacity; /* a power of two */
	bool begun;	 /* some sample has a time */
	uint64_t width;	 /* of a slice, in ns */
	uint64_t first;
	uint64_t last;
	uint64_t now; /* the time at which the slice @now_slice begins */
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

/*
 * An instruction, as executed by threads of one name. @name, @dso: its function
 * and file, or NULL. @samples, @timed, @latency, @own: sums of its cells, after
 * cube_sum(); @timed have a total latency.
 */
struct cube_place {
	uint64_t hash;	 /* of all that distinguishes it */
	uint32_t parent; /* the rest of its function, or CUBE_OTHER_PLACE */
	bool kept;	 /* has own cells; else those of @parent serve */
	bool has_pc;
	bool whole; /* several instructions: the rest of a function */
	const char *name;
	const char *dso;
	const char *comm;    /* name of the threads, or NULL */
	const char *callers; /* see stacks_text(); NULL: not known */
	uint64_t pc;	     /* of the first sample, if @has_pc, as the next */
	uint64_t offset;     /* of @pc in the function */
	uint8_t build_id[20];
	struct pmscope_place place;
	uint64_t samples;
	uint64_t timed;
	uint64_t latency;
	uint64_t own;
};

/* Starts as zeros, see cube_begin() */
struct cube {
	struct row_kinds *kinds;
	KEYED(struct cube_place, places, nr_places, place_of_hash);
	struct cube_use *uses;	      /* of each place */
	struct code_numbers *numbers; /* of places, and 1 */
	struct thread_cache *currents;
	struct symbol_cache *codes;
	struct cells cells;
	size_t limit; /* of the number of cells, before something is reduced */
	uint64_t untimed;
	uint64_t samples;
	bool reduced;	/* some places have no cells of their own */
	size_t nr_kept; /* places that have */
	size_t keep;	/* instructions, and rests, that keep theirs */
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

/* @number: a new one for each old place, below @nr_places. 0 or -ENOMEM. */
int cube_renumber(struct cube *cube, const uint32_t *number);

/*
 * pmscope report --format=html: one page that needs no other file and no
 * network. The numbers are in it as JSON (model.c); page.js draws them.
 */

/*
 * When lines of memory were used: samples by use, kind of access, time and
 * latency.
 *
 * Memory is bounded: when there are too many cells, uses with few samples have
 * none. A use that has many samples later gets cells from then on.
 */

#define MOMENTS_MAX_CELLS (1U << 16)

/**
 * struct moments
 * @cells: their place is the index of the use, their kind what the samples did
 * @least: samples that a use needs to have cells
 * @of_use: the cells in the order of uses, after moments_sort()
 */
struct moments {
	struct cells cells;
	uint32_t least;
	const struct cube_cell **of_use;
};

/* Returns 0 or -ENOMEM, as all below do. End with moments_fini() anyway. */
int moments_begin(struct moments *moments);
void moments_fini(struct moments *moments);

/* For struct lines_config; @moments is the context. */
int moments_count(void *moments, const struct cache_lines *all, uint32_t use,
		  unsigned int access, const struct view *view);

/* The same, for its @forgot. */
int moments_renumber(void *moments, const uint32_t *numbers);

/* Call after the last sample and change of cells. */
int moments_sort(struct moments *moments);
const struct cube_cell **moments_of(const struct moments *moments, uint32_t use,
				    size_t *nr);

/*
 * Counts of events over time, in slices like those of the cube. What was
 * counted between two readings is shared among the slices between them.
 */

#define COUNTS_EVENTS 16

/* After the events, cycles and instructions of groups that count both. */
#define COUNTS_CYCLES	    COUNTS_EVENTS
#define COUNTS_INSTRUCTIONS (COUNTS_EVENTS + 1)
#define COUNTS_ALL	    (COUNTS_EVENTS + 2)

/* Starts as zeros but for @width. */
struct counts {
	bool begun;
	uint64_t width; /* ns */
	uint64_t first; /* slice, as a multiple of @width */
	uint64_t last;
	double slices[CUBE_SLICES][COUNTS_ALL];
	double scaled[CUBE_SLICES][COUNTS_ALL]; /* by each counter alone */
};

/* For struct row_also. */
void counts_add(void *counting, const struct counted *counted);
void counts_add_pair(void *context, const struct pmscope_run *run,
		     const struct counted_pair *pair);

/* Makes slices twice as long. */
void counts_coarsen(struct counts *counts);

/* Call after counters_settle(): the counts are then in @slices. */
void counts_settle(struct counts *counts, const struct counters *all);

/* Functions in the page: the first ones, and others with much latency. */
#define HTML_FUNCTIONS	   200
#define HTML_MAX_FUNCTIONS 400

/* Places and cells in the page. */
#define HTML_PLACES 1000
#define HTML_RESTS  300
#define HTML_CELLS  80000

/* Callers of a function in the page: the innermost ones. */
#define HTML_CALLERS 32

/* Functions whose code is in the page, and instructions: of each, of all. */
#define HTML_CODE_FUNCTIONS 20
#define HTML_CODE_INSNS	    500
#define HTML_CODE_ALL_INSNS 2500

/* Objects of data in the page. */
#define HTML_OBJECTS 100

/* Lines of memory in the page. */
#define HTML_LINES     30
#define HTML_LINE_SIZE 64

/* Uses of lines in memory: hash tables of them are half full. */
#define HTML_LINE_USES 130000

/* Cells of lines in the page. */
#define HTML_LINE_CELLS 20000

struct html {
	struct load *load;
	struct row_table *table;
	struct row_table code; /* by instruction; @table is rolled up from it */
	struct cube cube;
	struct load load_of_cube;
	struct load load_of_objects;
	struct row_table objects; /* by object and member, rolled up from: */
	struct row_table used;	  /* the same by source and thread */
	struct counts counts;
	uint32_t *functions; /* indices of rows */
	size_t nr_functions;
	struct map function_of_names;
	struct cache_lines lines;
	struct moments moments; /* of the lines' uses */
	const char *filter;	/* as the user wrote it, or NULL */
};

/* Reads @load, writes the page to @out. Returns 0, or -errno after error(). */
int html_write(struct load *load, struct row_table *table, const char *filter,
	       FILE *out);

/* choice.c: leaves as many functions, places and cells as a page can have. */
int html_choose(struct html *html);

/* The number of a function in the page by its names, or -1. */
int html_function_of(struct html *html, const struct cube_place *place);

/*
 * objects.c: what is at data addresses. All return 0 or -ENOMEM; the first is
 * called before the samples are read, the next one once they are.
 */
int html_objects_begin(struct html *html);
int html_objects_finish(struct html *html);
int html_put_objects(struct json *json, const struct html *html);

/* The same of any row of report: its columns, as members. */
int html_put_row(struct json *json, const struct table *columns,
		 const struct row_table *table, const struct row *row,
		 const struct row_totals *totals);

/* memory_lines.c: returns 0 or -ENOMEM. */
int html_put_lines(struct json *json, struct html *html);

/* Names have numbers, because many places share them. Starts as zeros. */
struct html_names {
	struct strings strings;
	struct strings stacks; /* of names, which have numbers, too */
	int failed;
};

/*
 * names.c: writes the number of @name, which may be NULL: then nothing; of the
 * callers of @place; and at the end what has numbers
 */
void html_put_name(struct json *json, const char *key, struct html_names *names,
		   const char *name);
void html_put_callers(struct json *json, const struct html *html,
		      struct html_names *names, const struct cube_place *place);
void html_put_stacks(struct json *json, const struct html *html,
		     struct html_names *names);
void html_put_names(struct json *json, const struct html_names *names);

/* code.c: returns 0 or -ENOMEM. */
int html_put_code(struct json *json, struct html *html,
		  struct html_names *names);

/*
 * choice.c: what places and instructions are chosen by, their share of samples
 * or of time or own cycles (@share), whichever is more.
 */
double html_rank(const struct html *html, uint64_t samples, double share);

/* The slices of samples and of counts together. */
uint64_t html_first_slice(const struct html *html);
size_t html_nr_slices(const struct html *html);

/* The slice, which is the page's, and class of a cell, as one number. */
unsigned int html_position(const struct html *html, const struct cells *cells,
			   const struct cube_cell *cell);

/* model.c: the numbers of the page, as JSON. Returns 0 or -ENOMEM. */
int html_model(void *html, FILE *out);
