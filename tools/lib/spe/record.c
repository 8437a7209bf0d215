// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Packets to records. One pass over the bytes, no allocation; the fields of
 * the record under way stay in one struct until its closing packet.
 */
#include <pmscope/record.h>

#include "packet.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define MAX_PACKET 10 /* extended header and eight bytes */

/* The record under way. Arrays are indexed by packet index. */
struct record {
	uint64_t address[PMSCOPE_ADDRESS_PREVIOUS + 1];
	uint64_t timestamp;
	uint64_t events;
	uint32_t context[2];
	uint32_t has;
	uint16_t counter[PMSCOPE_COUNTER_ALT_ISSUE + 1];
	uint16_t source;
	uint8_t op_class;
	uint8_t op;
};

struct decoder {
	const uint8_t *buf;
	size_t len;
	uint64_t offset;
	unsigned int flags;
	struct pmscope_batch *batch;
	struct pmscope_decode_stats *stats;
	struct record record;
	size_t start;	  /* of the record under way */
	size_t first_bad; /* its first byte that begins no packet */
	unsigned int bad; /* and how many it has */
	unsigned int unknown;
	bool damaged;
};

static void record_reset(struct decoder *d, size_t at)
{
	memset(&d->record, 0, sizeof(d->record));
	d->start = at;
	d->bad = 0;
	d->unknown = 0;
	d->damaged = false;
}

static void record_append(struct decoder *d)
{
	const struct record *r = &d->record;
	struct pmscope_batch *b = d->batch;
	size_t i = b->count++;

	b->has[i] = r->has;
	b->offset[i] = d->offset + d->start;
	b->pc[i] = r->address[PMSCOPE_ADDRESS_PC];
	b->target[i] = r->address[PMSCOPE_ADDRESS_TARGET];
	b->va[i] = r->address[PMSCOPE_ADDRESS_VA];
	b->pa[i] = r->address[PMSCOPE_ADDRESS_PA];
	b->previous[i] = r->address[PMSCOPE_ADDRESS_PREVIOUS];
	b->timestamp[i] = r->timestamp;
	b->events[i] = r->events;
	b->context_el1[i] = r->context[0];
	b->context_el2[i] = r->context[1];
	b->total[i] = r->counter[PMSCOPE_COUNTER_TOTAL];
	b->issue[i] = r->counter[PMSCOPE_COUNTER_ISSUE];
	b->translate[i] = r->counter[PMSCOPE_COUNTER_TRANSLATE];
	b->alt_issue[i] = r->counter[PMSCOPE_COUNTER_ALT_ISSUE];
	b->source[i] = r->source;
	b->op_class[i] = r->op_class;
	b->op[i] = r->op;
}

/*
 * Only here do faults of a record enter the statistics: one that is not
 * closed yet will be decoded again from its start.
 */
static void record_count_faults(struct decoder *d)
{
	if (d->bad && !d->stats->bad_bytes)
		d->stats->first_bad = d->offset + d->first_bad;
	d->stats->bad_bytes += d->bad;
	d->stats->unknown += d->unknown;
}

/* The closing packet was read; the next record begins at @at. */
static void record_close(struct decoder *d, size_t at)
{
	record_count_faults(d);
	if (d->damaged) {
		d->stats->damaged++;
	} else {
		record_append(d);
		d->stats->records++;
	}
	record_reset(d, at);
}

static void record_address(struct decoder *d, unsigned int index,
			   uint64_t payload)
{
	if (index > PMSCOPE_ADDRESS_PREVIOUS) {
		d->unknown++;
		return;
	}
	d->record.address[index] = payload;
	d->record.has |= PMSCOPE_HAS_PC << index;
}

static void record_counter(struct decoder *d, unsigned int index,
			   uint64_t payload)
{
	/* Index 3 has no meaning, and its slot no reader. */
	if (index > PMSCOPE_COUNTER_ALT_ISSUE || index == 3) {
		d->unknown++;
		return;
	}
	d->record.counter[index] = payload;
	d->record.has |= PMSCOPE_HAS_TOTAL << index;
}

static void record_context(struct decoder *d, unsigned int index,
			   uint64_t payload)
{
	if (index > 1) {
		d->unknown++;
		return;
	}
	d->record.context[index] = payload;
	d->record.has |= PMSCOPE_HAS_CONTEXT_EL1 << index;
}

static inline void record_packet(struct decoder *d, uint8_t type,
				 unsigned int index, uint64_t payload)
{
	struct record *r = &d->record;

	switch (type) {
	case PMSCOPE_PACKET_ADDRESS:
		record_address(d, index, payload);
		break;
	case PMSCOPE_PACKET_COUNTER:
		record_counter(d, index, payload);
		break;
	case PMSCOPE_PACKET_CONTEXT:
		record_context(d, index, payload);
		break;
	case PMSCOPE_PACKET_EVENTS:
		r->events = payload;
		r->has |= PMSCOPE_HAS_EVENTS;
		break;
	case PMSCOPE_PACKET_OPERATION:
		r->op_class = index;
		r->op = payload;
		r->has |= PMSCOPE_HAS_OPERATION;
		break;
	case PMSCOPE_PACKET_DATA_SOURCE:
		r->source = payload;
		r->has |= PMSCOPE_HAS_SOURCE;
		break;
	case PMSCOPE_PACKET_TIMESTAMP:
		r->timestamp = payload;
		r->has |= PMSCOPE_HAS_TIMESTAMP;
		break;
	}
}

