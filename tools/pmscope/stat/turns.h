/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of events that are too large for the counters together count by turns,
 * one group at a time.
 */
#pragma once

#include "stat/run.h"

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
