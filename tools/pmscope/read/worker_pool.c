// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/load.h"

#include <pthread.h>
#include <sched.h>

/*
 * Like pthread_create(). The thread blocks the program's signals but not its
 * own faults: a blocked fault kills the program, whatever its handlers.
 * SIGPIPE, from what the thread writes, is also unblocked unless the caller
 * blocks it.
 */
static inline int thread_start(pthread_t *thread, void *(*run)(void *),
			       void *data)
{
	static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV};
	sigset_t blocked, before;
	int ret;

	sigfillset(&blocked);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	if (!sigismember(&before, SIGPIPE))
		sigdelset(&blocked, SIGPIPE);
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	ret = pthread_create(thread, NULL, run, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

/* Only one thread writes at a time; others would mostly wait for it. */
#define FED_THREADS 8

/* Address space per thread: stack, heap and other data. */
#define THREAD_SPACE ((uint64_t)128 << 20)

#define JOB_ROWS   1024 /* or, with the last run, more */
#define PER_WORKER 2	/* jobs in hand for each thread */

/*
 * Written for each row; keep it away from the first runs of the next job in the
 * ring, which another thread reads.
 */
struct job {
	struct output out;
	struct lines lines; /* of @out */
	size_t rows;
	int ret;
	bool done;
	size_t nr_runs;
	size_t nr_taken; /* number of the first ones that are being processed */
	struct pmscope_run runs[JOB_ROWS];
};

struct worker {
	struct worker_pool *pool;
	void *context;
	pthread_t thread;
};

/*
 * Jobs are numbered. The ring holds those from @head on, the oldest that is not
 * written yet; up to @tail they have started. The job at @tail is being filled
 * by the thread that has @pulling, which then does it.
 */
struct worker_pool {
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

/* One for each CPU that this process may run on. */
static unsigned int default_threads(void)
{
	cpu_set_t set;
	int nr;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	nr = CPU_COUNT(&set);
	return MIN(nr, FED_THREADS);
}

/* As many of them as ulimit -v leaves room for, at least one. */
static unsigned int threads_that_fit(unsigned int threads)
{
	uint64_t used, most;
	struct rlimit limit;
	char text[64];

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    sysfs_read(text, sizeof(text), "/proc/self/statm") < 0)
		return threads;
	used = strtoull(text, NULL, 10) * sysconf(_SC_PAGESIZE);
	most = 1;
	if (used < limit.rlim_cur)
		most += (limit.rlim_cur - used) / THREAD_SPACE;
	return MIN(threads, most);
}

unsigned int pool_threads(unsigned int wanted)
{
	unsigned int threads = wanted ? wanted : default_threads();

	return threads_that_fit(MIN(threads, MAX_THREADS));
}

static struct job *job_of(struct worker_pool *pool, uint64_t number)
{
	return &pool->ring[number % pool->nr_ring];
}

/* Spinning is shorter than the time to wake a thread. */
static void init_pulling(struct worker_pool *pool)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(&pool->pulling, &attr);
	pthread_mutexattr_destroy(&attr);
}

struct worker_pool *pool_new(const struct work *work)
{
	struct worker_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->work = work;
	init_pulling(pool);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->done, NULL);
	if (work->threads < 2)
		return pool;
	pool->nr_ring = work->threads * PER_WORKER + 1;
	pool->ring = calloc(pool->nr_ring, sizeof(*pool->ring));
	pool->workers = calloc(work->threads, sizeof(*pool->workers));
	if (pool->ring && pool->workers)
		return pool;
	pool_free(pool);
	return NULL;
}

