/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/names.h"
#include "causes.h"
#include "counters.h"
#include "fields/fields.h"
#include "read/load.h"

/*
 * Rows by instruction: where the functions are that have them, so that code and
 * source lines can be looked up after the pass over the samples.
 */
struct load;
struct row;
struct row_table;
struct view;

/* The keys of such a table; two functions of one name have unlike starts. */
enum {
	INSTRUCTION_SYM,
	INSTRUCTION_DSO,
	INSTRUCTION_START, /* of the function, in its file */
	INSTRUCTION_OFFSET,
	INSTRUCTION_KEYS
};

struct row_place {
	/* of its first byte, for the first sample */
	struct pmscope_place place;
	uint8_t build_id[BUILD_ID_MAX]; /* that of @place */
	uint64_t address;		/* of its first byte, as recorded */
	uint64_t size;			/* how far its symbol extends */
};

/* Initialize to zeros. */
struct row_places {
	KEYED(struct row_place, all, nr, of_function);
};

/* Gives an empty table the keys above, and all latencies. */
void row_table_by_instruction(struct row_table *table);

/* Sets where the function is that @view shows. */
void row_place_set(struct row_place *place, const struct view *view,
		   const struct load *load);

/*
 * Keeps where the function of @row is, as @view shows it. Returns 0 or -ENOMEM.
 */
int row_places_add(struct row_table *table, const struct row *row,
		   const struct view *view, const struct load *load);

/* Adds the place of @other, a row of @from like @row. Returns 0 or -ENOMEM. */
int row_places_join(struct row_table *table, const struct row *row,
		    const struct row_table *from, const struct row *other);

/* An instruction whose operations took long */
struct slow_code {
	uint32_t row;	 /* number of its row */
	uint32_t cause;	 /* for which */
	uint64_t at;	 /* where it is in its file */
	uint64_t offset; /* where it is in its function */
	uint64_t cycles; /* over SLOW_CYCLES each; of mispredictions */
};

#define SLOW_CODES_MAX (1U << 18)

/* Those of all rows, and a place for each of these. Initialize to zeros. */
struct slow_codes {
	KEYED(struct slow_code, all, nr, of_code);
	KEYED(struct row_place, places, nr_places, of_row);
	bool left_out; /* there are more */
};

/* Adds the cycles of @code if it is there already. */
bool slow_codes_count(struct slow_codes *codes, const struct slow_code *code);

/* The same, or adds it with its function's place. 0 or -ENOMEM, as the next. */
int slow_codes_add(struct slow_codes *codes, const struct slow_code *code,
		   const struct row_place *place);

/* Adds the waits of @row, an instruction of @from, to row number @number. */
int slow_codes_roll_up(struct slow_codes *codes, uint32_t number,
		       const struct row_table *from, const struct row *row);
void slow_codes_fini(struct slow_codes *codes);

/* Sets @place. Returns false if the row has no known function. */
bool row_place_of(const struct row_table *table, const struct row *row,
		  struct row_place *place);
void row_places_fini(struct row_places *places);

/*
 * The rows of report, annotate, diff and other views: the samples of a
 * recording that have the same values for some keys, with exact latencies,
 * their events and data sources; and the counters of the recording.
 */

/*
 * Counts per event and data source for the samples of one row. This is far
 * larger than a row, which counts by kinds (kinds.h), so it is built for
 * one row at a time, for printing.
 */

/* Samples with the same Data Source. */
struct row_source {
	const char *name; /* NULL: the code has none */
	uint16_t code;
	uint64_t samples;
};

/* Zeros mean no samples. */
struct row_parts {
	uint64_t samples;
	uint64_t sourced; /* that have a Data Source */
	uint64_t events[64];
	struct row_source *sources;
	size_t nr_sources;
	size_t max_sources;
	struct map source_of_name; /* where there are many */
};

int row_parts_add(struct row_parts *parts, const struct row_kind *kind,
		  uint64_t samples);

/* Adds all of @from, whose sources are not in order yet. 0 or -ENOMEM. */
int row_parts_join(struct row_parts *parts, const struct row_parts *from);

/* After the last sample: sorts sources by frequency, merges the rare ones. */
void row_parts_finish(struct row_parts *parts);

