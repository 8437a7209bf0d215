/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/measure.h"
#include "print/table.h"

/* Formulas of metrics: numbers, names in capitals, + - * / and brackets. */

/* Sets the value of a name. Returns false if it has none. */
typedef bool (*formula_value_fn)(void *arg, const char *name, size_t length,
				 double *value);

/*
 * Returns false if a name has no value, a divisor is 0 or the syntax is wrong.
 */
bool formula_value(const char *formula, formula_value_fn value_of, void *arg,
		   double *value);

/* The parts of `pmscope stat`. */

/* What the rows stand for */
enum stat_by {
	STAT_BY_NOTHING,
	STAT_BY_CORE,
	STAT_BY_CPU,
	STAT_BY_THREAD
};

/* One line: an event, on one CPU or summed up */
struct stat_row {
	const struct listed_event *event; /* its event */
	/*
	 * the CPU, the first CPU of the core, or the thread; -1: the sum of all
	 */
	int cpu;
	unsigned int cpus; /* how many CPUs are in the sum */
	bool hidden;	   /* not to be printed */
	uint64_t value;	   /* scaled up when counted for a part of the time */
	uint64_t counted;  /* the same, not scaled */
	uint64_t enabled;  /* ns; @running: 0 if it was not counted */
	uint64_t running;
	double spread; /* standard error of the mean, percent; or -1 */
};

struct stat_table {
	struct stat_row *row;
	size_t nr;
	unsigned int slots; /* per cycle (PMMIR_EL1.SLOTS); 0: unknown */
};

/* Slots reported by the CPU PMU, or 0. */
unsigned int stat_slots(void);

/*
 * Checks that the CPU has the events of --topdown. Returns 0, or -ENOENT with
 * an error that names what works instead.
 */
int stat_topdown_check(const char *devices, struct pmscope_error *err);

/* The core of a CPU in perf's words, "S0-D0-C1". */
const char *stat_core(int cpu, char *name, size_t size);

/* A thread in perf's words, "NAME-TID"; only "TID" if it has ended. */
const char *stat_thread(int tid, char *name, size_t size);

/* The first CPU of the core of @cpu; @cpu itself if unknown. */
int stat_first_of_core(int cpu);

/* Counts of captures from sysfs, by result */
struct stat_captures {
	uint64_t done; /* gave counts; @frozen: by a frozen back end */
	uint64_t frozen;
	uint64_t failed; /* by hardware; @raced: done again */
	uint64_t raced;
};

/* Returns false if there is no pmu_snapshot. */
bool stat_captures_read(struct stat_captures *captures);

/* Counts captures since @before. Returns false without pmu_snapshot. */
bool stat_captures_since(const struct stat_captures *before,
			 struct stat_captures *since);

/* A ratio of two events of a group */
struct stat_metric {
	double value; /* in the unit that @name says */
	const char *name;
};

/* The PMUv3 number of an event, however it was named; UINT64_MAX: none. */
uint64_t stat_arm_event(const struct listed_event *event);

/* Returns false if the group of @row lacks an event of the metric. */
bool stat_metric(const struct stat_table *table, const struct stat_row *row,
		 struct stat_metric *metric);

struct stat_printer {
	FILE *out;
	enum print_format format;
	const char *separator; /* of PRINT_CSV */
	bool intervals;	       /* of a table; lines begin with their time */
	enum stat_by by;       /* what the rows stand for */
	bool metrics_only;     /* rows of events only in CSV, JSONL */
};

/* When and where a row was counted, the first member of views */
struct stat_place {
	double time;	  /* of an interval */
	const char *name; /* of the CPU, core or thread, in @room */
	uint64_t number;  /* of the CPU or thread */
	uint64_t cpus;	  /* of the core */
	char room[48];
};

void stat_place_fill(struct stat_place *place, const struct stat_printer *p,
		     const struct stat_row *row, double seconds);