/* Bits of a header that are an index, by packet type. */
static unsigned int header_index(uint8_t type, uint8_t header)
{
	return header & (type >= PMSCOPE_PACKET_ADDRESS ? 0x7 : 0x3);
}

static size_t skip_zeros(const uint8_t *buf, size_t len, size_t at)
{
	uint64_t word;

	for (; at + sizeof(word) <= len; at += sizeof(word)) {
		memcpy(&word, buf + at, sizeof(word));
		if (word)
			break;
	}
	while (at < len && !buf[at])
		at++;
	return at;
}

/* Padding; between records it belongs to none. */
static size_t take_padding(struct decoder *d, size_t at)
{
	size_t end = skip_zeros(d->buf, d->len, at);

	if (at == d->start)
		d->start = end;
	return end;
}

/*
 * The Arm ARM's format is self-describing: headers below 0x20 have no
 * payload, and 0x20 to 0x3f prefix a second header byte.
 */
static size_t size_of_unknown(const uint8_t *buf, size_t len)
{
	size_t header = 1;
	uint8_t last = buf[0];

	if (last >= 0x20 && last < 0x40 && len > 1) {
		header = 2;
		last = buf[1];
	}
	return last < 0x20 ? header : header + packet_payload_size(last);
}

static size_t take_bad(struct decoder *d, size_t at)
{
	size_t size;

	if (d->flags & PMSCOPE_DECODE_SKIP_BY_SIZE) {
		size = size_of_unknown(d->buf + at, d->len - at);
		if (size <= d->len - at) {
			d->unknown++;
			return at + size;
		}
	}
	if (!d->bad++)
		d->first_bad = at;
	d->damaged = true;
	return at + 1;
}

/* Any packet, near the end of the buffer too. Returns 0 when cut short. */
static size_t take_careful(struct decoder *d, size_t at)
{
	struct pmscope_packet packet;
	int ret = pmscope_packet_decode(d->buf + at, d->len - at,
					d->offset + at, &packet);

	if (ret == -ENODATA ||
	    (ret < 0 && d->len - at < 2 && (d->buf[at] & 0xfc) == 0x20))
		return 0;
	if (ret < 0)
		return take_bad(d, at);
	if (packet.type == PMSCOPE_PACKET_ALIGNMENT && at == d->start)
		d->start += ret;
	at += ret;
	record_packet(d, packet.type, packet.index, packet.payload);
	if (packet.type == PMSCOPE_PACKET_TIMESTAMP ||
	    packet.type == PMSCOPE_PACKET_END)
		record_close(d, at);
	return at;
}

/* The common packets, where no length need be checked. */
static inline size_t take(struct decoder *d, size_t at)
{
	static const uint64_t masks[4] = {0xff, 0xffff, 0xffffffff, UINT64_MAX};
	const uint8_t *p = d->buf + at;
	uint8_t type = packet_type_of_header[*p];
	uint64_t payload;

	if (type == PMSCOPE_PACKET_PAD)
		return take_padding(d, at);
	if (type < PMSCOPE_PACKET_TIMESTAMP)
		return take_careful(d, at);
	memcpy(&payload, p + 1, sizeof(payload));
	payload = le64toh(payload) & masks[*p >> 4 & 0x3];
	record_packet(d, type, header_index(type, *p), payload);
	at += 1 + packet_payload_size(*p);
	if (type == PMSCOPE_PACKET_TIMESTAMP)
		record_close(d, at);
	return at;
}

static size_t take_any(struct decoder *d, size_t at)
{
	if (d->len - at >= MAX_PACKET)
		return take(d, at);
	if (!d->buf[at])
		return take_padding(d, at);
	return take_careful(d, at);
}

/* What is left at the end of a trace and was not closed. */
static size_t finish(struct decoder *d)
{
	if (!(d->flags & PMSCOPE_DECODE_LAST))
		return d->start;
	if (d->start < d->len) {
		record_count_faults(d);
		if (!d->stats->cut_bytes)
			d->stats->first_cut = d->offset + d->start;
		d->stats->cut_bytes += d->len - d->start;
	}
	return d->len;
}

size_t pmscope_decode(const uint8_t *buf, size_t len, uint64_t offset,
		      unsigned int flags, struct pmscope_batch *batch,
		      struct pmscope_decode_stats *stats)
{
	struct decoder d = {.buf = buf,
			    .len = len,
			    .offset = offset,
			    .flags = flags,
			    .batch = batch,
			    .stats = stats,
			    .damaged = flags & PMSCOPE_DECODE_RESYNC};
	size_t at = 0, next, used;

	while (at < len && batch->count < batch->capacity) {
		next = take_any(&d, at);
		if (!next)
			break;
		at = next;
	}
	/* Full: the record under way begins exactly here. */
	used = batch->count == batch->capacity && d.start < len ? d.start
								: finish(&d);
	stats->bytes += used;
	return used;
}
