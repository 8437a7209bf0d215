// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "chunk.h"

#include "record.h"

/*
 * Bytes before a chunk to fall into step: among as many as a record has at most
 * (PMSIDR_EL1.MaxSize) one ends. And behind it for its last record: one that is
 * longer all the same is left to who finishes the chunk, so that no byte is
 * looked at by many.
 */
#define STEP  2048
#define AFTER 8192

/* From chunk->next to the first record behind its end, within @size bytes. */
static void decode(struct chunk *chunk, size_t size, unsigned int flags,
		   struct shapes *shapes)
{
	const struct pmscope_span *span = &chunk->span;
	size_t at = chunk->next;

	if (at >= chunk->end)
		return;
	if (size >= span->size) {
		size = span->size;
		flags |= PMSCOPE_DECODE_LAST;
	}
	if (at)
		flags &= ~PMSCOPE_DECODE_RESYNC;
	chunk->next += decode_until(span->data + at, size - at,
				    span->offset + at, flags, chunk->end - at,
				    shapes, chunk->batch, &chunk->stats);
}

void chunk_restart(struct chunk *chunk, size_t at)
{
	chunk->batch->count = 0;
	chunk->stats = (struct pmscope_decode_stats){};
	chunk->first = at;
	chunk->next = at;
}

/* Where the first record at or behind the chunk's begin may lie. */
static size_t fall_into_step(struct chunk *chunk, unsigned int flags,
			     struct shapes *shapes)
{
	const struct pmscope_span *span = &chunk->span;
	size_t at = chunk->begin > STEP ? chunk->begin - STEP : 0;
	struct pmscope_decode_stats ignored = {};
	size_t size = span->size - at, used;

	if (size > STEP + AFTER)
		size = STEP + AFTER;
	if (at)
		flags |= PMSCOPE_DECODE_RESYNC;
	do {
		chunk->batch->count = 0;
		used = decode_until(span->data + at, size, span->offset + at,
				    flags, chunk->begin - at, shapes,
				    chunk->batch, &ignored);
		at += used;
		size -= used;
		flags &= ~PMSCOPE_DECODE_RESYNC;
	} while (used && at < chunk->begin);
	return at;
}

void chunk_guess(struct chunk *chunk, unsigned int flags, struct shapes *shapes)
{
	size_t at = chunk->known ? chunk->begin
				 : fall_into_step(chunk, flags, shapes);

	chunk_restart(chunk, at);
	if (at >= chunk->begin)
		decode(chunk, chunk->end + AFTER, flags, shapes);
}

void chunk_finish(struct chunk *chunk, size_t at, unsigned int flags,
		  struct shapes *shapes)
{
	if (chunk->first != at)
		chunk_restart(chunk, at);
	/* Behind what is decoded, or all of it; to the end of the span. */
	decode(chunk, SIZE_MAX, flags, shapes);
}

void stats_add(struct pmscope_decode_stats *sum,
	       const struct pmscope_decode_stats *part)
{
	if (part->bad_bytes &&
	    (!sum->bad_bytes || part->first_bad < sum->first_bad))
		sum->first_bad = part->first_bad;
	if (part->cut_bytes &&
	    (!sum->cut_bytes || part->first_cut < sum->first_cut))
		sum->first_cut = part->first_cut;
	sum->bytes += part->bytes;
	sum->records += part->records;
	sum->damaged += part->damaged;
	sum->bad_bytes += part->bad_bytes;
	sum->cut_bytes += part->cut_bytes;
	sum->unknown += part->unknown;
}
