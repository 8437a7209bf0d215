// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Decoding by many threads: each takes a chunk, see chunk.h. */
#include <pmscope/decoder.h>

#include "base/options.h"
#include "base/size.h"
#include "base/thread.h"
#include "chunk.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLAGS                                          \
	(PMSCOPE_DECODE_LAST | PMSCOPE_DECODE_RESYNC | \
	 PMSCOPE_DECODE_SKIP_BY_SIZE | PMSCOPE_DECODE_BRIEF)

#define CHUNK	     ((size_t)64 << 10) /* its columns stay in a cache */
#define CHUNK_MAX    ((size_t)1 << 24)
#define THREADS_MAX  256
#define WORTHWHILE   16 /* chunks: to decode fewer is to wait for a thread */
#define SLOTS_THREAD 2

/* A chunk that a thread took. */
struct slot {
	struct worker *owner;
	struct chunk chunk;
	bool busy; /* from taken by its owner to given back by the consumer */
	bool done;
};

/*
 * A thread with slots of its own, so that it writes to memory that is still in
 * its caches. The first is the caller's, which decodes where it would wait.
 */
struct worker {
	struct pmscope_decoder *dec;
	pthread_t thread;
	pthread_cond_t room; /* one of its slots was given back */
	struct slot slots[SLOTS_THREAD];
	struct shapes shapes;
};

struct pmscope_decoder {
	struct pmscope_decoder_options options;
	bool headless; /* each span: a flag that chunks are without */
	struct pmscope_span *spans;
	size_t nr_spans;
	size_t span; /* of the next chunk to be taken, and its begin */
	size_t begin;
	size_t padding; /* of that span */
	size_t at_span; /* where the consumer is */
	size_t at;
	struct pmscope_decode_stats stats;
	struct shapes shapes; /* of the consumer */

	pthread_mutex_t lock;
	pthread_cond_t done; /* a slot is */
	struct worker *workers;
	unsigned int nr_workers;
	unsigned int nr_threads; /* that run; 0: the caller's own does it */
	struct slot *
		*taken_slots; /* a ring of those taken and not given back */
	size_t nr_slots;
	uint64_t nr_chunks;
	uint64_t taken;	   /* chunks that threads took */
	uint64_t consumed; /* and that the consumer gave back */
	struct slot *held; /* by the consumer */
	bool stop;
};

/* The next chunk, if there is one. */
static bool take_chunk(struct pmscope_decoder *dec, struct slot *slot)
{
	struct stretch *stretch = &slot->chunk.stretch;
	size_t left;

	while (dec->span < dec->nr_spans &&
	       dec->begin >= dec->spans[dec->span].size) {
		dec->span++;
		dec->begin = 0;
	}
	if (dec->span == dec->nr_spans)
		return false;
	if (!dec->begin && dec->headless)
		dec->padding = stretch_padding(&dec->spans[dec->span]);
	left = dec->spans[dec->span].size - dec->begin;
	if (left > dec->options.chunk)
		left = dec->options.chunk;
	*stretch = (struct stretch){
		.span = dec->spans[dec->span],
		.index = dec->span,
		.begin = dec->begin,
		.end = dec->begin + left,
		.known = !dec->begin,
		.headless = dec->headless,
		.padding = dec->padding,
	};
	dec->begin = stretch->end;
	return true;
}

/* Whatever was guessed: from where the chunk before it ended. */
static void finish_slot(struct pmscope_decoder *dec, struct slot *slot)
{
	const struct stretch *stretch = &slot->chunk.stretch;

	if (dec->at_span != stretch->index) {
		dec->at_span = stretch->index;
		dec->at = 0;
	}
	chunk_finish(&slot->chunk, dec->at, dec->options.flags, &dec->shapes);
	dec->at = slot->chunk.next;
}

static struct slot *free_slot(struct worker *worker)
{
	for (unsigned int i = 0; i < SLOTS_THREAD; i++)
		if (!worker->slots[i].busy)
			return &worker->slots[i];
	return NULL;
}

/*
 * Decodes the next chunk; false when there is none, or no room for it. The lock
 * is held, but not meanwhile.
 */
