/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace decoded in chunks of any size, as recordings decode theirs ahead:
 * each chunk is guessed; where the guess was wrong, or the batch is full, the
 * stretch is decoded from where the last record ended.
 */
#ifndef PMSCOPE_TESTS_CHUNKS_H
#define PMSCOPE_TESTS_CHUNKS_H

#include "spe/chunk.h"

/**
 * struct chunks - how far it is decoded
 * @chunk: the newest, with its batch
 * @bytes: of each chunk
 * @flags: without PMSCOPE_DECODE_RESYNC, which the stretch has
 * @at: where the next record begins
 * @guesses: shapes known to who decodes ahead, and
 * @taken: to who takes the rows
 * @stats: of all chunks so far
 */
struct chunks {
	struct chunk chunk;
	size_t bytes;
	unsigned int flags;
	size_t at;
	struct shapes guesses;
	struct shapes taken;
	struct pmscope_decode_stats stats;
};

/* Memory may be short: then chunk.batch is NULL. It is the caller's to free. */
static inline void chunks_begin(struct chunks *chunks,
				const struct spe_span *span, size_t bytes,
				unsigned int flags)
{
	struct stretch *stretch = &chunks->chunk.stretch;

	*chunks = (struct chunks){
		.bytes = bytes,
		.flags = flags & ~PMSCOPE_DECODE_RESYNC,
	};
	stretch->span = *span;
	stretch->headless = flags & PMSCOPE_DECODE_RESYNC;
	if (stretch->headless)
		stretch->padding = stretch_padding(span);
	chunks->chunk.batch = pmscope_batch_new(bytes / RECORD_BYTES + 1);
}

/* Guesses the next chunk; false at the end. */
static inline bool chunks_guess(struct chunks *chunks)
{
	struct chunk *chunk = &chunks->chunk;
	struct stretch *stretch = &chunk->stretch;
	size_t left = stretch->span.size - stretch->end;

	if (!left)
		return false;
	stretch->begin = stretch->end;
	stretch->known = !stretch->begin;
	stretch->end += left < chunks->bytes ? left : chunks->bytes;
	chunk_guess(chunk, chunks->flags, &chunks->guesses);
	if (chunk->first != chunks->at) {
		chunk->batch->count = 0;
		return true;
	}
	stats_add(&chunks->stats, &chunk->stats);
	chunks->at = chunk->next;
	return true;
}

/* The next rows, in the chunk's batch; false at the end. */
static inline bool chunks_next(struct chunks *chunks)
{
	struct pmscope_batch *batch = chunks->chunk.batch;
	const struct stretch *stretch = &chunks->chunk.stretch;
	bool more = true;

	batch->count = 0;
	while (!batch->count && more)
		if (chunks->at < stretch->end)
			chunks->at =
				stretch_decode(stretch, chunks->at, SIZE_MAX,
					       chunks->flags, &chunks->taken,
					       batch, &chunks->stats, NULL);
		else
			more = chunks_guess(chunks);
	return batch->count;
}

#endif /* PMSCOPE_TESTS_CHUNKS_H */
