/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Part of a trace, decoded before it is known where its first record begins,
 * because that requires decoding everything before it. A thread therefore
 * guesses: it starts a little earlier, which synchronizes it with the records.
 * The consumer takes the chunks in order, so it knows where the records really
 * begin, and decodes a stretch again if the guess was wrong. A wrong guess
 * costs only time.
 */
#pragma once

#include <pmscope/record.h>

struct pace;

/**
 * struct spe_span - one trace, or a part of it
 * @data: the bytes; a record begins here
 * @size: size of @data
 * @offset: file offset of @data, for the offset column and the statistics
 */
struct spe_span {
	const uint8_t *data;
	size_t size;
	uint64_t offset;
};

/* Most records are larger, so batches sized by this are large enough. */
#define RECORD_BYTES 16

/**
 * struct stretch - part of a trace
 * @span: the trace; all offsets here are relative to it
 * @index: index of the span
 * @begin: start of the stretch
 * @end: decode only records that begin before this offset
 * @known: a record begins at @begin: no guess is needed
 * @open: the next span continues this one, and perhaps its last record
 * @headless: the span may begin inside a record: adds PMSCOPE_DECODE_RESYNC to
 *	      the flags
 * @padding: stretch_padding() of the span, if @headless
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

/* The number of zero bytes at the start of a span. */
size_t stretch_padding(const struct spe_span *span);

/*
 * stretch_decode() - decode the records that begin in a stretch
 * @at: offset to start at
 * @size: use only so many bytes of the span
 * @pace: see decode_paced()
 *
 * Return: the offset of the next record. It is before the end if @batch is
 * full, or if the last record is incomplete and may continue.
 */
size_t stretch_decode(const struct stretch *stretch, size_t at, size_t size,
		      unsigned int flags, struct pmscope_batch *batch,
		      struct pmscope_decode_stats *stats,
		      const struct pace *pace);

/**
 * struct chunk - a stretch and its decoded records
 * @first: offset where decoding began
 * @next: offset of the record after the last one
 * @batch: the records; its capacity is at least 1
 * @stats: statistics of these records
 */
struct chunk {
	struct stretch stretch;
	size_t first;
	size_t next;
	struct pmscope_batch *batch;
	struct pmscope_decode_stats stats;
};

/*
 * chunk_guess() - decode from where the first record seems to begin
 * @flags: enum pmscope_decode_flag
 */
void chunk_guess(struct chunk *chunk, unsigned int flags);

/* Adds @part to @sum. Faults are counted, but not listed. */
void stats_add(struct pmscope_decode_stats *sum,
	       const struct pmscope_decode_stats *part);