/*
 * Begins a table for machines, with the columns of the place. Of cores, CSV has
 * the number of CPUs beside counts only.
 */
void stat_table_begin(struct table *table, const struct stat_printer *p,
		      bool counts);

/* Printed once, at the end, in seconds; @user, @system below 0: no program. */
struct stat_summary {
	const char *what; /* what was counted */
	double elapsed;
	double user;
	double system;
	unsigned int runs;		      /* of the program */
	const struct stat_captures *captures; /* NULL: none was captured */
};

/* @seconds: the time of an interval's end since counting began. */
void stat_print_table(const struct stat_printer *p,
		      const struct stat_table *table, double seconds);
void stat_print_heading(const struct stat_printer *p, const char *what,
			unsigned int runs);
void stat_print_summary(const struct stat_printer *p,
			const struct stat_summary *summary);

/* Which metrics `pmscope stat` prints, and their events: metrics.def. */

struct plan_item {
	/*
	 * Arm's group that it is printed in; NULL if it was asked for by name
	 */
	const char *group;
	const char *name;
	const char *unit;
	const char *formula;
	unsigned int turn; /* group with all events of its formula */
};

/* Starts as zeros; metric_plan_init() comes first */
struct metric_plan {
	unsigned int cpu; /* a row of METRIC_CPU, @cpu_name its name */
	const char *cpu_name;
	bool by_architecture; /* of the CPU's methodology there is none */
	unsigned int slots;   /* slots per cycle; 0 if unknown */
	const char *devices;  /* directory of the PMUs in sysfs */
	struct plan_item *item;
	size_t nr;
	unsigned int turns;
	char *missing; /* events the CPU does not list; or NULL */
};

/*
 * Chooses the methodology. @midr: MIDR_EL1 of the CPU; 0 if unknown. @slots:
 * PMMIR_EL1.SLOTS; 0: take those of its methodology.
 */
void metric_plan_init(struct metric_plan *plan, const char *devices,
		      uint64_t midr, unsigned int slots);

/* Adds top-down, level 1 or levels 1 and 2. 0, -ENOENT, -ENOMEM. */
int metric_plan_topdown(struct metric_plan *plan, unsigned int level,
			struct pmscope_error *err);

/* Adds the metrics and groups of "NAME,NAME". 0, -ENOENT, -ENOMEM. */
int metric_plan_names(struct metric_plan *plan, const char *names,
		      struct pmscope_error *err);

/*
 * Puts all events into groups, as few as possible. @counters: number that a
 * group may use, without the cycle counter. @text: set to the events in perf's
 * syntax; to be freed. Returns 0; -ENOSPC if a formula needs more counters;
 * -ENOMEM.
 */
int metric_plan_events(struct metric_plan *plan, unsigned int counters,
		       char **text);

/* Returns the event that a formula calls by a name, or NULL. */
const struct pmscope_event_name *stat_event_of(const char *name, size_t length);

/* The groups that explain a metric of level 1; NULL: none. */
const char *metric_plan_next(const struct metric_plan *plan, const char *name);

/* Names of metrics and groups of all CPUs, ended by NULL; some are twice. */
extern const char *const metric_names[];

/* Prints the metrics and groups of the CPU. */
void metric_plan_list(const struct metric_plan *plan, FILE *out);

void metric_plan_free(struct metric_plan *plan);

/* Sums readings of groups into the rows of a table. */
struct stat_runs;
struct stat_sums;

/* Blocks per group: if it has more turns, neighbours share a block. */
#define STAT_BLOCKS 64

/* The turns of one group of events */
struct stat_blocks {
	unsigned int turns; /* number of turns so far */
	unsigned int each;  /* number of turns in a block */
};

/*
 * A table, and the sums behind its rows. Starts as zeros but for @events, @by,
 * @hide and @turns. @reading, @nr_readings: the last readings. @block:
 * STAT_BLOCKS counts of each row, NULL if there are no @turns.
 */
