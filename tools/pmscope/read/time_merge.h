/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts the rows of many AUX areas by time. Rows are formatted area by area,
 * because consecutive rows of an area are alike; then their text is sorted.
 */
#pragma once

#include "cli/output.h"

struct time_merge;

/* Writes to @out. NULL if out of memory. */
struct time_merge *time_merge_new(size_t areas, struct output *out);
void time_merge_free(struct time_merge *merge);

/*
 * Takes the rows in @held->lines; writes those that no later row can precede.
 * Returns false on success.
 */
bool time_merge_take(struct time_merge *merge, struct output *held);

/* Writes the rows that are left. */
void time_merge_end(struct time_merge *merge);
