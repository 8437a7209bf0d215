/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pmscope stat`: one run of the command, from targets to the last line. */
#pragma once

#include "cli/measure.h"
#include "session/family.h"
#include "session/workload.h"
#include "stat/compare.h"
#include "stat/plan.h"
#include "stat/tally.h"

#include <time.h>

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
