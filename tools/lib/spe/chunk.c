// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "spe.h"

/*
 * STEP: bytes to decode before a chunk, to synchronize with the records; at
 * least one record ends in them. AFTER: bytes to read after it, for its last
 * record; a longer one is left to the consumer, so that threads do not read the
 * same bytes many times.
 */
#define STEP  RECORD_MAX
#define AFTER 8192

size_t stretch_padding(const struct spe_span *span)
{
	return zeros_end(span->data, span->size, 0);
}

size_t stretch_decode(const struct stretch *stretch, size_t at, size_t size,
		      unsigned int flags, struct pmscope_batch *batch,
		      struct pmscope_decode_stats *stats,
		      const struct pace *pace)
{
	const struct spe_span *span = &stretch->span;

	if (at >= stretch->end)
		return at;
	if (size >= span->size) {
		size = span->size;
		flags |= stretch->open ? 0 : PMSCOPE_DECODE_LAST;
	}
	if (at <= stretch->padding && stretch->headless)
		flags |= PMSCOPE_DECODE_RESYNC;
	return at + decode_paced(span->data + at, size - at, span->offset + at,
				 flags, stretch->end - at, batch, stats, pace);
}

/* Where the first record at or after the start of the chunk may be. */
static size_t fall_into_step(struct chunk *chunk, unsigned int flags)
{
	const struct spe_span *span = &chunk->stretch.span;
	size_t begin = chunk->stretch.begin;
	size_t at = begin > STEP ? begin - STEP : 0;
	struct pmscope_decode_stats ignored = {};
	size_t size = span->size - at, used;

	size = MIN(size, STEP + AFTER);
	if (at || chunk->stretch.headless)
		flags |= PMSCOPE_DECODE_RESYNC;
	do {
		chunk->batch->count = 0;
		used = decode_until(span->data + at, size, span->offset + at,
				    flags, begin - at, chunk->batch, &ignored);
		at += used;
		size -= used;
		flags &= ~PMSCOPE_DECODE_RESYNC;
	} while (used && at < begin);
	return at;
}

void chunk_guess(struct chunk *chunk, unsigned int flags)
{
	const struct stretch *stretch = &chunk->stretch;
	size_t at =
		stretch->known ? stretch->begin : fall_into_step(chunk, flags);

	chunk->batch->count = 0;
	chunk->stats = (struct pmscope_decode_stats){};
	chunk->first = at;
	chunk->next = at;
	if (at >= stretch->begin)
		chunk->next =
			stretch_decode(stretch, at, stretch->end + AFTER, flags,
				       chunk->batch, &chunk->stats, NULL);
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