/* After that: codes of one name, on CPUs of different families, are one. */
void row_parts_by_name(struct row_parts *parts);

/* Forgets all, and keeps no memory. */
void row_parts_fini(struct row_parts *parts);

#define MAX_KEYS 8

/* So many rows are in memory, and one for samples of others: see ROW_OTHERS. */
#define ROWS_MAX   (1U << 19)
#define ROW_OTHERS "[others]" /* the text of its keys; it has no numbers */

/* What samples stand for, if the interval changed */
struct row_weight {
	uint64_t operations;	    /* how many */
	unsigned __int128 cycles;   /* of their total latencies */
	unsigned __int128 own;	    /* of those from issue to completion */
	unsigned __int128 variance; /* of @operations, each sampled or not */
};

/**
 * struct row_gaps - time, where no clock was sampled: that between two samples
 *		     of one thread in a row, while it ran
 * @ns: twice the time, as each gap counts for the rows of both its ends
 * @between: of these, gaps whose other end is in another row. What there is of
 *	     a row's own in them is not known
 */
struct row_gaps {
	uint64_t ns;
	uint64_t between;
};

/* A row with most of its time so is not known; nor any, if more of all is. */
#define GAPS_UNSURE 0.05

static inline void row_gaps_join(struct row_gaps *to,
				 const struct row_gaps *from)
{
	to->ns += from->ns;
	to->between += from->between;
}

/* The first of these are all that most samples touch. */
struct row {
	struct histogram kinds; /* of their numbers */
	struct histogram cpus;	/* where counts tell what each CPU sampled */
	struct histogram total;
	struct histogram issue;
	struct histogram translate;

	struct row_waits *waits;     /* NULL: no samples */
	uint64_t own;		     /* cycles; set at the end */
	uint64_t values[MAX_KEYS];   /* numbers of strings, or numbers */
	uint32_t number;	     /* before rows were sorted */
	struct row_data *data;	     /* see row_data_add(); NULL: none */
	uint64_t samples;	     /* set at the end */
	uint64_t ticks;		     /* samples of a clock */
	struct row_gaps gaps;	     /* see row_table.with_gaps */
	struct row_parts *uncounted; /* of kinds without one, or NULL */
	struct row_weight weight;    /* see row_table.varies */
};

/* What samples of a row load and store, and its cost. */
struct row_used {
	uint64_t key;	    /* a hash of what it is */
	const char *object; /* NULL: not known */
	int length;	    /* of the object's name */
	const char *member; /* NULL: it has the name of the object */
	uint64_t samples;
	uint64_t own; /* cycles */
};

/* So much of a row; then more of an object is added to some of it, or to: */
#define ROW_DATA_MAX 64

struct row_data {
	struct row_used *all;
	size_t nr;
	struct row_used others;
};

/* Both return 0 or -ENOMEM; @other has something. */
int row_data_add(struct row *row, const struct row_used *used);
int row_data_join(struct row *row, const struct row_data *other);

/* The object that costs most, and its member that does. */
struct row_costliest {
	const struct row_used *used; /* NULL: no samples have data */
	double share;	 /* of the object, of own cycles, or of samples */
	bool has_others; /* other data is used, too */
};

struct row_costliest row_data_costliest(const struct row *row);

/* Own latencies: from issue to completion */
struct row_own {
	uint64_t count;	  /* samples with both latencies */
	uint64_t sum;	  /* of their cycles */
	uint64_t squares; /* of these */
};

static inline void row_own_add(struct row_own *own, uint16_t total,
			       uint16_t issue)
{
	uint64_t cycles = total > issue ? total - issue : 0;

	own->count++;
	own->sum += cycles;
	own->squares += cycles * cycles;
}

/* A sample at which a gap begins. */
struct gap_end {
	bool known;
	uint32_t row;
	uint64_t thread;
	uint64_t time;
};

struct row_memo;

