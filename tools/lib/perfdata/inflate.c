// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * COMPRESSED records: their bodies are one zstd stream, which gives records
 * that may begin in one body and end in the next.
 */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

/*
 * What one compressed record may give at most. perf compresses at most its
 * ring buffer at once and writes that size in the header; without it, this
 * bound stands between a file of 64 KiB and all of memory.
 */
#define WINDOW_DEFAULT (16U << 20)
#define WINDOW_MAX     (256U << 20)
#define FIRST_CAPACITY (1U << 16)

/*
 * And all of them together: side-band records, of which each has a time of its
 * own, come to a tenth or a thirtieth of their size.
 */
#define RATIO_MAX  100
#define RATIO_FROM (256U << 20)

static size_t window(const struct pmscope_perfdata *r)
{
	if (!r->compressed_window || r->compressed_window > WINDOW_MAX)
		return WINDOW_DEFAULT;
	return r->compressed_window < FIRST_CAPACITY ? FIRST_CAPACITY
						     : r->compressed_window;
}

/* Keeps the bytes that are not read yet, at the start of the buffer. */
static void compact(struct inflated *in)
{
	if (in->at)
		memmove(in->data, in->data + in->at, in->used - in->at);
	in->used -= in->at;
	in->at = 0;
}

static int make_room(struct inflated *in)
{
	size_t capacity = in->capacity ? 2 * in->capacity : FIRST_CAPACITY;
	uint8_t *data;

	if (in->used < in->capacity)
		return 0;
	data = realloc(in->data, capacity);
	if (!data)
		return -ENOMEM;
	in->data = data;
	in->capacity = capacity;
	return 0;
}

static int inflate(struct pmscope_perfdata *r, ZSTD_inBuffer *from)
{
	struct inflated *in = &r->inflated;
	size_t limit = in->used + window(r);

	for (;;) {
		ZSTD_outBuffer to;
		size_t left, before;

		if (make_room(in))
			return -ENOMEM;
		to = (ZSTD_outBuffer){in->data, in->capacity, in->used};
		left = ZSTD_decompressStream(in->stream, &to, from);
		if (ZSTD_isError(left))
			return reader_fail(r, in->offset,
					   "compressed record: %s",
					   ZSTD_getErrorName(left));
		before = in->used;
		in->used = to.pos;
		if (in->used > limit)
			return reader_fail(
				r, in->offset,
				"compressed record gives more than %zu bytes",
				window(r));
		in->given += to.pos - before;
		if (in->given > RATIO_FROM && in->given / RATIO_MAX > in->taken)
			return reader_fail(r, in->offset,
					   "compressed records give more than "
					   "%d times their size",
					   RATIO_MAX);
		if (from->pos == from->size && to.pos < to.size)
			return 0;
	}
}

/*
 * Recordings of several threads of perf have a stream of each, which do not
 * end: the next one begins with the magic number. No block does so, as its size
 * would be too large.
 */
static bool begins_anew(const struct inflated *in, const ZSTD_inBuffer *from)
{
	return in->at == in->used && from->size >= 4 &&
	       get32(from->src) == ZSTD_MAGICNUMBER;
}

int inflate_record(struct pmscope_perfdata *r,
		   const struct pmscope_perf_event *event)
{
	ZSTD_inBuffer from = {event->body, event->size, 0};
	struct inflated *in = &r->inflated;

	if (event->type == PMSCOPE_RECORD_COMPRESSED2) {
		/* Padded to eight bytes; the true size comes first. */
		if (event->size < 8 || get64(event->body) > event->size - 8)
			return reader_fail(
				r, event->offset,
				"a compressed record larger than its record");
		from = (ZSTD_inBuffer){event->body + 8, get64(event->body), 0};
	}
	if (!in->stream)
		in->stream = ZSTD_createDStream();
	if (!in->stream)
		return -ENOMEM;
	if (begins_anew(in, &from))
		ZSTD_DCtx_reset(in->stream, ZSTD_reset_session_only);
	in->offset = event->offset;
	in->taken += from.size;
	compact(in);
	return inflate(r, &from);
}

void inflated_fini(struct inflated *inflated)
{
	ZSTD_freeDStream(inflated->stream);
	free(inflated->data);
}