struct stat_tally {
	const struct event_list *events; /* what is counted */
	enum stat_by by;		 /* CPUs, cores or threads have rows */
	unsigned int hide; /* if not 0, hide the last of this many events */
	const struct pmscope_reading *reading;
	size_t nr_readings;
	struct stat_table table; /* rows, filled by stat_tally_delta() */
	struct stat_sums *now;	 /* last reading; @before: interval's start */
	struct stat_sums *before;
	struct stat_runs *runs; /* sums over repeated runs */
	bool turns;
	/* index in @events of the first one that is read: groups take turns */
	size_t first;
	struct stat_sums *base; /* sums of all turns before this one */
	uint64_t (*block)[STAT_BLOCKS];
	struct stat_blocks *blocks; /* the blocks of each group */
};

/* Reads all groups, once each; -errno after an error was reported. */
int stat_tally_read(struct stat_tally *tally,
		    struct pmscope_counters *counters);

/* The same for given readings; they must stay valid until the next. */
int stat_tally_take(struct stat_tally *tally,
		    const struct pmscope_reading *reading, size_t nr);

/* Fills the table with the counts since the last interval or the start. */
void stat_tally_delta(struct stat_tally *tally);

/* Starts the next interval at the last reading. */
void stat_tally_next_interval(struct stat_tally *tally);

/* Adds the values of the table to the sums over runs. */
void stat_tally_add_run(struct stat_tally *tally);

/* Makes the table the means of @runs runs. */
void stat_tally_average(struct stat_tally *tally, unsigned int runs);

/* Adds a block when the turn of the group at @first, or a run, ends. */
void stat_tally_end_turn(struct stat_tally *tally);

/* The next run counts from 0. */
void stat_tally_next_run(struct stat_tally *tally);

/* The number of blocks of a group. */
unsigned int stat_tally_blocks(const struct stat_tally *tally,
			       unsigned int group);

void stat_tally_free(struct stat_tally *tally);

/*
 * `pmscope stat --compare`: a group counted twice at the same time, by
 * pmu_snapshot and by the PMU of the CPU, with its first event once more at its
 * end. The difference between the two counts of this event is the skew of a
 * read.
 */

/* The skew of one group. @sum, @max: of the absolute differences. */
struct stat_skew {
	uint64_t reads; /* of the group, on all CPUs or tasks */
	uint64_t sum;
	uint64_t max;
};

enum {
	STAT_SNAPSHOT,
	STAT_CORE_PMU,
	STAT_COMPARED
};

struct stat_comparison {
	struct stat_skew skew[STAT_COMPARED];
};

/*
 * Makes two groups from the one in @events. Returns the number of events in
 * each group; -errno after an error was reported.
 */
int stat_compare_events(struct event_list *events);

/* Adds one reading of all groups. */
void stat_compare_add(struct stat_comparison *comparison,
		      const struct pmscope_reading *reading, size_t nr);

void stat_compare_print(const struct stat_printer *p,
			const struct stat_comparison *comparison,
			const struct event_list *events);

/*
 * Lines for people. Files get them as they are; on a terminal names and texts
 * are shortened, or left out, until no line is longer than that is wide.
 */

#define STAT_TEXTS 3

struct stat_line {
	char time[24];		   /* of an interval, or "" */
	char place[48];		   /* CPU, core or thread, or "" */
	char cpus[12];		   /* how many CPUs the core has, or "" */
	char number[48];	   /* the number */
	const char *name;	   /* what it is */
	int name_width;		   /* the name is padded to this */
	char text[STAT_TEXTS][96]; /* behind the name; "" for nothing */
};

/* Lines of a table that are not printed yet */
struct stat_lines {
	struct stat_line *line;
	size_t nr;
	size_t max;
	bool has_units; /* the first text is a unit, and is left out last */
};

/* Fills in the time and the place. */
void stat_line_begin(struct stat_line *line, const struct stat_printer *p,
		     const struct stat_row *row, double seconds);

