/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker threads that process the runs of a recording. Each thread loops:
 *
 *  1. decodes ahead, as long as there is room;
 *  2. exclusively takes runs from the recording until they make a job;
 *  3. does its job while other threads take theirs;
 *  4. writes the finished jobs in the order of the runs, and takes their runs
 *     where the order matters, so that the output is the same for any number of
 *     threads.
 *
 * In step 2 the recording may return PMSCOPE_CHANGES: the thread does its runs
 * and waits for all other jobs before it asks for the next run.
 */
#pragma once

#include "cli/output.h"

#include <pmscope/recording.h>

/*
 * Sorts the rows of many AUX areas by time. Rows are formatted area by area,
 * because consecutive rows of an area are alike; then their text is sorted.
 */

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

#define MAX_THREADS 64

/**
 * struct work - what to do with all samples
 * @in_order: samples of all CPUs in time order; not together with @merge
 * @threads: number of threads including the caller's; at most MAX_THREADS
 * @next: reads the next run, like pmscope_recording_next_run(); called by one
 *	  thread at a time
 * @ahead: decodes ahead for @next and returns how many bytes; 0 if that is
 *	   enough for now. Called by many threads at once
 * @source: argument of @next and @ahead
 * @recording: source of the runs, opened with the option shared
 * @take: processes one run, independently of other jobs, and prints to @out;
 *	  a nonzero result ends all work
 * @workers: the @worker argument of @take for each thread
 * @then: if not NULL, called for each run behind @take, by one thread at a time
 *	  and in order; a nonzero result ends all work
 * @group: if not NULL, called for counter groups instead of @take, by one
 *	   thread at a time and in order
 * @context: argument of @then and @group
 * @out: the output; NULL if there is none
 * @merge: if not NULL, receives the output of @take and writes it in time order
 */
struct work {
	bool in_order;
	unsigned int threads;
	int (*next)(void *source, struct pmscope_run *run);
	size_t (*ahead)(void *source);
	void *source;
	struct pmscope_recording *recording;
	int (*take)(void *worker, const struct pmscope_run *run,
		    struct output *out);
	void **workers;
	int (*then)(void *context, const struct pmscope_run *run);
	int (*group)(void *context, const struct pmscope_run *run);
	void *context;
	struct output *out;
	struct time_merge *merge;
};

struct worker_pool;

/* @work must stay valid until pool_free(). NULL if out of memory. */
struct worker_pool *pool_new(const struct work *work);
void pool_free(struct worker_pool *pool);

/*
 * Processes all runs. Returns the first non-zero result of take(), or -errno.
 */
int pool_run(struct worker_pool *pool);

/*
 * How many threads to use: @wanted or, for 0, one per CPU and at most 8; fewer
 * if the address space is limited.
 */
unsigned int pool_threads(unsigned int wanted);
