/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Part of a trace, decoded before it is known where its first record begins:
 * that is known only when what lies before is decoded. A thread therefore
 * guesses: it decodes a little of what lies before and falls into step with the
 * records. Whoever takes the chunks in order knows where the records of each
 * truly begin, and decodes the stretch again where a guess was wrong. So a
 * wrong guess costs time and nothing else.
 */
#ifndef PMSCOPE_SPE_CHUNK_H
#define PMSCOPE_SPE_CHUNK_H

#include "shape.h"

#include <pmscope/record.h>

struct pace;

/**
 * struct spe_span - one trace, or a part of it
 * @data: begins at a record
 * @size: bytes of @data
 * @offset: of @data in the file, for the offset column and the statistics
 */
struct spe_span {
	const uint8_t *data;
	size_t size;
	uint64_t offset;
};

/* Most records have more, so that this gives a batch room enough. */
#define RECORD_BYTES 16

/**
 * struct stretch - part of a trace
 * @span: what it is a part of; places are in it
 * @index: which of all spans that is
 * @begin: of the stretch
 * @end: no record is begun at or behind it
 * @known: a record begins at @begin, even if nothing before it is decoded
 * @open: the next span continues this one, and so may its last record
 * @headless: the span may begin inside a record: PMSCOPE_DECODE_RESYNC, which
 *	      the flags below are without
 * @padding: bytes of it before that record, by stretch_padding()
 */
struct stretch {
	struct spe_span span;
	size_t index;
	size_t begin;
	size_t end;
	bool known;
	bool open;
	bool headless;
	size_t padding;
};

/* How many bytes of a span are zeros, before any others. */
size_t stretch_padding(const struct spe_span *span);

/*
 * stretch_decode() - decode what begins in it
 * @at: from where on
 * @size: within so many bytes of the span
 * @pace: see decode_paced()
 *
 * Return: where the next record begins. That is before the end where @batch is
 * full, or where the last record is not whole and may go on.
 */
size_t stretch_decode(const struct stretch *stretch, size_t at, size_t size,
		      unsigned int flags, struct shapes *shapes,
		      struct pmscope_batch *batch,
		      struct pmscope_decode_stats *stats,
		      const struct pace *pace);

/**
 * struct chunk - a stretch, and what became of it
 * @first: where decoding began
 * @next: where the record behind the last one begins
 * @batch: the records, with room for one at least
 * @stats: of them alone
 */
struct chunk {
	struct stretch stretch;
	size_t first;
	size_t next;
	struct pmscope_batch *batch;
	struct pmscope_decode_stats stats;
};

/*
 * chunk_guess() - decode it from where its first record seems to begin
 * @flags: enum pmscope_decode_flag
 */
void chunk_guess(struct chunk *chunk, unsigned int flags,
		 struct shapes *shapes);

/* For one more part. Faults are counted, not listed. */
void stats_add(struct pmscope_decode_stats *sum,
	       const struct pmscope_decode_stats *part);

#endif /* PMSCOPE_SPE_CHUNK_H */
