/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of events that are too large for the counters together count by turns,
 * one group at a time.
 */
#pragma once

#include "cli/measure.h"
#include "session/target.h"
#include "session/workload.h"
#include "stat/compare.h"
#include "stat/plan.h"
#include "stat/tally.h"

#include <time.h>

/* `pmscope stat`: one run of the command, from targets to the last line. */

/**
 * struct stat_config - the options
 */
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

/**
 * struct stat_run - all that one `pmscope stat` holds
 * @argv: the program; NULL for none
 * @follows: measure only @argv; otherwise measure while @argv runs
 * @ended_by_signal: a signal ended the measurement
 * @elapsed: seconds of the last run
 * @plan: the metrics to print; none if it is empty
 * @open: the events that @counters count: all, or those of one turn
 * @turn: the group whose turn it is, if groups count in turns
 * @switch_ms: how long it took to change from one turn to the next
 * @family: the processes whose tasks are looked up again at each turn
 * @captures: when counting began
 * @has_captures: some events are captured
 */
struct stat_run {
	const struct stat_config *config;
	char *const *argv;
	bool follows;
	struct event_list events;
	struct target target;
	struct workload workload;
	struct pmscope_counters *counters;
	struct metric_plan plan;
	struct event_list open;
	unsigned int turn;
	unsigned int switch_ms;
	struct family family;
	struct stat_printer printer;
	struct stat_tally tally;
	struct stat_comparison comparison;
	struct stat_captures captures;
	bool has_captures;
	bool ended_by_signal;
	struct timespec start;
	double elapsed;
	int signal_fd;
	int watch_fd;
	int timer_fd;
	int turn_fd;
	int exit_status;
};

/* Counts, repeats and prints; -errno after an error was reported. */
int stat_count_runs(struct stat_run *run);

/**
 * stat_turns_plan() - events for the metrics, in groups that fit
 * @counters: number of counters that a group may use
 *
 * Return: 0, or -errno after an error was reported.
 */
int stat_turns_plan(struct stat_run *run, unsigned int counters);

/*
 * Other users may hold counters, so makes smaller groups until each can be
 * opened.
 * Returns 0, or -errno after an error was reported.
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
