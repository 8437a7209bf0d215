// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * A record that begins in one trace and ends in another, because a recorder may
 * copy an AUX area in arbitrary pieces. It is decoded packet by packet in
 * place; only a packet that is split itself is copied together.
 */
#include "recording.h"

void split_record_begin(struct queue *q)
{
	q->split.is = true;
	q->split.trace = q->stretch.index;
	q->split.at = q->at;
	pieced_begin(&q->split.record);
	q->at = q->stretch.span.size;
}

/* The part of trace @index that continues the previous traces. */
static struct spe_span piece(const struct pmscope_recording *rec,
			     const struct queue *q, size_t index)
{
	const struct pmscope_trace *trace;

	if (index == q->stretch.index)
		return q->stretch.span;
	trace = queue_trace(rec, q, index);
	return (struct spe_span){trace->data, trace->size, trace->data_offset};
}

/* Advances the position by @bytes, across traces. */
static void go_on(struct pmscope_recording *rec, struct queue *q, size_t bytes)
{
	struct split_record *split = &q->split;

	rec->losses.decode.bytes += bytes;
	split->at += bytes;
	while (split->trace < q->stretch.index) {
		size_t size = piece(rec, q, split->trace).size;

		if (split->at < size)
			break;
		split->at -= size;
		split->trace++;
	}
}

/* The next bytes; near the end of a trace, joined with those of the next. */
static struct spe_span next_bytes(const struct pmscope_recording *rec,
				  const struct queue *q, uint8_t *room)
{
	size_t index = q->split.trace, at = q->split.at;
	struct spe_span next = piece(rec, q, index);

	next.data += at;
	/* Padding is one packet, however long. */
	next.size = MIN(next.size - at, PACE_STEP);
	next.offset += at;
	if (next.size >= PIECED_ROOM || index == q->stretch.index)
		return next;
	memcpy(room, next.data, next.size);
	next.data = room;
	while (next.size < PIECED_ROOM && index < q->stretch.index) {
		struct spe_span more = piece(rec, q, ++index);

		more.size = MIN(more.size, PIECED_ROOM - next.size);
		memcpy(room + next.size, more.data, more.size);
		next.size += more.size;
	}
	return next;
}

static void end(struct pmscope_recording *rec, struct queue *q, size_t left)
{
	pieced_end(&q->split.record, left, rec->flags, q->batch,
		   &rec->losses.decode);
	pieced_begin(&q->split.record);
}

/* Decodes one more packet, the last may be cut; false: in the next trace. */
static bool take(struct pmscope_recording *rec, struct queue *q)
{
	unsigned int last = q->stretch.open ? 0 : PMSCOPE_DECODE_LAST;
	struct pieced *record = &q->split.record;
	uint8_t room[PIECED_ROOM];
	struct spe_span next = next_bytes(rec, q, room);
	size_t used = 0;

	if (next.size)
		used = pieced_take(record, next.data, next.size, next.offset,
				   rec->flags | last);
	if (!used && !last)
		return false;
	if (!used || record->record.closed)
		end(rec, q, used ? 0 : next.size);
	go_on(rec, q, used ? used : next.size);
	return true;
}

/* Does the next record begin in the current stretch? */
static bool is_joined(const struct queue *q)
{
	return q->split.trace == q->stretch.index && !q->split.record.bytes;
}

size_t split_record_join(struct pmscope_recording *rec, struct queue *q)
{
	uint64_t from = rec->losses.decode.bytes;

	if (!q->split.is)
		return 0;
	go_on(rec, q, 0);
	while (!is_joined(q)) {
		if (q->batch->count == q->batch->capacity ||
		    rec->losses.decode.bytes - from >= PACE_STEP)
			return 0;
		if (!take(rec, q))
			return q->stretch.span.size;
	}
	q->split.is = false;
	return q->split.at;
}
