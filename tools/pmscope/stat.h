/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pmscope stat`: counts on their way from the kernel to the paper. */
#ifndef PMSCOPE_STAT_H
#define PMSCOPE_STAT_H

#include "session/count.h"

#include <stdio.h>

/**
 * struct stat_row - one line: an event, on one CPU or summed up
 * @event: its event
 * @cpu: -1 for a sum
 * @value: the count, scaled up when the event ran only a part of the time
 * @enabled: ns, @running: ns; 0 running: not counted
 * @spread: standard error of the mean of repeated runs, in percent; or -1
 */
struct stat_row {
	const struct pmscope_event *event;
	int cpu;
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
	double spread;
};

struct stat_table {
	struct stat_row *row;
	size_t nr;
};

/**
 * struct stat_metric - what two events of a group tell together
 * @value: in the unit that @name says
 */
struct stat_metric {
	double value;
	const char *name;
};

/* False when the group of @row does not have what a metric takes. */
bool stat_metric(const struct stat_table *table, const struct stat_row *row,
		 struct stat_metric *metric);

enum stat_format {
	STAT_HUMAN,
	STAT_CSV,
	STAT_JSON
};

/**
 * struct stat_printer - where and how
 * @separator: of STAT_CSV
 * @intervals: each table is one interval; lines begin with their time
 * @per_cpu: rows are of one CPU each
 */
struct stat_printer {
	FILE *out;
	enum stat_format format;
	const char *separator;
	bool intervals;
	bool per_cpu;
};

/**
 * struct stat_summary - what is said once, at the end
 * @what: what was counted
 * @elapsed, @user, @system: seconds; user and system below 0 without a program
 * @runs: of the program
 */
struct stat_summary {
	const char *what;
	double elapsed;
	double user;
	double system;
	unsigned int runs;
};

/* @seconds: the time of an interval's end since counting began. */
void stat_print_table(const struct stat_printer *p,
		      const struct stat_table *table, double seconds);
void stat_print_heading(const struct stat_printer *p, const char *what,
			unsigned int runs);
void stat_print_summary(const struct stat_printer *p,
			const struct stat_summary *summary);

#endif /* PMSCOPE_STAT_H */
