/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events `pmscope record` opens, from its options. */
#pragma once

#include "base/std.h"
#include "session/event.h"

/*
 * Translates the words of --filter for SPE's own filters; only those of
 * `pmscope report --filter` for which the hardware has a register.
 */

/**
 * struct record_filter - the filters of SPE
 * @loads, @stores, @branches: keep these; if none is set: keep all
 * @min_latency: keep records with at least this latency; 0: all
 * @events: keep records with all of these events (PMSEVFR_EL1)
 * @no_events: drop records with any of these events (PMSNEVFR_EL1)
 * @no_sources: drop loads with these data sources (PMSDSFR_EL1, inverted)
 */
struct record_filter {
	bool loads;
	bool stores;
	bool branches;
	uint64_t min_latency;
	uint64_t events;
	uint64_t no_events;
	uint64_t no_sources;
};

/**
 * record_filter_parse() - add the filters of @text to @filter
 * @midr: MIDR_EL1 of the CPU, for the names of its data sources
 *
 * Return: 0; -EINVAL or -ENOMEM after error().
 */
int record_filter_parse(struct record_filter *filter, const char *text,
			uint64_t midr);

/*
 * What `pmscope record` measures beside SPE: a clock, and counters
 * that it captures, tell where the time goes, and how much of it is lost.
 */

/**
 * struct beside
 * @clock: it samples, @freq times a second; 0: the default
 * @counters: of cycles, instructions and stalls
 * @devices: folder to look up PMUs; NULL: PMSCOPE_PMU_DEVICES
 * @cpus: only PMUs with one of these are used; NULL: all
 */
struct beside {
	bool clock;
	bool counters;
	uint64_t freq;
	const char *devices;
	const struct cpulist *cpus;
};

/* The kernel's limit of samples a second. */
uint64_t beside_max_rate(void);

/**
 * beside_add() - add these events to @list, which begins with those of SPE
 * @way: from 0 on: each has less than the one before
 *
 * Return: 1; 0 if nothing was added, and neither will further ways be; or
 * -errno if events are not there, with @err set.
 */
int beside_add(struct event_list *list, const struct beside *beside,
	       unsigned int way, struct pmscope_error *err);

/**
 * beside_open() - open @list, and in the first way that works beside it
 * @open: opens all, @is_beside: some are not of SPE
 * @uncounted: set to why there are no counters, if they were wanted
 *
 * What is refused is left out, and changes nothing else. Return: the result of
 * @open, with @err set.
 */
int beside_open(struct event_list *list, const struct beside *beside,
		int (*open)(void *run, bool is_beside,
			    struct pmscope_error *err),
		void *run, struct pmscope_error *uncounted,
		struct pmscope_error *err);

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
