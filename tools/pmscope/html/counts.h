/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of events over time, in slices like those of the cube. What was
 * counted between two readings is shared among the slices between them.
 */
#ifndef PMSCOPE_HTML_COUNTS_H
#define PMSCOPE_HTML_COUNTS_H

#include "html/cube.h"
#include "rows/rows.h"

#define COUNTS_EVENTS 16

/* After the events, cycles and instructions of groups that count both. */
#define COUNTS_CYCLES	    COUNTS_EVENTS
#define COUNTS_INSTRUCTIONS (COUNTS_EVENTS + 1)
#define COUNTS_ALL	    (COUNTS_EVENTS + 2)

/* Starts as zeros but for @width. */
struct counts {
	bool begun;
	uint64_t width; /* ns */
	uint64_t first; /* slice, as a multiple of @width */
	uint64_t last;
	double slices[CUBE_SLICES][COUNTS_ALL];
	double scaled[CUBE_SLICES][COUNTS_ALL]; /* by each counter alone */
};

/* For struct row_also. */
void counts_add(void *counting, const struct counted *counted);
void counts_add_pair(void *context, const struct pmscope_run *run,
		     const struct counted_pair *pair);

/* Makes slices twice as long. */
void counts_coarsen(struct counts *counts);

/* Call after counters_settle(): the counts are then in @slices. */
void counts_settle(struct counts *counts, const struct counters *all);

#endif /* PMSCOPE_HTML_COUNTS_H */
