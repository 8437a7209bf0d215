/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums readings of groups into the rows of a table. */
#ifndef PMSCOPE_STAT_TALLY_H
#define PMSCOPE_STAT_TALLY_H

#include "stat/stat.h"

struct stat_runs;
struct stat_sums;

/**
 * struct stat_tally - a table, and the sums behind its rows
 * @events: what is counted
 * @by: what has rows of its own, beside each event
 * @hide: of so many events the last is hidden; 0: none
 * @reading, @nr_readings: the last readings
 * @table: rows, filled by stat_tally_delta()
 * @now: the sums of the last reading, @before: of the interval's start
 * @runs: sums over repeated runs
 *
 * Starts as zeros but for @events, @by and @hide.
 */
struct stat_tally {
	const struct pmscope_event_list *events;
	enum stat_by by;
	unsigned int hide;
	const struct pmscope_reading *reading;
	size_t nr_readings;
	struct stat_table table;
	struct stat_sums *now;
	struct stat_sums *before;
	struct stat_runs *runs;
};

/* Reads all groups, once each; -errno after an error was reported. */
int stat_tally_read(struct stat_tally *tally,
		    struct pmscope_counters *counters);

/* The same for readings; valid until the next. */
int stat_tally_take(struct stat_tally *tally,
		    const struct pmscope_reading *reading, size_t nr);

/* Fills the table with what came since the last interval, or the start. */
void stat_tally_delta(struct stat_tally *tally);

/* The last reading is where the next interval starts. */
void stat_tally_next_interval(struct stat_tally *tally);

/* Adds the values of the table, as those of one of several runs. */
void stat_tally_add_run(struct stat_tally *tally);

/* Makes the table the means of @runs runs. */
void stat_tally_average(struct stat_tally *tally, unsigned int runs);

void stat_tally_free(struct stat_tally *tally);

#endif /* PMSCOPE_STAT_TALLY_H */
