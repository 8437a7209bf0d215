// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/jobs.h"
#include "base/thread.h"
#include "session/sysfs.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* One thread at a time writes: more of them would mostly wait for it. */
#define FED_THREADS 8

/* Addresses for a thread's stack, its heap, and what it works with. */
#define THREAD_SPACE ((uint64_t)128 << 20)

#define JOB_ROWS   1024 /* or, with the last run, more */
#define PER_WORKER 2	/* jobs in hand for each thread */

/*
 * What changes with each row is apart from the first runs of the job behind it
 * in the ring, which another thread looks at meanwhile.
 */
struct job {
	struct output out;
	struct lines lines; /* of @out */
	size_t rows;
	int ret;
	bool done;
	size_t nr_runs;
	size_t nr_taken; /* of them, the first are looked at */
	struct pmscope_run runs[JOB_ROWS];
};

struct worker {
	struct jobs *jobs;
	void *context;
	pthread_t thread;
};

/*
 * Jobs have numbers. The ring has those from @head on, which is the oldest not
 * written yet; up to @tail they are begun, and the one at @tail is being put
 * together by the thread that has @pulling, which then does it.
 */
struct jobs {
	const struct work *work;
	struct job *ring;
	size_t nr_ring;
	uint64_t head;
	uint64_t tail;
	int ret; /* the first other than 0, in the order of runs */
	bool writing;

	pthread_mutex_t pulling; /* of the recording, and what is next */
	bool ended;
	int error; /* of the recording */

	pthread_mutex_t lock; /* of @head, @tail, @ret, @writing and job.done */
	pthread_cond_t done;
	struct worker *workers;
	unsigned int nr_started;
};

unsigned int jobs_default_threads(void)
{
	cpu_set_t set;
	int nr;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	nr = CPU_COUNT(&set);
	return nr < FED_THREADS ? nr : FED_THREADS;
}

unsigned int jobs_threads_that_fit(unsigned int threads)
{
	uint64_t used, most;
	struct rlimit limit;
	char text[64];

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    pmscope_sysfs_read(text, sizeof(text), "/proc/self/statm") < 0)
		return threads;
	used = strtoull(text, NULL, 10) * sysconf(_SC_PAGESIZE);
	most = 1;
	if (used < limit.rlim_cur)
		most += (limit.rlim_cur - used) / THREAD_SPACE;
	return threads < most ? threads : most;
}

static struct job *job_of(struct jobs *jobs, uint64_t number)
{
	return &jobs->ring[number % jobs->nr_ring];
}

/* Others wait for it less long than the kernel takes to wake them. */
static void init_pulling(struct jobs *jobs)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(&jobs->pulling, &attr);
	pthread_mutexattr_destroy(&attr);
}

struct jobs *jobs_new(const struct work *work)
{
	struct jobs *jobs = calloc(1, sizeof(*jobs));

	if (!jobs)
		return NULL;
	jobs->work = work;
	init_pulling(jobs);
	pthread_mutex_init(&jobs->lock, NULL);
	pthread_cond_init(&jobs->done, NULL);
	if (work->threads < 2)
		return jobs;
	jobs->nr_ring = work->threads * PER_WORKER + 1;
	jobs->ring = calloc(jobs->nr_ring, sizeof(*jobs->ring));
	jobs->workers = calloc(work->threads, sizeof(*jobs->workers));
	if (jobs->ring && jobs->workers)
		return jobs;
	jobs_free(jobs);
	return NULL;
}

/* Looks at the runs that are new in the job. */
static void job_do(struct jobs *jobs, struct job *job, void *worker)
{
	for (; job->nr_taken < job->nr_runs; job->nr_taken++)
		if (!job->ret)
			job->ret = jobs->work->take(
				worker, &job->runs[job->nr_taken], &job->out);
}

/* A batch comes back with the last run of it. */
static void run_release(const struct work *work, const struct pmscope_run *run)
{
	if (run->last)
		pmscope_recording_reuse(work->recording,
					(struct pmscope_batch *)run->batch);
}

