// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * COMPRESSED records: their bodies form one zstd stream. A decompressed record
 * may span several bodies.
 */
#include "reader.h"

#include <zstd.h>

/*
 * Limit for the output of one compressed record. perf compresses at most its
 * ring buffer at once and records that size in the header; without it, this
 * bound protects memory from a file of 64 KiB.
 */
#define WINDOW_DEFAULT (16U << 20)
#define WINDOW_MAX     (256U << 20)
#define FIRST_CAPACITY (1U << 16)

#define BLOCK_HEADER 3 /* bytes, RFC 8878 3.1.1.2 */

static size_t window(const struct pmscope_perfdata *r)
{
	if (!r->compressed_window || r->compressed_window > WINDOW_MAX)
		return WINDOW_DEFAULT;
	return MAX(r->compressed_window, FIRST_CAPACITY);
}

/* Moves the unread bytes to the start of the buffer. */
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

/* After too much output, ignore further records. */
static int check_bounds(struct pmscope_perfdata *r, size_t limit)
{
	struct inflated *in = &r->inflated;

	if (in->used > limit)
		reader_fail(r, in->offset,
			    "compressed record expands to more than %zu bytes",
			    window(r));
	else if (inflates_too_much(in->given, in->taken))
		reader_fail(r, in->offset,
			    "compressed records expand to more than %d times "
			    "their size",
			    INFLATED_RATIO_MAX);
	else
		return 0;
	in->refused = true;
	return -EBADMSG;
}

static int inflate(struct pmscope_perfdata *r, ZSTD_inBuffer *from)
{
	struct inflated *in = &r->inflated;
	size_t limit = in->used + window(r);

	for (;;) {
		size_t before = from->pos, left;
		ZSTD_outBuffer to;

		if (make_room(in))
			return -ENOMEM;
		to = (ZSTD_outBuffer){in->data, in->capacity, in->used};
		left = ZSTD_decompressStream(in->stream, &to, from);
		if (ZSTD_isError(left))
			return reader_fail(r, in->offset,
					   "compressed record: %s",
					   ZSTD_getErrorName(left));
		/* For empty input it returns the hint for a new stream. */
		if (from->pos > before || to.pos > in->used)
			in->left = left;
		in->given += to.pos - in->used;
		in->used = to.pos;
		if (check_bounds(r, limit))
			return -EBADMSG;
		if (from->pos == from->size && to.pos < to.size)
			return 0;
	}
}

void inflated_break(struct inflated *in)
{
	in->at = in->used = 0;
	in->broken = true;
}

/* Between two blocks, zstd waits for the header of the next. */
const char *inflated_inside(const struct inflated *in)
{
	if (in->at < in->used)
		return "record";
	return !in->broken && in->left && in->left != BLOCK_HEADER ? "block"
								   : NULL;
}

/*
 * Recordings of several perf threads contain one stream per thread, which do
 * not end: the next one starts with the magic number. No block starts like
 * this, because its size would be too large.
 */
static void begin_anew(struct pmscope_perfdata *r, const ZSTD_inBuffer *from)
{
	struct inflated *in = &r->inflated;

	if (from->size < 4 || get32(from->src) != ZSTD_MAGICNUMBER ||
	    (!in->left && !in->broken))
		return;
	if (inflated_inside(in))
		reader_fail(r, in->offset,
			    "a compressed stream ends inside a %s",
			    inflated_inside(in));
	ZSTD_DCtx_reset(in->stream, ZSTD_reset_session_only);
	in->at = in->used = 0;
	in->broken = false;
}

/* The compressed data in @event; false if unknown. */
static bool compressed_bytes(struct pmscope_perfdata *r,
			     const struct pmscope_perf_event *event,
			     ZSTD_inBuffer *from)
{
	*from = (ZSTD_inBuffer){event->body, event->size, 0};
	if (event->type != PMSCOPE_RECORD_COMPRESSED2)
		return true;
	/* Padded to eight bytes; the true size comes first. */
	if (event->size < 8 || get64(event->body) > event->size - 8) {
		reader_fail(r, event->offset,
			    "a compressed record larger than its record");
		return false;
	}
	*from = (ZSTD_inBuffer){event->body + 8, get64(event->body), 0};
	return true;
}

int inflate_record(struct pmscope_perfdata *r,
		   const struct pmscope_perf_event *event)
{
	struct inflated *in = &r->inflated;
	ZSTD_inBuffer from;
	int ret;

	if (in->refused)
		return 0;
	if (!in->stream)
		in->stream = ZSTD_createDStream();
	if (!in->stream)
		return -ENOMEM;
	if (!compressed_bytes(r, event, &from)) {
		inflated_break(in);
		return 0;
	}
	begin_anew(r, &from);
	if (in->broken)
		return 0;
	in->offset = event->offset;
	in->taken += from.size;
	compact(in);
	ret = inflate(r, &from);
	if (ret != -EBADMSG)
		return ret;
	inflated_break(in);
	return 0;
}

void inflated_fini(struct inflated *inflated)
{
	ZSTD_freeDStream(inflated->stream);
	free(inflated->data);
}
