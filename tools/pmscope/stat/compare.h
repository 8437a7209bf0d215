/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `pmscope stat --compare`: a group counted twice at the same time, by
 * pmu_snapshot and by the PMU of the CPU, with its first event once more at its
 * end. The difference between the two counts of this event is the skew of a
 * read.
 */
#pragma once

#include "stat/stat.h"

/**
 * struct stat_skew - the skew of one group
 * @reads: number of reads of the group, on all CPUs or tasks
 * @sum, @max: of the absolute differences
 */
struct stat_skew {
	uint64_t reads;
	uint64_t sum;
	uint64_t max;
};

enum {
	STAT_SNAPSHOT,
	STAT_CORE_PMU,
	STAT_COMPARED
};

struct stat_comparison {
	struct stat_skew skew[STAT_COMPARED];
};

/*
 * Makes two groups from the one in @events. Returns the number of events in
 * each group; -errno after an error was reported.
 */
int stat_compare_events(struct event_list *events);

/* Adds one reading of all groups. */
void stat_compare_add(struct stat_comparison *comparison,
		      const struct pmscope_reading *reading, size_t nr);

void stat_compare_print(const struct stat_printer *p,
			const struct stat_comparison *comparison,
			const struct event_list *events);