/*
 * Forgets its runs. They, and those of all jobs before it, are done: nobody
 * looks at their batches any more.
 */
static void job_release(const struct jobs *jobs, struct job *job)
{
	for (size_t i = 0; i < job->nr_runs; i++) {
		run_release(jobs->work, &job->runs[i]);
		free((void *)job->runs[i].group);
	}
	job->nr_runs = 0;
	job->nr_taken = 0;
}

static bool pass(const struct work *work, struct output *held)
{
	return work->order ? order_take(work->order, held)
			   : output_pass(work->out, held);
}

/* Writes a job that is done. The lock is held, but not meanwhile. */
static void job_write(struct jobs *jobs, struct job *job)
{
	bool failed = false;

	if (!jobs->ret && jobs->work->out) {
		pthread_mutex_unlock(&jobs->lock);
		failed = pass(jobs->work, &job->out);
		pthread_mutex_lock(&jobs->lock);
	}
	if (!jobs->ret)
		jobs->ret = failed ? 1 : job->ret;
	job->done = false;
	jobs->head++;
	pthread_cond_broadcast(&jobs->done);
}

/* The job is done: it is written by whoever is done with those before it. */
static void job_end(struct jobs *jobs, struct job *job)
{
	pthread_mutex_lock(&jobs->lock);
	job->done = true;
	while (!jobs->writing && jobs->head < jobs->tail &&
	       job_of(jobs, jobs->head)->done) {
		jobs->writing = true;
		job_write(jobs, job_of(jobs, jobs->head));
		jobs->writing = false;
	}
	pthread_mutex_unlock(&jobs->lock);
}

/* Until no more than @left jobs are under way. Returns the first result. */
static int drain(struct jobs *jobs, size_t left)
{
	int ret;

	pthread_mutex_lock(&jobs->lock);
	while (jobs->tail - jobs->head > left)
		pthread_cond_wait(&jobs->done, &jobs->lock);
	ret = jobs->ret;
	pthread_mutex_unlock(&jobs->lock);
	return ret;
}

/* What the recording lends ends with the next run. */
static const struct pmscope_sample *
group_copy(const struct pmscope_sample *group)
{
	size_t bytes = group->nr_counts * sizeof(*group->counts);
	struct pmscope_sample *copy = malloc(sizeof(*copy) + bytes);

	if (!copy)
		return NULL;
	*copy = *group;
	if (bytes)
		memcpy(copy + 1, group->counts, bytes);
	copy->counts = (const struct pmscope_count *)(copy + 1);
	return copy;
}

static int job_add(struct job *job, const struct pmscope_run *run)
{
	struct pmscope_run *added = &job->runs[job->nr_runs];

	*added = *run;
	if (run->group) {
		added->group = group_copy(run->group);
		if (!added->group)
			return -ENOMEM;
	}
	job->nr_runs++;
	job->rows += run->group ? 1 : run->end - run->first;
	return 0;
}

/*
 * Threads and mappings are about to change: all runs so far are done first, by
 * this thread those of its job.
 */
static void end_epoch(struct jobs *jobs, struct job *job, void *worker)
{
	job_do(jobs, job, worker);
	drain(jobs, 0);
	job_release(jobs, job);
}

/* The next run for the job; 0 when there is none or it is taken already. */
static int job_pull(struct jobs *jobs, struct job *job, void *worker)
{
	const struct work *work = jobs->work;
	struct pmscope_run run;
	int ret = work->next(work->source, &run);

	jobs->ended = ret <= 0;
	if (ret == PMSCOPE_CHANGES) {
		end_epoch(jobs, job, worker);
		return 0;
	}
	if (ret > 0)
		ret = run.group && work->group
			      ? work->group(work->context, &run)
			      : job_add(job, &run);
	jobs->ended |= ret;
	return ret;
}

static void job_fill(struct jobs *jobs, struct job *job, void *worker)
{
	job_release(jobs, job);
	output_hold(&job->out);
	if (jobs->work->order)
		job->out.lines = &job->lines;
	job->rows = 0;
	job->ret = 0;
	while (!jobs->ended && job->rows < JOB_ROWS && job->nr_runs < JOB_ROWS)
		jobs->error = job_pull(jobs, job, worker);
}

