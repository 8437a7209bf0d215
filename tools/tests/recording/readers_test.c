// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The caller's threads process runs while another takes the next ones.
 * PMSCOPE_SEED repeats a failed run; ThreadSanitizer finds more.
 */
#include "activity.h"
#include "stream.h"

#include <pmscope/recording.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define RECORDS 30000
#define READERS 3
#define AHEAD	2
#define THREADS (READERS + AHEAD)
#define RUNS	16
#define BATCHES 64
#define LOOKS	20 /* so that it takes longer than getting the next run */

/* Runs from @done on are being processed, or will be. */
struct readers {
	struct pmscope_recording *recording;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	struct pmscope_run runs[RUNS];
	size_t taken;
	size_t added;
	size_t done;
	bool over;
	struct pmscope_batch *kept[BATCHES];
	size_t nr_kept;
	atomic_size_t rows;
	_Atomic uint64_t sum;
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
	while (text && *text)
		hash = hash * 31 + (unsigned char)*text++;
	return hash * 31;
}

static uint64_t hash_place(uint64_t hash, const struct pmscope_place *place)
{
	hash = hash_text(hash, place->dso);
	for (size_t i = 0; i < place->build_id_size; i++)
		hash = hash * 31 + place->build_id[i];
	return hash * 31 + place->file_offset;
}

static uint64_t look_at(const struct pmscope_recording *recording,
			const struct pmscope_run *run, size_t row)
{
	struct pmscope_sample s;
	struct pmscope_place place;
	uint64_t hash, pc = pmscope_code_address(run->batch->pc[row]);

	pmscope_recording_run_sample(recording, run, row, &s);
	hash = hash_text(s.time * 31 + s.tid, s.comm);
	pmscope_recording_place(recording, &s, pc, &place);
	hash = hash_place(hash, &place);
	if (pmscope_recording_place_below(recording, &s, pc, &place))
		hash = hash_place(hash, &place);
	hash = hash * 31 + pmscope_recording_version(recording, s.pid);
	return hash * 31 + pmscope_recording_event_filter(recording, s.cpu);
}

static void look_at_all(struct readers *r, const struct pmscope_run *run)
{
	uint64_t sum = 0;

	for (int i = 0; i < LOOKS; i++)
		for (size_t row = run->first; row < run->end; row++)
			sum += look_at(r->recording, run, row);
	r->sum += sum;
	r->rows += run->end - run->first;
}

static void *look(void *data)
{
	struct readers *r = data;
	struct pmscope_run run;

	pthread_mutex_lock(&r->lock);
	while (r->taken < r->added || !r->over) {
		if (r->taken == r->added) {
			pthread_cond_wait(&r->moved, &r->lock);
			continue;
		}
		run = r->runs[r->taken++ % RUNS];
		pthread_mutex_unlock(&r->lock);
		look_at_all(r, &run);
		pthread_mutex_lock(&r->lock);
		r->done++;
		pthread_cond_broadcast(&r->moved);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static bool is_over(struct readers *r)
{
	bool over;

	pthread_mutex_lock(&r->lock);
	over = r->over;
	pthread_mutex_unlock(&r->lock);
	return over;
}

static void *decode_ahead(void *data)
{
	struct readers *r = data;

	while (!is_over(r))
		if (!pmscope_recording_ahead(r->recording))
			sched_yield();
	return NULL;
}

static void wait_for_all(struct readers *r)
{
	pthread_mutex_lock(&r->lock);
	while (r->done < r->added)
		pthread_cond_wait(&r->moved, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

/* Its batch is not used any more once all threads were waited for. */
static void keep(struct readers *r, const struct pmscope_run *run)
{
	if (!run->last)
		return;
	if (r->nr_kept == BATCHES) {
		wait_for_all(r);
		while (r->nr_kept)
			pmscope_recording_reuse(r->recording,
						r->kept[--r->nr_kept]);
	}
	r->kept[r->nr_kept++] = (struct pmscope_batch *)run->batch;
}

/* If no other thread does, this one processes it. */
static void hand_out(struct readers *r, const struct pmscope_run *run,
		     bool alone)
{
	if (run->group)
		return;
	if (alone) {
		look_at_all(r, run);
		return;
	}
	pthread_mutex_lock(&r->lock);
	while (r->added - r->done == RUNS)
		pthread_cond_wait(&r->moved, &r->lock);
	r->runs[r->added++ % RUNS] = *run;
	pthread_cond_broadcast(&r->moved);
	pthread_mutex_unlock(&r->lock);
}

static void read_all(struct readers *r, bool alone)
{
	struct pmscope_run run;
	int ret;

	while ((ret = pmscope_recording_next_run(r->recording, true, &run)) >
	       0) {
		if (ret == PMSCOPE_CHANGES) {
			wait_for_all(r);
			continue;
		}
		hand_out(r, &run, alone);
		keep(r, &run);
	}
	wait_for_all(r);
	pthread_mutex_lock(&r->lock);
	r->over = true;
	pthread_cond_broadcast(&r->moved);
	pthread_mutex_unlock(&r->lock);
}

static void read_with(struct readers *r, const struct bytes *b,
		      unsigned int threads)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options),
		.shared = true,
		.ahead = AHEAD,
	};
	pthread_t thread[THREADS];

	*r = (struct readers){.lock = PTHREAD_MUTEX_INITIALIZER,
			      .moved = PTHREAD_COND_INITIALIZER};
	ASSERT_EQ(pmscope_recording_open(b->data, b->size, &options,
					 &r->recording),
		  0);
	for (unsigned int i = 0; i < threads; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL,
					 i < READERS ? look : decode_ahead, r),
			  0);
	read_all(r, !threads);
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	while (r->nr_kept)
		pmscope_batch_free(r->kept[--r->nr_kept]);
	pmscope_recording_free(r->recording);
}

static void compare(const struct activity *activity)
{
	struct readers alone, together;
	BYTES b = {};

	put_activity(&b, activity);
	read_with(&alone, &b, 0);
	read_with(&together, &b, THREADS);
	EXPECT_TRUE(alone.rows > RECORDS / 2);
	EXPECT_EQ(together.rows, alone.rows);
	EXPECT_EQ(together.sum, alone.sum);
}

CASE(threads_and_mappings_that_change,
     compare(&(struct activity){.seed = stream_seed(4),
				.records = RECORDS,
				.rare = 30,
				.counted = true}));

CASE(threads_and_mappings_that_seldom_change,
     compare(&(struct activity){
	     .seed = stream_seed(5), .records = RECORDS, .rare = 1000}));
