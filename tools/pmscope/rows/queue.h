/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that wait until their row has many of them. A row by instruction is
 * seldom in the CPU's caches, and its histograms are many places in memory: to
 * add a few samples at once costs little more than to add one.
 */
#ifndef PMSCOPE_ROWS_QUEUE_H
#define PMSCOPE_ROWS_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#define ROW_QUEUE  16
#define ROW_QUEUES ((size_t)1 << 16) /* later rows have none */

struct row_table;

/* A sample: its latencies, the number of its kind, which latencies it has, and
 * its cause. */
#define QUEUED_ISSUE	     16
#define QUEUED_TRANSLATE     32
#define QUEUED_KIND	     48
#define QUEUED_HAS_TOTAL     (UINT64_C(1) << 56)
#define QUEUED_HAS_ISSUE     (UINT64_C(1) << 57)
#define QUEUED_HAS_TRANSLATE (UINT64_C(1) << 58)
#define QUEUED_CAUSE	     60

/* Of each row: how many samples wait, and which. Initialize to zeros. */
struct row_queues {
	uint8_t *nr;
	uint64_t (*samples)[ROW_QUEUE];
	size_t max;
};

/*
 * Room for the rows of @table that have queues. Returns 0 or -ENOMEM, as the
 * next ones do.
 */
int row_queues_reserve(struct row_table *table);

/* Adds the samples that wait for row number @row to it. */
int row_queue_flush(struct row_table *table, size_t row);

/* The same for all rows; then none has a queue. */
int row_queues_flush(struct row_table *table);

void row_queues_fini(struct row_queues *queues);

#endif /* PMSCOPE_ROWS_QUEUE_H */
