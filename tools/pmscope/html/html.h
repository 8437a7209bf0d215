/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmscope report --format=html: one page that needs no other file and no
 * network. The numbers are in it as JSON (model.c); page.js draws them.
 */
#pragma once

#include "html/cube.h"
#include "print/json.h"
#include "rows/cachelines.h"
#include "rows/rows.h"

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

/* The cells of a use, and how many. */
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
	struct counts counts;
	uint32_t *functions; /* indices of rows */
	size_t nr_functions;
	struct map function_of_names;
	struct cache_lines lines;
	struct moments moments; /* of the lines' uses */
	const char *filter;	/* as the user wrote it, or NULL */
};

/* Reads @load and writes the page to @out. Returns 0, or -errno after error().
 */
int html_write(struct load *load, struct row_table *table, const char *filter,
	       FILE *out);

/* choice.c: leaves as many functions, places and cells as a page can have. */
int html_choose(struct html *html);

/* The number of a function in the page by its names, or -1. */
int html_function_of(struct html *html, const struct cube_place *place);

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

/*
 * The slice and class of a cell of @cells, whose slices are those of
 * the page, as one number.
 */
unsigned int html_position(const struct html *html, const struct cells *cells,
			   const struct cube_cell *cell);

/* model.c: the numbers of the page, as JSON. Returns 0 or -ENOMEM. */
int html_model(void *html, FILE *out);
