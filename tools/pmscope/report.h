/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of pmscope report. */
#ifndef PMSCOPE_REPORT_H
#define PMSCOPE_REPORT_H

#include "deps.h"
#include "histogram.h"
#include "load.h"
#include "report_kinds.h"
#include "report_parts.h"
#include "view.h"

#include "table/map.h"
#include "table/strings.h"

#define MAX_KEYS   8
#define EVENT_NAME 24 /* of one without a name */

/**
 * struct report_key - one thing to group samples by
 * @name: for --sort, and the name of the column
 * @text: what samples of one row have in common, as text
 * @number: the same as a number, where @text is NULL; -1 when not known
 * @width: of the column
 * @deps: enum dep: records alike in these have the same value
 */
struct report_key {
	const char *name;
	const char *(*text)(const struct view *view);
	int64_t (*number)(const struct view *view);
	int width;
	unsigned int deps;
};

/* Commas between the names of all keys, for the help. */
#define REPORT_KEY_NAMES                                               \
	"sym,dso,line,file,frames,comm,pid,tid,cpu,op,event,source,el" \
	",lat,symbol_daddr,dso_daddr"

/**
 * report_keys_parse() - the keys of --sort
 * @list: names with commas between
 * @keys: room for MAX_KEYS
 *
 * Return: how many; -EINVAL after error().
 */
int report_keys_parse(const char *list, const struct report_key **keys);

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

/**
 * struct report_reading - of one counter
 * @time: ns
 * @enabled: ns that its group was enabled, and next that it counted; 0 where
 *	     that was not recorded
 */
struct report_reading {
	uint64_t value;
	uint64_t time;
	uint64_t enabled;
	uint64_t running;
};

/*
 * What the snapshots say of one counter: of an event on one CPU, or of the part
 * of an inherited event that one thread has.
 */
struct report_counter {
	const char *name;
	int attr;
	uint32_t cpu; /* PMSCOPE_NO_ID: not told, or several */
	bool is_snapshot;
	bool partial; /* of one thread: the end of the recording has the sum */
	uint64_t snapshots;
	struct report_reading last;
	struct report_reading since; /* between the first and the last */
};

/*
 * What a group counted of CPU_CYCLES and INST_RETIRED since the one before it,
 * or the sum of many: counts of different groups may be of different times.
 */
struct report_pair {
	bool has_cycles;
	bool has_instructions;
	uint64_t cycles;
	uint64_t instructions;
};

struct report_memo;

struct report {
	const struct report_key *keys[MAX_KEYS];
	size_t nr_keys;
	unsigned int deps;  /* of all keys */
	bool all_latencies; /* not only the total is asked for */
	bool by_latency;    /* shares are of cycles, not of samples */
	bool with_histogram;
	bool with_totals; /* there are counts of what SPE sampled */
	struct report_memo *memos;
	struct current *currents;
	struct codes *codes;
	struct report_kinds *kinds;
	struct variables *variables; /* where data is asked for */

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
	struct report_counter *counters;
	size_t nr_counters;
	size_t max_counters;
	struct map counter_of_id;
	struct report_pair pair; /* of groups that have both */
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
 * Takes all that @from has, which then is to be ended with report_fini().
 * Returns 0 or -ENOMEM.
 */
int report_join(struct report *report, struct report *from);

/*
 * Behind the last sample: sums up, and sorts the rows, the largest first.
 * Returns 0 or -ENOMEM.
 */
int report_finish(struct report *report);
void report_fini(struct report *report);

/* The mean of @timed latencies; 0 of none. */
static inline double mean_latency(uint64_t sum, uint64_t timed)
{
	return timed ? (double)sum / timed : 0;
}

/* Sums over all counters of one event. */
struct report_rate {
	int attr;
	const char *name;
	char unnamed[EVENT_NAME]; /* what @name is where there is none */
	uint64_t snapshots;
	struct report_reading since;
};

/* Common PMU event numbers (Arm ARM D12.11). */
#define EVENT_INST_RETIRED 0x08
#define EVENT_CPU_CYCLES   0x11

/* report_rates.c. The number of the event at @index; 0 of other PMUs. */
unsigned int report_event_number(const struct pmscope_perfdata *reader,
				 int index, bool is_snapshot);

/*
 * What tells one counter from all others: an event on a CPU or of a thread, or
 * the part of an inherited event that one thread has. Without a thread it is
 * the count's id.
 */
uint64_t report_counter_key(const struct pmscope_perfdata *reader,
			    const struct pmscope_sample *sample,
			    const struct pmscope_count *count);

/* Of @value, one of the counts of @sample, which is of @time. */
static inline struct report_reading
report_reading_of(const struct pmscope_sample *sample, uint64_t value,
		  uint64_t time)
{
	return (struct report_reading){value, time, sample->time_enabled,
				       sample->time_running};
}

/*
 * Adds to @sum what went on between two readings. Where the counter had to
 * share its hardware with others that is what it would have counted, as far as
 * one can tell by the time it had. Returns the count; -1 where there is none:
 * the counter was set back, as that of another thread, or had no time.
 */
int64_t report_reading_add(struct report_reading *sum,
			   const struct report_reading *from,
			   const struct report_reading *to);

/* Which part of the time it was enabled it counted, 0 to 1. */
static inline double report_reading_share(const struct report_reading *sum)
{
	return sum->running < sum->enabled ? (double)sum->running / sum->enabled
					   : 1;
}

/* @name, or one made of @attr in @room where it is NULL. */
const char *report_event_name(const char *name, int attr,
			      char room[EVENT_NAME]);

int report_add_group(struct report *report,
		     const struct pmscope_sample *sample);

/* At most @max; returns how many. */
size_t report_rates(const struct report *report, struct report_rate *rates,
		    size_t max);

/* Tells that there were more events of groups than the @shown. */
void report_left_out(const struct load *load, unsigned int shown);

/*
 * Takes what @count's event counted @since the group before, where it is one of
 * the two, and the first one in its group.
 */
void report_pair_take(struct report_pair *pair,
		      const struct pmscope_perfdata *reader,
		      const struct pmscope_count *count, uint64_t since);

static inline bool report_pair_is_whole(const struct report_pair *pair)
{
	return pair->has_cycles && pair->has_instructions;
}

/* Instructions a cycle; negative when it cannot be told. */
double report_ipc(const struct report_pair *pair);

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

/* report_totals.c. Does the recording have such counts? Raw trace, NULL, not.
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
	bool codes;	/* Data Sources have their codes, too */
};

/* Prints one row, which has @parts. */
typedef void (*report_row_fn)(const struct report_output *out,
			      const struct report_row *row,
			      const struct report_parts *parts);

/* All rows that are to be printed. Returns 0 or -ENOMEM. */
int report_print_rows(const struct report_output *out, report_row_fn print);

/* The part of the whole, 0 to 1: of samples, or of the cycles of latencies. */
double report_share(const struct report *report, const struct report_row *row);

/* A row's value for key @i; numbers are printed into @buf. */
const char *report_value(const struct report *report,
			 const struct report_row *row, size_t i, char *buf,
			 size_t size);

/* A name that steers no terminal, with blanks up to @width behind it. */
void report_put_text(const char *text, int width);

/* A line's end with the name of an event, and what its counts are worth. */
void report_put_event(const char *name, const struct report_reading *since);

/* Each returns 0 or -ENOMEM. */
int report_print_text(const struct report_output *out);
int report_print_jsonl(const struct report_output *out);
int report_print_csv(const struct report_output *out);

#endif /* PMSCOPE_REPORT_H */
