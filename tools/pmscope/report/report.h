/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "print/print.h"
#include "read/load.h"
#include "rows/cachelines.h"
#include "rows/rows.h"

/* The parts of pmscope report. */

/* The count of one event, and the number of its readings. */
struct report_rate {
	const char *name;
	uint64_t snapshots;
	struct reading since;
};

/* Everything a printer needs. */
struct report_output {
	const struct row_table *report;
	const struct load *load;
	struct row_totals totals;
	const struct report_rate *rates;
	size_t nr_rates;
	size_t nr_rows;	    /* to print */
	const char *cut_by; /* the option that says so; NULL: all rows */
	bool quiet;	    /* text: only the rows */
	bool verbose;	    /* text: all files without symbols */
};

/* Which part of the time an event was counted, if not all. */
void report_put_share(FILE *out, const struct reading *since);

/* Files without symbols, as text. Returns 0 or -ENOMEM. */
int report_print_nameless(const struct report_output *out);

int report_print_text(const struct report_output *out);
int report_print_jsonl(const struct report_output *out);
int report_print_csv(const struct report_output *out);

/* The view --cachelines. Returns the exit status. @limit: 0: some, or all. */
int report_lines(struct load *load, const struct lines_config *config,
		 int format, unsigned int limit);

/* pmscope report --timeline: activity over time, and where it changes. */

#define TIMELINE_EVENTS 16

/* CSV columns before those of events. */
#define TIMELINE_COLUMNS                                               \
	{                                                              \
		"phase", "time", "duration", "samples", "lat_samples", \
			"lat_mean", "ipc"                              \
	}

/* After the counts of events, one column per group that counts both. */
#define PAIR_CYCLES	  TIMELINE_EVENTS
#define PAIR_INSTRUCTIONS (TIMELINE_EVENTS + 1)
#define SLICE_COUNTS	  (TIMELINE_EVENTS + 2)

/*
 * A part of the time. What was counted between two snapshots is shared among
 * the slices between them, so counts have fractions.
 */
struct slice {
	uint64_t samples;
	uint64_t timed; /* those with a total latency */
	uint64_t latency;
	double counts[SLICE_COUNTS];
	double scaled[SLICE_COUNTS]; /* by each counter alone */
	unsigned int phase;
};

struct timeline_event {
	char *name; /* no other has it */
	struct reading since;
};

struct timeline {
	struct load *load;
	struct timeline_event events[TIMELINE_EVENTS];
	size_t nr_events;
	struct counters counters;

	struct slice *slices;
	size_t nr;
	size_t max;
	uint64_t width; /* ns */
	uint64_t begin;
	uint64_t end; /* the last time of all */
	bool begun;
	uint64_t samples;
	uint64_t groups;
	uint64_t snapshots; /* groups with counters of pmu_snapshot */
	uint64_t untimed;   /* samples without a time */
};

static inline double slice_mean(const struct slice *slice)
{
	return mean_latency(slice->latency, slice->timed);
}

/* Returns the exit status. @rows: at most so many slices, 0: some. */
int report_timeline(struct load *load, int format, unsigned int rows);

/* timeline_print.c. Returns 0 or -ENOMEM. */
int timeline_print(const struct timeline *timeline, int format);