struct row_table {
	const struct field *keys[MAX_KEYS];
	size_t nr_keys;
	unsigned int deps;  /* of all keys */
	bool all_latencies; /* not only the total is asked for */
	bool only_samples;  /* and what they stand for; nothing else is */
	bool by_latency;    /* shares are of cycles, not of samples */
	bool by_cost;	    /* of own cycles: from issue to completion; not if
			     * no sample has any */
	bool by_time; /* of samples of a clock, or of gaps; not if there are
			 fewer than: */
	uint64_t ticks_least;
	bool by_gaps;	/* then set, if it is by these */
	bool has_clock; /* set by row_table_read() */
	bool with_gaps; /* the same: without a clock, gaps are measured */
	bool with_histogram;
	bool with_totals;  /* counts of what SPE sampled are available */
	bool varies;	   /* samples stand for different numbers */
	bool with_places;  /* see row_table_by_instruction() */
	bool with_members; /* and data that instructions use */
	bool with_slow;	   /* instructions that take long are kept */
	struct row_memo *memos;
	struct slow_start *slow_starts;
	struct code_numbers *numbers; /* rows, where instructions have one */
	struct thread_cache *currents;
	struct symbol_cache *codes;
	struct row_kinds *kinds;
	struct data_symbols *variables; /* where data is asked for */

	KEYED(struct row, rows, nr_rows, row_of_hash);
	size_t nr_numbers; /* of rows, also of those without samples */
	size_t others;	   /* the row ROW_OTHERS, plus 1; 0: there is none */
	uint64_t left_out; /* samples in it; set at the end */
	struct row_places places;
	struct slow_codes slow;
	struct strings strings;
	uint64_t samples;
	struct row_weight weight; /* of all rows */
	uint64_t sourced;
	struct histogram total; /* of all rows */
	struct row_own own;	/* of all rows, if all_latencies */
	uint64_t own_cycles;	/* of all rows; set at the end */
	uint64_t ticks;		/* of all rows; set at the end */
	struct row_gaps gaps;	/* the same */
	uint64_t gaps_unsure;	/* ns of these, in rows where it is not known */
	uint64_t nr_gap_ends;	/* that count for a row */
	struct gap_end gap;	/* where the next may begin */
	KEYED(struct gap_end, last_ends, nr_last_ends, gap_of_area);
	struct row_needs *needs;
	struct histogram cpus; /* also of samples that a filter keeps out */
	uint64_t midr;	       /* for the names of events */

	const struct pmscope_perfdata *perfdata;
	struct counters counters;
	uint64_t groups;
	uint64_t snapshots; /* groups with counters of pmu_snapshot */
};

/* The keys of --sort. Returns 0, or -EINVAL after error(). */
int row_table_keys(struct row_table *table, const char *command,
		   const char *list);

/* What shares and the order of rows are based on, as --weight names it. */
enum {
	ROWS_UNASKED = -1, /* time, if that is known well enough, else cost */
	ROWS_BY_SAMPLES,
	ROWS_BY_LATENCY,
	ROWS_BY_COST,
	ROWS_BY_TIME,
	NR_WEIGHTS
};
extern const char *const row_weights[NR_WEIGHTS + 1];

/* Chooses this for @table, and what is read for it. Before load_open(). */
void row_table_weigh(struct row_table *table, int weight,
		     struct load_config *config);

/* Adds samples of a run, mostly by a look at few columns. 0 or -ENOMEM. */
int row_table_add_run(struct row_table *table, struct load *load,
		      const struct pmscope_run *run);

/*
 * Adds the gap before a run, in the order of runs. The table is another one
 * than that of row_table_add_run(). Returns 0 or -ENOMEM.
 */
int row_table_link_run(struct row_table *table, struct load *load,
		       const struct pmscope_run *run);

/* The row of a sample; NULL when memory is short. */
struct row *row_of(struct row_table *table, const struct view *view);
uint64_t row_hash(const uint64_t *values, size_t nr);

/* Counts @samples of the kind with row_kind_number(). 0 or -ENOMEM. */
int row_add_kind(struct row *row, const struct row_kind *kind,
		 unsigned int number, uint64_t samples);

/* Makes @table an empty one with the same keys; see row_table_join(). */
void row_table_like(struct row_table *table, const struct row_table *like);

/* Adds all of @from, which is to be freed then. 0 or -ENOMEM. */
int row_table_join(struct row_table *table, struct row_table *from);

/*
 * Fills @table, which has no rows and the first keys of @from, with all that
 * @from, a finished table, has but its counters; then finishes it. Returns 0 or
 * -ENOMEM.
 */