static bool decode_one(struct worker *worker)
{
	struct pmscope_decoder *dec = worker->dec;
	struct slot *slot = free_slot(worker);

	if (!slot || !take_chunk(dec, slot))
		return false;
	slot->busy = true;
	dec->taken_slots[dec->taken++ % dec->nr_slots] = slot;
	pthread_mutex_unlock(&dec->lock);
	chunk_guess(&slot->chunk, dec->options.flags, &worker->shapes);
	pthread_mutex_lock(&dec->lock);
	slot->done = true;
	pthread_cond_signal(&dec->done);
	return true;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct pmscope_decoder *dec = worker->dec;
	bool more = true;

	pthread_mutex_lock(&dec->lock);
	while (more && !dec->stop) {
		if (free_slot(worker))
			more = decode_one(worker);
		else
			pthread_cond_wait(&worker->room, &dec->lock);
	}
	pthread_mutex_unlock(&dec->lock);
	return NULL;
}

static void give_back(struct pmscope_decoder *dec)
{
	struct slot *slot = dec->held;

	if (!slot)
		return;
	dec->consumed++;
	slot->done = false;
	slot->busy = false;
	dec->held = NULL;
	pthread_cond_signal(&slot->owner->room);
}

/* The oldest chunk that was not consumed, if it is done. */
static struct slot *done_slot(const struct pmscope_decoder *dec)
{
	struct slot *slot;

	if (dec->consumed == dec->taken)
		return NULL;
	slot = dec->taken_slots[dec->consumed % dec->nr_slots];
	return slot->done ? slot : NULL;
}

static struct slot *wait_slot(struct pmscope_decoder *dec)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&dec->lock);
	give_back(dec);
	while (dec->consumed < dec->nr_chunks && !(slot = done_slot(dec)))
		if (!decode_one(&dec->workers[0]))
			pthread_cond_wait(&dec->done, &dec->lock);
	dec->held = slot;
	pthread_mutex_unlock(&dec->lock);
	return slot;
}

/* Its records are so short that its batch has no room for all of them. */
static bool has_more(const struct slot *slot)
{
	const struct pmscope_batch *batch = slot->chunk.batch;

	return batch->count == batch->capacity &&
	       slot->chunk.next < slot->chunk.stretch.end;
}

static struct slot *next_slot(struct pmscope_decoder *dec)
{
	struct slot *slot = dec->workers[0].slots;

	if (dec->held && has_more(dec->held))
		return dec->held;
	if (dec->nr_threads)
		return wait_slot(dec);
	if (!take_chunk(dec, slot))
		return NULL;
	slot->chunk.first = SIZE_MAX;
	dec->held = slot;
	return slot;
}

const struct pmscope_batch *pmscope_decoder_next(struct pmscope_decoder *dec,
						 size_t *span)
{
	struct slot *slot;

	while ((slot = next_slot(dec))) {
		finish_slot(dec, slot);
		stats_add(&dec->stats, &slot->chunk.stats);
		if (!slot->chunk.batch->count)
			continue;
		if (span)
			*span = slot->chunk.stretch.index;
		return slot->chunk.batch;
	}
	return NULL;
}

const struct pmscope_decode_stats *
pmscope_decoder_stats(const struct pmscope_decoder *dec)
{
	return &dec->stats;
}

static void choose_defaults(struct pmscope_decoder_options *options)
{
	if (!options->chunk)
		options->chunk = CHUNK;
	if (options->chunk > CHUNK_MAX)
		options->chunk = CHUNK_MAX;
}

static void choose_threads(struct pmscope_decoder *dec)
{
	size_t threads = dec->options.threads;

	if (!threads)
		threads = min_size(sysconf(_SC_NPROCESSORS_ONLN),
				   1 + dec->nr_chunks / WORTHWHILE);
	dec->options.threads = min_size(threads, THREADS_MAX);
}

static int copy_spans(struct pmscope_decoder *dec,
		      const struct pmscope_span *spans)
{
	size_t chunk = dec->options.chunk;

	dec->spans = calloc(dec->nr_spans + 1, sizeof(*dec->spans));
	if (!dec->spans)
		return -ENOMEM;
	for (size_t i = 0; i < dec->nr_spans; i++) {
		dec->spans[i] = spans[i];
		dec->nr_chunks += (spans[i].size + chunk - 1) / chunk;
	}
	return 0;
}

