/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of `pmscope stat`. */
#pragma once

#include "print/table.h"
#include "session/count.h"

/**
 * enum stat_by - what the rows stand for
 */
enum stat_by {
	STAT_BY_NOTHING,
	STAT_BY_CORE,
	STAT_BY_CPU,
	STAT_BY_THREAD
};

/**
 * struct stat_row - one line: an event, on one CPU or summed up
 * @event: its event
 * @cpu: the CPU, the first CPU of the core, or the thread; -1: the sum of all
 * @cpus: how many CPUs are in the sum
 * @hidden: not to be printed
 * @value: the count, scaled up when the event ran only a part of the time
 * @counted: the same, not scaled
 * @enabled: ns, @running: ns; 0 running: not counted
 * @spread: standard error of the mean of repeated runs, in percent; or -1
 */
struct stat_row {
	const struct pmscope_event *event;
	int cpu;
	unsigned int cpus;
	bool hidden;
	uint64_t value;
	uint64_t counted;
	uint64_t enabled;
	uint64_t running;
	double spread;
};

/**
 * struct stat_table - what was counted
 * @slots: operation slots per cycle (PMMIR_EL1.SLOTS); 0 if unknown
 */
struct stat_table {
	struct stat_row *row;
	size_t nr;
	unsigned int slots;
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

/**
 * struct stat_captures - counts of captures from sysfs, by result
 * @done: all that gave counts, @frozen: those of the frozen back end
 * @failed: refused by the hardware, @raced: done again for an external one
 */
struct stat_captures {
	uint64_t done;
	uint64_t frozen;
	uint64_t failed;
	uint64_t raced;
};

/* Returns false if there is no pmu_snapshot. */
bool stat_captures_read(struct stat_captures *captures);

/* Counts captures since @before. Returns false without pmu_snapshot. */
bool stat_captures_since(const struct stat_captures *before,
			 struct stat_captures *since);

/**
 * struct stat_metric - a ratio of two events of a group
 * @value: in the unit that @name says
 */
struct stat_metric {
	double value;
	const char *name;
};

/* The PMUv3 number of an event, however it was named; UINT64_MAX: none. */
uint64_t stat_arm_event(const struct pmscope_event *event);

/* Returns false if the group of @row lacks an event of the metric. */
bool stat_metric(const struct stat_table *table, const struct stat_row *row,
		 struct stat_metric *metric);

/**
 * struct stat_printer - where and how
 * @separator: of PRINT_CSV
 * @intervals: each table is one interval; lines begin with their time
 * @by: what the rows stand for
 * @metrics_only: print rows of events only in PRINT_CSV and PRINT_JSONL
 */
struct stat_printer {
	FILE *out;
	enum print_format format;
	const char *separator;
	bool intervals;
	enum stat_by by;
	bool metrics_only;
};

/**
 * struct stat_place - when and where a row was counted, the first member of
 * views
 * @time: of an interval
 * @name: of the CPU, core or thread, in @room
 * @number: of the CPU or thread
 * @cpus: of the core
 */
struct stat_place {
	double time;
	const char *name;
	uint64_t number;
	uint64_t cpus;
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

/**
 * struct stat_summary - printed once, at the end
 * @what: what was counted
 * @elapsed, @user, @system: seconds; user and system below 0 without a program
 * @runs: number of runs of the program
 * @captures: NULL if nothing was captured
 */
struct stat_summary {
	const char *what;
	double elapsed;
	double user;
	double system;
	unsigned int runs;
	const struct stat_captures *captures;
};

/* @seconds: the time of an interval's end since counting began. */
void stat_print_table(const struct stat_printer *p,
		      const struct stat_table *table, double seconds);
void stat_print_heading(const struct stat_printer *p, const char *what,
			unsigned int runs);
void stat_print_summary(const struct stat_printer *p,
			const struct stat_summary *summary);
