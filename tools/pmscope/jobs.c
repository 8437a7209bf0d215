// SPDX-License-Identifier: GPL-2.0-or-later
#include "jobs.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* One thread decodes for all: more of them would mostly wait for it. */
#define FED_THREADS 8

#define JOB_ROWS   1024
#define PER_WORKER 2 /* jobs in hand for each thread */

struct job {
	struct pmscope_run runs[JOB_ROWS];
	size_t nr_runs;
	size_t rows;
	struct output out;
	int ret;
	bool done;
};

/* A batch the recording is done with, and the job after the last to see it. */
struct kept {
	struct kept *next;
	struct pmscope_batch *batch;
	uint64_t until;
};

struct worker {
	struct jobs *jobs;
	void *context;
	pthread_t thread;
};

/*
 * Jobs have numbers. The ring has those from @head on, which is the oldest not
 * written yet; up to @next they are begun, up to @tail to be done, and the one
 * at @tail is being put together.
 */
struct jobs {
	const struct work *work;
	struct job *ring;
	size_t nr_ring;
	uint64_t head;
	uint64_t next;
	uint64_t tail;
	int ret; /* the first other than 0, in the order of runs */

	struct kept *kept; /* the oldest */
	struct kept **kept_end;

	pthread_mutex_t lock; /* of @next, @tail, @stop and job.done */
	pthread_cond_t todo;
	pthread_cond_t done;
	struct worker *workers;
	unsigned int nr_started;
	bool started;
	bool stop;
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

static struct job *job_of(struct jobs *jobs, uint64_t number)
{
	return &jobs->ring[number % jobs->nr_ring];
}

struct jobs *jobs_new(const struct work *work)
{
	struct jobs *jobs = calloc(1, sizeof(*jobs));

