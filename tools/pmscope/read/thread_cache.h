/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches the thread of the newest row of a run, and hashes of its values: the
 * next row nearly always belongs to the same thread.
 */
#pragma once

#include "read/load.h"
#include "base/context.h"

/**
 * struct thread_cache - the thread of the newest row
 * @known: the other members are valid
 * @epoch: epoch of its run
 * @running: running thread of its run
 * @context: TID in the record's Context packet
 * @thread: hash of process, thread and its name, before hash_finish()
 * @on_cpu: the same with the CPU, after hash_finish()
 * @user: hash of the process and the version of its mappings
 * @kernel: the same for the kernel
 * @sample: sample of the row
 */
struct thread_cache {
	bool known;
	uint64_t epoch;
	uint32_t running;
	uint32_t context;
	uint64_t thread;
	uint64_t on_cpu;
	uint64_t user;
	uint64_t kernel;
	struct pmscope_sample sample;
};

/* One per CPU, or per few CPUs. */
#define THREAD_CACHES 64

/* Finishes a hash: a sum of products with different odd numbers. */
static inline uint64_t hash_finish(uint64_t sum)
{
	__uint128_t product = (__uint128_t)sum * UINT64_C(0xe7037ed1a0b428db);

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* The cache for the rows of @run. */
static inline struct thread_cache *
thread_cache_of(struct thread_cache *currents, const struct pmscope_run *run)
{
	struct thread_cache *current = &currents[run->cpu % THREAD_CACHES];

	current->known = current->known && current->epoch == run->epoch &&
			 current->running == run->running &&
			 current->sample.cpu == run->cpu &&
			 run->tid == PMSCOPE_NO_ID;
	current->epoch = run->epoch;
	current->running = run->running;
	current->sample.batch = run->batch;
	current->sample.interval = run->interval;
	return current;
}

/* Slow path of thread_cache_set(): another thread. */
void thread_cache_renew(struct thread_cache *current, const struct load *load,
			const struct pmscope_run *run, size_t row);

/* Sets the sample to @row, except its time: see thread_cache_set_time(). */
static inline void thread_cache_set(struct thread_cache *current,
				    const struct load *load,
				    const struct pmscope_run *run, size_t row)
{
	uint32_t context = context_tid(run->batch, row);

	current->sample.row = row;
	if (current->known && current->context == context)
		return;
	current->context = context;
	thread_cache_renew(current, load, run, row);
}

/* Sets the time of the sample as well. */
static inline void thread_cache_set_time(struct thread_cache *current,
					 const struct load *load)
{
	struct pmscope_sample *s = &current->sample;
	const struct pmscope_batch *b = s->batch;

	s->has_time = b->has[s->row] & PMSCOPE_HAS_TIMESTAMP &&
		      pmscope_recording_time(load->recording,
					     b->timestamp[s->row], &s->time);
}