/*
 * This thread's share of the decoding: as much as there is room for, so that
 * what the next jobs are made of is there when it is asked for.
 */
static void decode_ahead(const struct work *work)
{
	while (work->ahead(work->source))
		;
}

/* Puts the next job together; NULL when nothing is left. */
static struct job *job_next(struct jobs *jobs, void *worker)
{
	struct job *job = NULL;

	decode_ahead(jobs->work);
	pthread_mutex_lock(&jobs->pulling);
	jobs->ended |= drain(jobs, jobs->nr_ring - 1);
	if (!jobs->ended) {
		job = job_of(jobs, jobs->tail);
		job_fill(jobs, job, worker);
		pthread_mutex_lock(&jobs->lock);
		jobs->tail++;
		pthread_mutex_unlock(&jobs->lock);
	}
	pthread_mutex_unlock(&jobs->pulling);
	return job;
}

static void work_through(struct jobs *jobs, void *worker)
{
	struct job *job;

	while ((job = job_next(jobs, worker))) {
		job_do(jobs, job, worker);
		job_end(jobs, job);
	}
}

static void *work(void *data)
{
	struct worker *worker = data;

	work_through(worker->jobs, worker->context);
	return NULL;
}

/* With fewer threads than wished for it goes on all the same. */
static void start(struct jobs *jobs)
{
	bool more = true;

	while (more && jobs->nr_started + 1 < jobs->work->threads) {
		struct worker *worker = &jobs->workers[jobs->nr_started];

		worker->jobs = jobs;
		worker->context = jobs->work->workers[jobs->nr_started + 1];
		more = !thread_start(&worker->thread, work, worker);
		jobs->nr_started += more;
	}
}

static void stop(struct jobs *jobs)
{
	while (jobs->nr_started)
		pthread_join(jobs->workers[--jobs->nr_started].thread, NULL);
}

/* One run in this thread. What is to be put in order is printed to @held. */
static int take_alone(const struct work *work, const struct pmscope_run *run,
		      struct output *held)
{
	int ret;

	if (run->group && work->group)
		return work->group(work->context, run);
	if (!work->order)
		return work->take(work->workers[0], run, work->out);
	ret = work->take(work->workers[0], run, held);
	return pass(work, held) ? 1 : ret;
}

/* All of it in this thread, without jobs. */
static int run_alone(const struct work *work)
{
	struct lines lines = {};
	struct output held = {.lines = &lines};
	struct pmscope_run run;
	int ret;

	output_hold(&held);
	while ((ret = work->next(work->source, &run)) > 0) {
		if (ret == PMSCOPE_CHANGES)
			continue;
		ret = take_alone(work, &run, &held);
		if (ret)
			break;
		run_release(work, &run);
	}
	output_free(&held);
	lines_free(&lines);
	return ret;
}

int jobs_run(struct jobs *jobs)
{
	void *worker = jobs->work->workers[0];
	struct job *first;

	if (!jobs->nr_ring)
		return run_alone(jobs->work);
	first = job_next(jobs, worker);
	/* Only where there is more than one job. */
	if (!jobs->ended)
		start(jobs);
	if (first) {
		job_do(jobs, first, worker);
		job_end(jobs, first);
	}
	work_through(jobs, worker);
	stop(jobs);
	return jobs->ret ? jobs->ret : jobs->error;
}

static void job_free(const struct jobs *jobs, struct job *job)
{
	job_release(jobs, job);
	output_free(&job->out);
	lines_free(&job->lines);
}

void jobs_free(struct jobs *jobs)
{
	if (!jobs)
		return;
	for (size_t i = 0; jobs->ring && i < jobs->nr_ring; i++)
		job_free(jobs, &jobs->ring[i]);
	pthread_mutex_destroy(&jobs->pulling);
	pthread_mutex_destroy(&jobs->lock);
	pthread_cond_destroy(&jobs->done);
	free(jobs->ring);
	free(jobs->workers);
	free(jobs);
}
