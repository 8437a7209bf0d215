/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runs of a recording, looked at by many threads. Each decodes some of what
 * is ahead; one at a time takes as many runs as make a job, and then does it
 * while others take theirs. What jobs print is written in the order of the
 * runs, so that it is the same for any number of threads.
 */
#ifndef PMSCOPE_READ_JOBS_H
#define PMSCOPE_READ_JOBS_H

#include "read/order.h"

#include <pmscope/recording.h>

#define MAX_THREADS 64

/**
 * struct work - what is to be done with all samples
 * @in_order: of their time, even among CPUs; not together with @order
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
 * @order: if not NULL it gets what @take prints, with its lines, and writes it
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
	struct order *order;
};

struct jobs;

/* @work must stay until jobs_free(). NULL when memory is short. */
struct jobs *jobs_new(const struct work *work);
void jobs_free(struct jobs *jobs);

/* Does it all. Returns the first result of take() that is not 0, or -errno. */
int jobs_run(struct jobs *jobs);

/* One thread for each CPU this process may run on, up to 8. */
unsigned int jobs_default_threads(void);

/* So many of @threads, one at least, as ulimit -v leaves room for. */
unsigned int jobs_threads_that_fit(unsigned int threads);

#endif /* PMSCOPE_READ_JOBS_H */
