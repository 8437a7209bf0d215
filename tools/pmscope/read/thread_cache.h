/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread of the newest row of a run, and hashes of its values. The next row
 * is nearly always of the same thread.
 */
#ifndef PMSCOPE_READ_THREAD_CACHE_H
#define PMSCOPE_READ_THREAD_CACHE_H

#include "read/load.h"
#include "recording/context.h"

/**
 * struct thread_cache - of the newest row
 * @known: the rest holds
 * @epoch: of its run, and
 * @running: the thread switched to
 * @context: as the record has it
 * @thread: hash of the process, the thread and its name; before hash_finish()
 * @on_cpu: the same with the CPU, after it
 * @user: a part of hashes: what the process has mapped, and
 * @kernel: what the kernel has
 * @sample: of the row
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

/* One per CPU, or few: runs return to the same thread soon. */
#define THREAD_CACHES 64

/* The hash of a sum of products, each of them with another odd number. */
static inline uint64_t hash_finish(uint64_t sum)
{
	__uint128_t product = (__uint128_t)sum * UINT64_C(0xe7037ed1a0b428db);

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* The one for the rows of @run. */
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
	return current;
}

/* Slow path of thread_cache_set(): another thread. */
void thread_cache_renew(struct thread_cache *current, const struct load *load,
			const struct pmscope_run *run, size_t row);

/* Makes @current the sample of @row; but its time may be another row's. */
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

/* The time, too. */
static inline void thread_cache_set_time(struct thread_cache *current,
					 const struct load *load)
{
	struct pmscope_sample *s = &current->sample;
	const struct pmscope_batch *b = s->batch;

	s->has_time = b->has[s->row] & PMSCOPE_HAS_TIMESTAMP &&
		      pmscope_recording_time(load->recording,
					     b->timestamp[s->row], &s->time);
}

#endif /* PMSCOPE_READ_THREAD_CACHE_H */