int row_table_roll_up(struct row_table *table, const struct row_table *from);

/* After the last sample: sums up, sorts by size. 0 or -ENOMEM. */
int row_table_finish(struct row_table *table);
void row_table_fini(struct row_table *table);

/*
 * After that: fills @sum, which starts as zeros, with the samples of all rows.
 * It has no values of keys. To be freed with row_fini(). Returns 0 or -ENOMEM.
 */
int row_table_sum(const struct row_table *table, struct row *sum);
void row_fini(struct row *row);

/* The mean of @timed latencies; 0 of none. */
static inline double mean_latency(uint64_t sum, uint64_t timed)
{
	return timed ? (double)sum / timed : 0;
}

/* The context of struct row_also's @count */
struct row_counting {
	void *context;		       /* of struct row_also */
	const struct pmscope_run *run; /* has the group of counters */
};

/*
 * What else is counted in the same pass over a recording. @context: what @add
 * and @pair get, and @count in its struct. One thread at a time calls each.
 */
struct row_also {
	/* adds the samples of a run; 0 or -ENOMEM. Runs come in order */
	int (*add)(void *context, const struct pmscope_run *run);
	/* adds what a counter counted, with a struct row_counting */
	void (*count)(void *counting, const struct counted *counted);
	/* adds the cycles and instructions of a group */
	void (*pair)(void *context, const struct pmscope_run *run,
		     const struct counted_pair *pair);
	void *context;
};

/*
 * Reads all samples and groups of counters of @load with its worker threads,
 * then sorts the rows (row_table_finish()). @table has its keys, and starts as
 * zeros otherwise. Returns 0, or a negative errno after error().
 */
int row_table_read(struct row_table *table, struct load *load);

/* The same, and in the same pass @also, which may be NULL. */
int row_table_read_also(struct row_table *table, struct load *load,
			const struct row_also *also);

/*
 * Fills @parts, which starts as zeros, with the events and sources of a row. To
 * be ended with row_parts_finish(), and row_parts_fini(). Returns 0 or -ENOMEM.
 */
int row_parts_of(const struct row_table *table, const struct row *row,
		 struct row_parts *parts);

/* From samples to operations */
struct row_scale {
	double each;	/* operations for one sample; 0 when not counted */
	double sampled; /* the share of operations that was sampled, 0 to 1 */
	uint64_t lost;	/* records that are not among the samples */
};

/* How many operations the samples stand for */
struct row_totals {
	bool by_interval;     /* by their intervals, which changed */
	uint64_t population;  /* that could be sampled; 0: not counted */
	struct row_scale all; /* of all CPUs together */
	/* by number, since they lose differently; NULL: not known */
	struct row_scale *of_cpu;
};

/* totals.c. Does the recording have such counts? Raw traces (NULL) do not. */
bool row_table_has_totals(const struct pmscope_perfdata *reader);

/*
 * @samples: all of the recording, also those filtered out. To be ended with
 * row_totals_fini(). Returns 0 or -ENOMEM.
 */
int row_table_totals(const struct row_table *table, uint64_t samples,
		     struct row_totals *totals);
void row_totals_fini(struct row_totals *totals);

/* For a normal distribution, 95 % lie within this many standard deviations. */
#define DEVIATIONS 1.96

/* What the samples of a row stand for */
struct row_operations {
	double count; /* how many operations, and */
	double error; /* half the width of the 95 % range */
};

struct row_operations row_operations(const struct row_totals *totals,
				     const struct row *row);

/* What a row has of what shares are of, where no interval changed. */
static inline uint64_t row_plain_weight(const struct row_table *table,
					const struct row *row)
{
	if (table->by_time)
		return table->by_gaps ? row->gaps.ns : row->ticks;
	if (table->by_cost)
		return row->own;
	return table->by_latency ? row->total.sum : row->samples;
}

/* Share of the total, 0 to 1: of samples, or of the cycles of latencies. */
double row_share(const struct row_table *table, const struct row *row);

/* Share of all operations, whatever rows are ordered by. */
double row_share_of_operations(const struct row_table *table,
			       const struct row *row);

/* A row's value for key @i; numbers are printed into @buf. */
const char *row_value(const struct row_table *table, const struct row *row,
		      size_t i, char *buf, size_t size);
