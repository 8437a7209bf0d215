/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker threads that look at the runs of a recording. Each thread in turn:
 *
 *  1. decodes ahead, as much as there is room for;
 *  2. alone, takes runs from the recording until they make a job;
 *  3. does its job while other threads take theirs;
 *  4. writes the jobs that are done, in the order of the runs, so that the
 *     output is the same for any number of threads.
 *
 * In step 2 the recording may return PMSCOPE_CHANGES: the thread does its runs
 * and waits for all other jobs before it asks for the next run.
 */
#ifndef PMSCOPE_READ_WORKER_POOL_H
#define PMSCOPE_READ_WORKER_POOL_H

#include "read/time_merge.h"

#include <pmscope/recording.h>

#define MAX_THREADS 64

/**
 * struct work - what is to be done with all samples
 * @in_order: of their time, even among CPUs; not together with @merge
 * @threads: that do it, the caller's own among them; at most MAX_THREADS
 * @next: reads the next run, as pmscope_recording_next_run(); by one thread at
 *	  a time
 * @ahead: decodes some of what @next will give and tells how many bytes; 0 when
 *	   that is enough for now. By many threads at once
 * @source: for both
 * @recording: where the runs are from, with the option shared
 * @take: looks at one run; returns other than 0 to end it all. Of the runs of
 *	  other jobs it knows nothing; what it prints goes to @out
 * @workers: for each thread what @take gets as @worker
 * @group: takes groups of counters in place of @take, by one thread at a time
 *	   and in their order, if not NULL
 * @context: for @group
 * @out: what is written in the end; NULL when nothing is
 * @merge: if not NULL it gets what @take prints, with its lines, and writes it
 *	   in the order of time
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
	int (*group)(void *context, const struct pmscope_run *run);
	void *context;
	struct output *out;
	struct time_merge *merge;
};

struct worker_pool;

/* @work must stay until pool_free(). NULL when memory is short. */
struct worker_pool *pool_new(const struct work *work);
void pool_free(struct worker_pool *pool);

/*
 * Processes all runs. Returns the first non-zero result of take(), or -errno.
 */
int pool_run(struct worker_pool *pool);

/*
 * How many threads to use: @wanted of them, or, for 0, one per CPU and at most
 * 8; fewer where the address space is limited.
 */
unsigned int pool_threads(unsigned int wanted);

#endif /* PMSCOPE_READ_WORKER_POOL_H */
