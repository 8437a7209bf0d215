/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events `pmscope record` opens, from its options. */
#pragma once

#include "record/beside.h"
#include "record/filter.h"

/* The default sampling interval of SPE, in operations. */
#define RECORD_PERIOD 4096

/**
 * struct record_events_options - the options that select events
 * @events: events to record instead of SPE
 * @snapshot: counters to capture, in the syntax of `pmscope stat -e`
 * @period: period of events without their own, for SPE its interval in
 *	    operations; 0: the default
 * @freq: snapshots per second; 0: the default
 * @stacks: add a clock whose samples have call chains
 * @cgroups: some event samples, and its samples tell the control group
 * @totals: count the sampled population with each window of SPE data
 * @no_counters, @no_clock: nothing of that kind beside SPE, see
 *			    record_events_beside()
 * @devices: folder to look up PMUs; NULL: PMSCOPE_PMU_DEVICES
 * @cpus: recorded CPUs; only PMUs with one of these are used; NULL: all
 */
struct record_events_options {
	char *events;
	char *snapshot;
	uint64_t period;
	uint64_t freq;
	char *filter; /* as for record_filter_parse() */
	char *source; /* the same without its "source=" */
	struct record_filter keep;
	bool no_jitter;
	bool physical;
	bool no_spe;
	bool totals;
	bool no_counters;
	bool no_clock;
	bool stacks;
	bool cgroups;
	const char *devices;
	const struct cpulist *cpus;
	bool user;
	bool kernel;
};

/* Fills @list; -errno after an error was reported. */
int record_events(struct event_list *list,
		  const struct record_events_options *options);

/* What is recorded beside these. */
struct beside record_events_beside(const struct record_events_options *options);

/* Does @list contain an SPE event? */
bool record_events_spe(const struct event_list *list);

void record_events_options_free(struct record_events_options *options);