static int make_worker(struct pmscope_decoder *dec, struct worker *worker)
{
	/* The caller's own thread needs no second one. */
	unsigned int slots = dec->options.threads > 1 ? SLOTS_THREAD : 1;
	size_t rows = dec->options.chunk / RECORD_BYTES + 1;

	worker->dec = dec;
	for (unsigned int i = 0; i < slots; i++) {
		worker->slots[i].owner = worker;
		worker->slots[i].chunk.batch = pmscope_batch_new(rows);
		if (!worker->slots[i].chunk.batch)
			return -ENOMEM;
	}
	return 0;
}

static int make_workers(struct pmscope_decoder *dec)
{
	dec->nr_slots = dec->options.threads * SLOTS_THREAD;
	dec->taken_slots = calloc(dec->nr_slots, sizeof(*dec->taken_slots));
	dec->workers = calloc(dec->options.threads, sizeof(*dec->workers));
	if (!dec->workers || !dec->taken_slots)
		return -ENOMEM;
	while (dec->nr_workers < dec->options.threads) {
		struct worker *worker = &dec->workers[dec->nr_workers++];

		pthread_cond_init(&worker->room, NULL);
		if (make_worker(dec, worker))
			return -ENOMEM;
	}
	return 0;
}

static int start_threads(struct pmscope_decoder *dec)
{
	int ret = 0;

	if (dec->nr_workers < 2)
		return 0;
	while (dec->nr_threads + 1 < dec->nr_workers && !ret) {
		struct worker *worker = &dec->workers[dec->nr_threads + 1];

		ret = thread_start(&worker->thread, work, worker);
		dec->nr_threads += !ret;
	}
	/* With some of them it goes on all the same, only slower. */
	return dec->nr_threads ? 0 : -ret;
}

static void stop_threads(struct pmscope_decoder *dec)
{
	pthread_mutex_lock(&dec->lock);
	dec->stop = true;
	for (unsigned int i = 0; i < dec->nr_workers; i++)
		pthread_cond_signal(&dec->workers[i].room);
	pthread_mutex_unlock(&dec->lock);
	for (unsigned int i = 0; i < dec->nr_threads; i++)
		pthread_join(dec->workers[i + 1].thread, NULL);
}

static void free_workers(struct pmscope_decoder *dec)
{
	for (unsigned int i = 0; i < dec->nr_workers; i++) {
		struct worker *worker = &dec->workers[i];

		for (unsigned int j = 0; j < SLOTS_THREAD; j++)
			pmscope_batch_free(worker->slots[j].chunk.batch);
		pthread_cond_destroy(&worker->room);
	}
	free(dec->workers);
	free(dec->taken_slots);
}

struct pmscope_decoder *
pmscope_decoder_new(const struct pmscope_span *spans, size_t nr_spans,
		    const struct pmscope_decoder_options *options)
{
	struct pmscope_decoder *dec = calloc(1, sizeof(*dec));
	int ret;

	if (!dec)
		return NULL;
	pthread_mutex_init(&dec->lock, NULL);
	pthread_cond_init(&dec->done, NULL);
	dec->nr_spans = nr_spans;
	ret = options_read(&dec->options, sizeof(dec->options), options);
	if (dec->options.flags & ~FLAGS)
		ret = -EINVAL;
	dec->headless = dec->options.flags & PMSCOPE_DECODE_RESYNC;
	dec->options.flags &= ~PMSCOPE_DECODE_RESYNC;
	choose_defaults(&dec->options);
	if (!ret)
		ret = copy_spans(dec, spans);
	choose_threads(dec);
	if (!ret)
		ret = make_workers(dec);
	if (!ret)
		ret = start_threads(dec);
	if (ret) {
		pmscope_decoder_free(dec);
		errno = -ret;
		return NULL;
	}
	return dec;
}

void pmscope_decoder_free(struct pmscope_decoder *dec)
{
	if (!dec)
		return;
	stop_threads(dec);
	free_workers(dec);
	pthread_cond_destroy(&dec->done);
	pthread_mutex_destroy(&dec->lock);
	free(dec->spans);
	free(dec);
}