/* Looks at the runs that are new in the job. */
static void job_do(struct worker_pool *pool, struct job *job, void *worker)
{
	for (; job->nr_taken < job->nr_runs; job->nr_taken++)
		if (!job->ret)
			job->ret = pool->work->take(
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
 * Drops its runs. They, and those of all earlier jobs, are done: no thread uses
 * their batches any more.
 */
static void job_release(const struct worker_pool *pool, struct job *job)
{
	for (size_t i = 0; i < job->nr_runs; i++) {
		run_release(pool->work, &job->runs[i]);
		free((void *)job->runs[i].group);
	}
	job->nr_runs = 0;
	job->nr_taken = 0;
}

static bool pass(const struct work *work, struct output *held)
{
	return work->merge ? time_merge_take(work->merge, held)
			   : output_pass(work->out, held);
}

/* Takes its runs in order: those of all earlier jobs are taken. */
static void job_then(const struct work *work, struct job *job)
{
	for (size_t i = 0; work->then && i < job->nr_runs && !job->ret; i++)
		job->ret = work->then(work->context, &job->runs[i]);
}

/* Writes a finished job. Called with the lock held; drops it while writing. */
static void job_write(struct worker_pool *pool, struct job *job)
{
	int ret = pool->ret;

	if (!ret) {
		pthread_mutex_unlock(&pool->lock);
		job_then(pool->work, job);
		ret = pool->work->out && pass(pool->work, &job->out) ? 1
								     : job->ret;
		pthread_mutex_lock(&pool->lock);
	}
	pool->ret = ret;
	job->done = false;
	pool->head++;
	pthread_cond_broadcast(&pool->done);
}

/* The job is done. Whoever finishes the jobs before it writes it. */
static void job_end(struct worker_pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	job->done = true;
	while (!pool->writing && pool->head < pool->tail &&
	       job_of(pool, pool->head)->done) {
		pool->writing = true;
		job_write(pool, job_of(pool, pool->head));
		pool->writing = false;
	}
	pthread_mutex_unlock(&pool->lock);
}

/* Waits until at most @left jobs are running. Returns the first result. */
static int drain(struct worker_pool *pool, size_t left)
{
	int ret;

	pthread_mutex_lock(&pool->lock);
	while (pool->tail - pool->head > left)
		pthread_cond_wait(&pool->done, &pool->lock);
	ret = pool->ret;
	pthread_mutex_unlock(&pool->lock);
	return ret;
}

/* Data lent by the recording is valid until the next run. */
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
 * Threads and mappings are about to change: finish all runs so far first; this
 * thread does those of its own job.
 */
static void end_epoch(struct worker_pool *pool, struct job *job, void *worker)
{
	job_do(pool, job, worker);
	if (!drain(pool, 0))
		job_then(pool->work, job);
	job_release(pool, job);
}

/* The next run for the job; 0 if there is none or it is already taken. */
static int job_pull(struct worker_pool *pool, struct job *job, void *worker)
{
	const struct work *work = pool->work;
	struct pmscope_run run;
	int ret = work->next(work->source, &run);

	pool->ended = ret <= 0;
	if (ret == PMSCOPE_CHANGES) {
		end_epoch(pool, job, worker);
		return 0;
	}
	if (ret > 0)
		ret = run.group && work->group
			      ? work->group(work->context, &run)
			      : job_add(job, &run);
	pool->ended |= ret;
	return ret;
}

static void job_fill(struct worker_pool *pool, struct job *job, void *worker)
{
	job_release(pool, job);
	output_hold(&job->out);
	if (pool->work->merge)
		job->out.lines = &job->lines;
	job->rows = 0;
	job->ret = 0;
	while (!pool->ended && job->rows < JOB_ROWS && job->nr_runs < JOB_ROWS)
		pool->error = job_pull(pool, job, worker);
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
static struct job *job_next(struct worker_pool *pool, void *worker)
{
	struct job *job = NULL;

	decode_ahead(pool->work);
	pthread_mutex_lock(&pool->pulling);
	pool->ended |= drain(pool, pool->nr_ring - 1);
	if (!pool->ended) {
		job = job_of(pool, pool->tail);
		job_fill(pool, job, worker);
		pthread_mutex_lock(&pool->lock);
		pool->tail++;
		pthread_mutex_unlock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->pulling);
	return job;
}

static void work_through(struct worker_pool *pool, void *worker)
{
	struct job *job;

	while ((job = job_next(pool, worker))) {
		job_do(pool, job, worker);
		job_end(pool, job);
	}
}

static void *work(void *data)
{
	struct worker *worker = data;

	work_through(worker->pool, worker->context);
	return NULL;
}

/* Continue with fewer threads than requested. */
static void start(struct worker_pool *pool)
{
	bool more = true;

	while (more && pool->nr_started + 1 < pool->work->threads) {
		struct worker *worker = &pool->workers[pool->nr_started];

		worker->pool = pool;
		worker->context = pool->work->workers[pool->nr_started + 1];
		more = !thread_start(&worker->thread, work, worker);
		pool->nr_started += more;
	}
}

/* Does one run in this thread. Rows to be sorted are printed to @held. */
static int take_alone(const struct work *work, const struct pmscope_run *run,
		      struct output *held)
{
	int ret;

	if (run->group && work->group)
		return work->group(work->context, run);
	if (!work->merge)
		return work->take(work->workers[0], run, work->out)
			       ?: (work->then ? work->then(work->context, run)
					      : 0);
	ret = work->take(work->workers[0], run, held);
	return pass(work, held) ? 1 : ret;
}

/* Does everything in this thread, without jobs. */
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

int pool_run(struct worker_pool *pool)
{
	void *worker = pool->work->workers[0];
	struct job *first;

	if (!pool->nr_ring)
		return run_alone(pool->work);
	first = job_next(pool, worker);
	/* Only if there is more than one job. */
	if (!pool->ended)
		start(pool);
	if (first) {
		job_do(pool, first, worker);
		job_end(pool, first);
	}
	work_through(pool, worker);
	while (pool->nr_started)
		pthread_join(pool->workers[--pool->nr_started].thread, NULL);
	return pool->ret ? pool->ret : pool->error;
}

static void job_free(const struct worker_pool *pool, struct job *job)
{
	job_release(pool, job);
	output_free(&job->out);
	lines_free(&job->lines);
}

void pool_free(struct worker_pool *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; pool->ring && i < pool->nr_ring; i++)
		job_free(pool, &pool->ring[i]);
	pthread_mutex_destroy(&pool->pulling);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->done);
	free(pool->ring);
	free(pool->workers);
	free(pool);
}
