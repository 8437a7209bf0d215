/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums readings of groups into the rows of a table. */
#pragma once

#include "stat/stat.h"

struct stat_runs;
struct stat_sums;

/* Blocks per group: if it has more turns, neighbours share a block. */
#define STAT_BLOCKS 64

/**
 * struct stat_blocks - the turns of one group of events
 * @turns: number of turns so far
 * @each: number of turns in a block
 */
struct stat_blocks {
	unsigned int turns;
	unsigned int each;
};

/**
 * struct stat_tally - a table, and the sums behind its rows
 * @events: what is counted
 * @by: what has its own rows: CPUs, cores or threads
 * @hide: if not 0, hide the last of this many events
 * @reading, @nr_readings: the last readings
 * @table: rows, filled by stat_tally_delta()
 * @now: the sums of the last reading, @before: of the interval's start
 * @runs: sums over repeated runs
 * @first: index in @events of the first event that is read: a group that counts
 *	   alone, in its turn
 * @base: sums of all turns before this one
 * @block: STAT_BLOCKS counts of each row, NULL if there are no @turns
 * @blocks: the blocks of each group
 *
 * Starts as zeros but for @events, @by, @hide and @turns.
 */
struct stat_tally {
	const struct event_list *events;
	enum stat_by by;
	unsigned int hide;
	const struct pmscope_reading *reading;
	size_t nr_readings;
	struct stat_table table;
	struct stat_sums *now;
	struct stat_sums *before;
	struct stat_runs *runs;
	bool turns;
	size_t first;
	struct stat_sums *base;
	uint64_t (*block)[STAT_BLOCKS];
	struct stat_blocks *blocks;
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
