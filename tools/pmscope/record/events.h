/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events `pmscope record` opens, from its options. */
#ifndef PMSCOPE_RECORD_EVENTS_H
#define PMSCOPE_RECORD_EVENTS_H

#include "record/filter.h"
#include "session/event.h"

/* The default sampling interval of SPE, in operations. */
#define RECORD_PERIOD 4096

/**
 * struct record_events_options - the options that say what to record
 * @events: in place of SPE
 * @snapshot: counters to capture, as `pmscope stat -e` has them
 * @period: of what has none of its own, so SPE's interval in operations; 0: the
 *	    default
 * @freq: snapshots a second; 0: the default
 * @totals: what SPE counts of itself, at each piece of its data
 * @devices: where PMUs are looked up; NULL: where the kernel shows them
 * @cpus: that are recorded, with the PMUs that have one of them; NULL: all
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
	const char *devices;
	const struct pmscope_cpulist *cpus;
	bool user;
	bool kernel;
};

/* Fills @list; -errno after an error was reported. */
int record_events(struct pmscope_event_list *list,
		  const struct record_events_options *options);

/* Is there SPE among them? */
bool record_events_spe(const struct pmscope_event_list *list);

void record_events_options_free(struct record_events_options *options);

#endif /* PMSCOPE_RECORD_EVENTS_H */
