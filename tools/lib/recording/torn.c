// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * A record that begins in one trace and ends in another. The kernel hands out
 * whole records; but whoever copies an AUX area may do so in any pieces.
 */
#include "recording.h"

#include "spe/record.h"

#include <string.h>

/* It does not end: its bytes are counted. */
static void cut(struct pmscope_recording *rec, struct queue *q,
		const uint8_t *bytes, size_t size, uint64_t offset)
{
	decode_until(bytes, size, offset, rec->flags | PMSCOPE_DECODE_LAST,
		     size, &rec->shapes, q->batch, &rec->losses.decode);
}

void torn_remember(struct pmscope_recording *rec, struct queue *q)
{
	const struct pmscope_span *span = &q->stretch.span;
	size_t size = span->size - q->at;

	if (size > RECORD_MAX)
		cut(rec, q, span->data + q->at, size, span->offset + q->at);
	else
		q->torn = (struct torn){true, q->stretch.index, q->at};
	q->at = span->size;
}

/* What there is of it in the traces before: RECORD_MAX bytes at most. */
static size_t gather(const struct pmscope_recording *rec, const struct queue *q,
		     uint8_t *bytes)
{
	size_t at = q->torn.at, size = 0;

	for (size_t i = q->torn.trace; i < q->stretch.index; i++, at = 0) {
		const struct pmscope_trace *trace = queue_trace(rec, q, i);

		memcpy(bytes + size, trace->data + at, trace->size - at);
		size += trace->size - at;
	}
	return size;
}

size_t torn_join(struct pmscope_recording *rec, struct queue *q)
{
	const struct pmscope_trace *trace = queue_trace(rec, q, q->torn.trace);
	const struct pmscope_span *span = &q->stretch.span;
	uint64_t offset = trace->data_offset + q->torn.at;
	size_t here = span->size < RECORD_MAX ? span->size : RECORD_MAX;
	uint8_t bytes[2 * RECORD_MAX];
	size_t before, used;

	if (!q->torn.is)
		return 0;
	before = gather(rec, q, bytes);
	memcpy(bytes + before, span->data, here);
	used = decode_until(bytes, before + here, offset, rec->flags, before,
			    &rec->shapes, q->batch, &rec->losses.decode);
	if (!used && q->stretch.open && before + span->size <= RECORD_MAX)
		return span->size;
	q->torn.is = false;
	if (used)
		return used - before;
	cut(rec, q, bytes, before, offset);
	return 0;
}
