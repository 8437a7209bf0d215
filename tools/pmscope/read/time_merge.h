/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of many AUX areas in time order. They are printed area by area, because
 * consecutive rows of an area are alike; then their text is sorted.
 */
#ifndef PMSCOPE_READ_TIME_MERGE_H
#define PMSCOPE_READ_TIME_MERGE_H

#include "cli/output.h"

struct time_merge;

/* Writes to @out. NULL if out of memory. */
struct time_merge *time_merge_new(size_t areas, struct output *out);
void time_merge_free(struct time_merge *merge);

/*
 * Takes the rows that @held has in its lines; writes those that none can come
 * before any more. False when all is well.
 */
bool time_merge_take(struct time_merge *merge, struct output *held);

/* Writes the rows that are left. */
void time_merge_end(struct time_merge *merge);

#endif /* PMSCOPE_READ_TIME_MERGE_H */
