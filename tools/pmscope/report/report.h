/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of pmscope report. */
#ifndef PMSCOPE_REPORT_REPORT_H
#define PMSCOPE_REPORT_REPORT_H

#include "fields/fields.h"
#include "read/sample_key.h"
#include "read/load.h"
#include "report/counters.h"
#include "report/histogram.h"
#include "report/kinds.h"
#include "report/parts.h"

#include "base/map.h"
#include "base/strings.h"

#define MAX_KEYS 8

/* The first of these are all that most samples touch. */
struct report_row {
	struct histogram kinds; /* of their numbers */
	struct histogram cpus;	/* where counts tell what each CPU sampled */
	struct histogram total;
	struct histogram issue;
	struct histogram translate;

	uint64_t values[MAX_KEYS];	/* numbers of strings, or numbers */
	uint64_t samples;		/* set at the end */
	struct report_parts *uncounted; /* of kinds without one, or NULL */
};

struct report_memo;

struct report {
	const struct field *keys[MAX_KEYS];
	size_t nr_keys;
	unsigned int deps;  /* of all keys */
	bool all_latencies; /* not only the total is asked for */
	bool by_latency;    /* shares are of cycles, not of samples */
	bool with_histogram;
	bool with_totals; /* counts of what SPE sampled are available */
	struct report_memo *memos;
	struct thread_cache *currents;
	struct symbol_cache *codes;
	struct report_kinds *kinds;
	struct data_symbols *variables; /* where data is asked for */

	struct report_row *rows;
	size_t nr_rows;
	size_t max_rows;
	struct map row_of_hash;
	struct strings strings;
	uint64_t samples;
	uint64_t sourced;
	struct histogram total; /* of all rows */
	struct histogram cpus;	/* also of samples that a filter keeps out */
	uint64_t midr;		/* for the names of events */

	const struct pmscope_perfdata *perfdata;
	struct counters counters;
	uint64_t groups;
	uint64_t snapshots; /* groups with counters of pmu_snapshot */
};

/*
 * report_runs.c: adds all samples of a run, by far most of them without a
 * look at anything but a few columns. Returns 0 or -ENOMEM.
 */
int report_add_run(struct report *report, struct load *load,
		   const struct pmscope_run *run);

/* report_rows.c. The row of a sample; NULL when memory is short. */
struct report_row *report_row_of(struct report *report,
				 const struct view *view);

/*
 * Counts @samples of the kind with @number, see report_kind_number(). Returns 0
 * or -ENOMEM.
 */
int report_row_count(struct report_row *row, const struct report_kind *kind,
		     unsigned int number, uint64_t samples);

/* Makes @report an empty one of the same samples; see report_join(). */
void report_like(struct report *report, const struct report *like);

/*
 * Adds everything from @from, which must then be freed with report_fini().
 * Returns 0 or -ENOMEM.
 */
int report_join(struct report *report, struct report *from);

/*
 * Call after the last sample: sums up and sorts the rows, the largest first.
 * Returns 0 or -ENOMEM.
 */
int report_finish(struct report *report);
void report_fini(struct report *report);

/* The mean of @timed latencies; 0 of none. */
static inline double mean_latency(uint64_t sum, uint64_t timed)
{
	return timed ? (double)sum / timed : 0;
}

/* The count of one event, and the number of its readings. */
struct report_rate {
	const char *name;
	uint64_t snapshots;
	struct reading since;
};

/**
 * struct report_scale - from samples to operations
 * @each: operations for one sample; 0 when not counted
 * @sampled: the share of operations that was sampled, 0 to 1
 * @lost: records that are not among the samples
 */
struct report_scale {
	double each;
	double sampled;
	uint64_t lost;
};

/**
 * struct report_totals - how many operations the samples stand for
 * @population: that could have been sampled (SAMPLE_POP)
 * @all: of all CPUs together
 * @of_cpu: of each CPU by its number, or NULL; CPUs lose differently
 */
struct report_totals {
	uint64_t population;
	struct report_scale all;
	struct report_scale *of_cpu;
};

/*
 * report_totals.c. Does the recording have such counts? Raw traces (NULL) do
 * not.
 */
bool report_has_totals(const struct pmscope_perfdata *reader);

/*
 * @samples: all of the recording, also those filtered out. To be ended with
 * report_totals_fini(). Returns 0 or -ENOMEM.
 */
int report_totals(const struct report *report, uint64_t samples,
		  struct report_totals *totals);
void report_totals_fini(struct report_totals *totals);

/**
 * struct report_operations - what the samples of a row stand for
 * @count: how many operations, and
 * @error: half the width of the range they are in with 95 % confidence
 */
struct report_operations {
	double count;
	double error;
};

struct report_operations report_operations(const struct report_totals *totals,
					   const struct report_row *row);

/* Everything a printer needs. */
struct report_output {
	const struct report *report;
	const struct load *load;
	struct report_totals totals;
	const struct report_rate *rates;
	size_t nr_rates;
	size_t nr_rows; /* to print */
	bool codes;	/* Data sources have codes, too */
};

/* Prints one row, which has @parts. */
typedef void (*report_row_fn)(const struct report_output *out,
			      const struct report_row *row,
			      const struct report_parts *parts);

/* All rows to print. Returns 0 or -ENOMEM. */
int report_print_rows(const struct report_output *out, report_row_fn print);

/* Share of the total, 0 to 1: of samples, or of the cycles of latencies. */
double report_share(const struct report *report, const struct report_row *row);

/* A row's value for key @i; numbers are printed into @buf. */
const char *report_value(const struct report *report,
			 const struct report_row *row, size_t i, char *buf,
			 size_t size);

/* Prints a name without control characters, padded to @width. */
void report_put_text(const char *text, int width);

/* A line's end with the name of an event, and what its counts are worth. */
void report_put_event(const char *name, const struct reading *since);

/* Each returns 0 or -ENOMEM. */
int report_print_text(const struct report_output *out);
int report_print_jsonl(const struct report_output *out);
int report_print_csv(const struct report_output *out);

#endif /* PMSCOPE_REPORT_REPORT_H */
