/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmscope report --timeline: activity over time, and where it changes. */
#pragma once

#include "print/format.h"
#include "read/load.h"
#include "report/report.h"

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