/* Prints the line, or keeps it if the output is a terminal. */
void stat_line_put(const struct stat_printer *p, struct stat_lines *lines,
		   const struct stat_line *line);

/* Prints the lines that were kept. */
void stat_lines_end(const struct stat_printer *p, struct stat_lines *lines);

/* The value of a metric, and its error where groups counted in turns. */

/* One metric at one place */
struct stat_estimate {
	bool counted; /* there, and no divisor is 0 */
	double value; /* the formula, applied to all counts of the group */
	/*
	 * half the width of the 95 % range; 0: the group counted all the time,
	 * below 0: unknown, since there were too few turns
	 */
	double error;
	double share; /* of the time that the group counted, 0 to 1 */
};

/*
 * The error comes from the jackknife: the metric is computed again without each
 * of the turns (or blocks of neighbouring turns, or runs); Student's t of their
 * number turns their spread into a range.
 */
struct stat_estimate stat_estimate(const struct stat_tally *tally,
				   const struct metric_plan *plan,
				   const struct plan_item *item, int place);

/* All metrics of @plan, at each place of the rows. */
void stat_print_metrics(const struct stat_printer *p,
			const struct stat_tally *tally,
			const struct metric_plan *plan, double seconds);

/* Groups too large for the counters together count by turns, one at a time. */

/* `pmscope stat`: one run of the command, from targets to the last line. */

struct stat_config {
	char *events;
	struct measure_options measure;
	unsigned int interval_ms;
	unsigned int repeat;
	const char *separator;
	bool json;
	bool per_cpu;
	bool per_core;
	bool per_thread;
	bool topdown;
	unsigned int td_level;
	char *metrics;
	bool list_metrics;
	uint64_t midr;
	bool compare;
	const char *output;
};

/* All that one `pmscope stat` holds */
struct stat_run {
	const struct stat_config *config;
	char *const *argv; /* the program; NULL for none */
	bool follows;	   /* only @argv; else while @argv runs */
	struct event_list events;
	struct target target;
	struct workload workload;
	struct pmscope_counters *counters;
	struct metric_plan plan; /* to print; none if it is empty */
	struct event_list open;	 /* what @counters count: all, or a turn's */
	unsigned int turn;	 /* the group whose turn it is */
	unsigned int switch_ms;	 /* from one turn to the next */
	struct family family;	 /* tasks are looked up at each turn */
	struct stat_printer printer;
	struct stat_tally tally;
	struct stat_comparison comparison;
	struct stat_captures captures; /* when counting began */
	bool has_captures;	       /* some events are captured */
	bool ended_by_signal;	       /* a signal ended the measurement */
	struct timespec start;
	double elapsed; /* seconds of the last run */
	int signal_fd;
	int watch_fd;
	int timer_fd;
	int turn_fd;
	int exit_status;
};

/* Counts, repeats and prints; -errno after an error was reported. */
int stat_count_runs(struct stat_run *run);

/*
 * Events for the metrics, in groups that fit. @counters: number of counters
 * that a group may use. Returns 0, or -errno after an error was reported.
 */
int stat_turns_plan(struct stat_run *run, unsigned int counters);

/*
 * Other users may hold counters, so makes smaller groups until each can be
 * opened. Returns 0, or -errno after an error was reported.
 */
int stat_turns_fit(struct stat_run *run);

/* The number of counters for a group, from sysfs of pmu_snapshot. */
unsigned int stat_turns_counters(void);

/* Points run->open to the events to open next. */
void stat_turns_select(struct stat_run *run);

/* Starts the time of a turn. Returns 0 or -errno. */
int stat_turns_start(struct stat_run *run);

/* Reads the group for the last time in this turn. Returns 0 or -errno. */
int stat_turns_end(struct stat_run *run);

/* Lets the next group count. Returns 0 or -errno. */
int stat_turns_next(struct stat_run *run);
