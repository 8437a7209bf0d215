/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Many SPE traces decoded by many threads: the batches come in the order of
 * the traces, exactly as pmscope_decode() would have filled them one after
 * the other. Memory does not grow with the traces.
 */
#ifndef PMSCOPE_DECODER_H
#define PMSCOPE_DECODER_H

#include <pmscope/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct pmscope_span - one trace, or what is left of it
 * @data: begins at a record
 * @size: bytes of @data
 * @offset: of @data in the trace, for the offset column and the statistics
 */
struct pmscope_span {
	const uint8_t *data;
	size_t size;
	uint64_t offset;
};

/**
 * struct pmscope_decoder_options - how to decode
 * @size: sizeof of this struct, as the caller knows it
 * @threads: that decode, the caller's own among them, which does it where it
 *	     would wait for the others; 0: one for each CPU, or fewer for what
 *	     is decoded sooner than they start. No more than 256
 * @flags: enum pmscope_decode_flag, for each span, and no other bits;
 *	   PMSCOPE_DECODE_LAST is always on
 * @chunk: bytes a thread takes at a time, 0: as is best; no more than 2^24.
 *	   A batch has records of one chunk, and of many that are very short not
 *	   all
 *
 * More threads, or bytes, than that are as if that was asked for.
 */
struct pmscope_decoder_options {
	size_t size;
	unsigned int threads;
	unsigned int flags;
	size_t chunk;
};

struct pmscope_decoder;

/**
 * pmscope_decoder_new() - begin to decode
 * @spans: copied; what they point to must stay until pmscope_decoder_free()
 * @nr_spans: how many
 * @options: or NULL
 *
 * Return: the decoder; or NULL with errno: EINVAL for options this library
 * does not know; ENOMEM; EAGAIN as of pthread_create(3).
 */
PMSCOPE_API struct pmscope_decoder *
pmscope_decoder_new(const struct pmscope_span *spans, size_t nr_spans,
		    const struct pmscope_decoder_options *options);
PMSCOPE_API void pmscope_decoder_free(struct pmscope_decoder *decoder);

/**
 * pmscope_decoder_next() - the next records, in the order of the traces
 * @decoder: the decoder
 * @span: index of the span they are of; may be NULL
 *
 * Return: a batch with at least one record, valid until the next call; NULL
 * at the end.
 */
PMSCOPE_API const struct pmscope_batch *
pmscope_decoder_next(struct pmscope_decoder *decoder, size_t *span);

/*
 * Of all batches handed out so far, and of what lies between them; complete
 * when pmscope_decoder_next() returned NULL. Faults are counted, not listed.
 */
PMSCOPE_API const struct pmscope_decode_stats *
pmscope_decoder_stats(const struct pmscope_decoder *decoder);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_DECODER_H */