	if (!jobs)
		return NULL;
	jobs->work = work;
	jobs->kept_end = &jobs->kept;
	pthread_mutex_init(&jobs->lock, NULL);
	pthread_cond_init(&jobs->todo, NULL);
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

static void job_do(struct jobs *jobs, struct job *job, void *worker)
{
	job->ret = 0;
	for (size_t i = 0; i < job->nr_runs && !job->ret; i++)
		job->ret = jobs->work->take(worker, &job->runs[i], &job->out);
}

/* Begins the oldest job to be done, if there is one, and does it. */
static bool do_next(struct jobs *jobs, void *worker)
{
	struct job *job;

	if (jobs->next == jobs->tail)
		return false;
	job = job_of(jobs, jobs->next++);
	pthread_mutex_unlock(&jobs->lock);
	job_do(jobs, job, worker);
	pthread_mutex_lock(&jobs->lock);
	job->done = true;
	pthread_cond_signal(&jobs->done);
	return true;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct jobs *jobs = worker->jobs;

	pthread_mutex_lock(&jobs->lock);
	while (!jobs->stop)
		if (!do_next(jobs, worker->context))
			pthread_cond_wait(&jobs->todo, &jobs->lock);
	pthread_mutex_unlock(&jobs->lock);
	return NULL;
}

/*
 * Only where there is more than one job. With fewer threads than wished for it
 * goes on all the same. The program's signals are not for them.
 */
static void start(struct jobs *jobs)
{
	sigset_t all, before;
	bool more = true;

	jobs->started = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (more && jobs->nr_started + 1 < jobs->work->threads) {
		struct worker *worker = &jobs->workers[jobs->nr_started];

		worker->jobs = jobs;
		worker->context = jobs->work->workers[jobs->nr_started + 1];
		more = !pthread_create(&worker->thread, NULL, work, worker);
		jobs->nr_started += more;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void job_reset(struct job *job)
{
	for (size_t i = 0; i < job->nr_runs; i++)
		free((void *)job->runs[i].group);
	job->nr_runs = 0;
	job->rows = 0;
	job->done = false;
}

/* Writes the oldest job, which is done. */
static void job_end(struct jobs *jobs)
{
	struct job *job = job_of(jobs, jobs->head);

	if (!jobs->ret && jobs->work->out &&
	    output_pass(jobs->work->out, &job->out))
		jobs->ret = 1;
	if (!jobs->ret)
		jobs->ret = job->ret;
	job_reset(job);
	jobs->head++;
}

static bool head_is_done(struct jobs *jobs)
{
	return jobs->head < jobs->tail && job_of(jobs, jobs->head)->done;
}

/* Until no more than @left jobs are to be done; helps meanwhile. */
static void drain(struct jobs *jobs, size_t left)
{
	pthread_mutex_lock(&jobs->lock);
	for (;;) {
		if (head_is_done(jobs)) {
			pthread_mutex_unlock(&jobs->lock);
			job_end(jobs);
			pthread_mutex_lock(&jobs->lock);
		} else if (jobs->tail - jobs->head <= left) {
			break;
		} else if (!do_next(jobs, jobs->work->workers[0])) {
			pthread_cond_wait(&jobs->done, &jobs->lock);
		}
	}
	pthread_mutex_unlock(&jobs->lock);
}

static void submit(struct jobs *jobs)
{
	if (!jobs->started && jobs->tail)
		start(jobs);
	pthread_mutex_lock(&jobs->lock);
	jobs->tail++;
	pthread_cond_signal(&jobs->todo);
	pthread_mutex_unlock(&jobs->lock);
	/* The ring has a job to put together, always. */
	drain(jobs, jobs->nr_ring - 1);
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

int jobs_add(struct jobs *jobs, const struct pmscope_run *run)
{
	const struct work *work = jobs->work;
	struct pmscope_run *added;
	struct job *job;

	if (run->group && work->group)
		return work->group(work->context, run->group);
	if (!jobs->nr_ring)
		return work->take(work->workers[0], run, work->out);
	job = job_of(jobs, jobs->tail);
	output_hold(&job->out);
	added = &job->runs[job->nr_runs];
	*added = *run;
	if (run->group) {
		added->group = group_copy(run->group);
		if (!added->group)
			return -ENOMEM;
	}
	job->nr_runs++;
	job->rows += run->group ? 1 : run->end - run->first;
	if (job->rows >= JOB_ROWS || job->nr_runs == JOB_ROWS)
		submit(jobs);
	return jobs->ret;
}

int jobs_settle(struct jobs *jobs)
{
	struct job *job;

	if (!jobs->nr_ring)
		return 0;
	job = job_of(jobs, jobs->tail);
	if (job->nr_runs) {
		pthread_mutex_lock(&jobs->lock);
		jobs->tail++;
		pthread_mutex_unlock(&jobs->lock);
	}
	drain(jobs, 0);
	return jobs->ret;
}

/* The oldest batch no job needs any longer; NULL when all are needed. */
static struct pmscope_batch *take_unneeded(struct jobs *jobs)
{
	struct kept *kept = jobs->kept;
	struct pmscope_batch *batch;

	if (!kept || kept->until > jobs->head)
		return NULL;
	batch = kept->batch;
	jobs->kept = kept->next;
	if (!jobs->kept)
		jobs->kept_end = &jobs->kept;
	free(kept);
	return batch;
}

static bool keep(struct jobs *jobs, struct pmscope_batch *batch)
{
	struct kept *kept = malloc(sizeof(*kept));

	if (!kept)
		return false;
	*kept = (struct kept){
		.batch = batch,
		.until = jobs->tail + !!job_of(jobs, jobs->tail)->nr_runs,
	};
	*jobs->kept_end = kept;
	jobs->kept_end = &kept->next;
	return true;
}

struct pmscope_batch *jobs_renew(struct jobs *jobs, struct pmscope_batch *batch,
				 bool more)
{
	size_t capacity = batch->capacity;
	struct pmscope_batch *other;

	if (!jobs->nr_ring && more)
		return batch;
	if (!jobs->nr_ring || !keep(jobs, batch)) {
		/* Nobody can be told of it any more. */
		jobs_settle(jobs);
		pmscope_batch_free(batch);
		return NULL;
	}
	if (!more)
		return NULL;
	while ((other = take_unneeded(jobs))) {
		if (other->capacity == capacity)
			return other;
		pmscope_batch_free(other);
	}
	return pmscope_batch_new(capacity);
}

static void stop(struct jobs *jobs)
{
	pthread_mutex_lock(&jobs->lock);
	jobs->stop = true;
	pthread_cond_broadcast(&jobs->todo);
	pthread_mutex_unlock(&jobs->lock);
	for (unsigned int i = 0; i < jobs->nr_started; i++)
		pthread_join(jobs->workers[i].thread, NULL);
}

void jobs_free(struct jobs *jobs)
{
	struct pmscope_batch *batch;

	if (!jobs)
		return;
	stop(jobs);
	for (size_t i = 0; jobs->ring && i < jobs->nr_ring; i++) {
		job_reset(&jobs->ring[i]);
		output_free(&jobs->ring[i].out);
	}
	jobs->head = UINT64_MAX;
	while ((batch = take_unneeded(jobs)))
		pmscope_batch_free(batch);
	pthread_mutex_destroy(&jobs->lock);
	pthread_cond_destroy(&jobs->todo);
	pthread_cond_destroy(&jobs->done);
	free(jobs->ring);
	free(jobs->workers);
	free(jobs);
}
