// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The record decoder against a plain model of the same rules, which decodes
 * packet by packet: on random streams, intact and damaged, both must see the
 * same records and losses.
 */
#include "bytes.h"
#include "ktap.h"

#include <pmscope/record.h>

#define MAX_FAULTS 65536
#define STREAMS	   300

struct model_record {
	uint32_t has;
	uint64_t offset;
	uint64_t address[5];
	uint64_t timestamp;
	uint64_t events;
	uint32_t context[2];
	uint16_t counter[5];
	uint32_t unnamed; /* the last of the others: index and value */
	uint16_t source;
	uint8_t op_class;
	uint8_t op;
};

struct model {
	const struct bytes *trace;
	unsigned int flags;
	struct pmscope_decode_stats stats;
	struct model_record *records;
	struct model_record now; /* the current record, and its faults */
	bool damaged;
	bool headless;
	bool ended; /* headless, and had an END */
	size_t start;
	size_t first_bad;
	unsigned int bad;
	unsigned int unknown;
};

static void model_begin(struct model *m, size_t at)
{
	m->now = (struct model_record){};
	m->damaged = false;
	m->headless = false;
	m->bad = 0;
	m->unknown = 0;
	m->start = at;
}

static void model_faults(struct model *m)
{
	struct pmscope_decode_stats *s = &m->stats;

	if (m->headless)
		return;
	if (m->bad && !s->bad_bytes)
		s->first_bad = m->first_bad;
	if (m->bad)
		s->faults[s->nr_faults++] = (struct pmscope_decode_fault){
			PMSCOPE_FAULT_BAD, m->start, m->first_bad, m->bad};
	s->bad_bytes += m->bad;
	s->unknown += m->unknown;
}

static void model_close(struct model *m, size_t end)
{
	model_faults(m);
	m->now.offset = m->start;
	/* Only a timestamp remains of one. */
	if (m->damaged || (m->now.has == PMSCOPE_HAS_TIMESTAMP && !m->unknown))
		m->stats.damaged++;
	else
		m->records[m->stats.records++] = m->now;
	model_begin(m, end);
}

static void model_has(struct model *m, unsigned int index, unsigned int known,
		      uint32_t has)
{
	if (known & 1U << index)
		m->now.has |= has << index;
	else
		m->unknown++;
}

/* Packets whose index defines the payload. */
static void model_indexed(struct model *m, const struct pmscope_packet *p)
{
	struct model_record *r = &m->now;

	switch (p->type) {
	case PMSCOPE_PACKET_CONTEXT:
		model_has(m, p->index, 0x3, PMSCOPE_HAS_CONTEXT_EL1);
		if (p->index < 2)
			r->context[p->index] = p->payload;
		break;
	case PMSCOPE_PACKET_ADDRESS:
		model_has(m, p->index, 0x1f, PMSCOPE_HAS_PC);
		if (p->index < 5)
			r->address[p->index] = p->payload;
		break;
	case PMSCOPE_PACKET_COUNTER:
		model_has(m, p->index, 0x17, PMSCOPE_HAS_TOTAL);
		if (p->index < 5 && p->index != 3) {
			r->counter[p->index] = p->payload;
		} else {
			r->unnamed = p->index * 65536 + p->payload;
			r->has |= PMSCOPE_HAS_COUNTER;
		}
		break;
	}
}

static void model_packet(struct model *m, const struct pmscope_packet *p,
			 size_t at)
{
	struct model_record *r = &m->now;

	switch (p->type) {
	case PMSCOPE_PACKET_PAD:
	case PMSCOPE_PACKET_ALIGNMENT:
		if (at == m->start)
			m->start += p->length;
		break;
	case PMSCOPE_PACKET_END:
		if (m->headless && !m->ended)
			m->ended = true;
		else
			model_close(m, at + p->length);
		break;
	case PMSCOPE_PACKET_TIMESTAMP:
		r->timestamp = p->payload;
		r->has |= PMSCOPE_HAS_TIMESTAMP;
		model_close(m, at + p->length);
		break;
	case PMSCOPE_PACKET_EVENTS:
		r->events = p->payload;
		r->has |= PMSCOPE_HAS_EVENTS;
		break;
	case PMSCOPE_PACKET_DATA_SOURCE:
		r->source = p->payload;
		r->has |= PMSCOPE_HAS_SOURCE;
		break;
	case PMSCOPE_PACKET_OPERATION:
		r->op_class = p->index;
		r->op = p->payload;
		r->has |= PMSCOPE_HAS_OPERATION;
		break;
	default:
		model_indexed(m, p);
	}
}

/* packet-format.md, 1: how long a packet of an unknown type is. */
static size_t unknown_size(const uint8_t *p, size_t left)
{
	size_t header = p[0] >= 0x20 && p[0] <= 0x3f && left > 1 ? 2 : 1;
	uint8_t last = p[header - 1];
	size_t size = header + (last < 0x20 ? 0 : 1 << (last >> 4 & 3));

	return size <= left ? size : 0;
}

static size_t model_bad(struct model *m, size_t at)
{
	size_t size = unknown_size(m->trace->data + at, m->trace->size - at);

	if (m->flags & PMSCOPE_DECODE_SKIP_BY_SIZE && size) {
		m->unknown++;
		return size;
	}
	if (!m->bad++)
		m->first_bad = at;
	m->damaged = true;
	return 1;
}

static void model_run(struct model *m)
{
	size_t size = m->trace->size, at = 0;

	model_begin(m, 0);
	m->damaged = m->headless = m->flags & PMSCOPE_DECODE_RESYNC;
	while (at < size) {
		struct pmscope_packet packet;
		int n = pmscope_packet_decode(m->trace->data + at, size - at,
					      at, &packet);

		if (n == -ENODATA || (n < 0 && at + 1 == size &&
				      (m->trace->data[at] & 0xfc) == 0x20))
			break;
		if (n > 0)
			model_packet(m, &packet, at);
		at += n > 0 ? (size_t)n : model_bad(m, at);
	}
	m->stats.bytes = size;
	if (m->start >= size)
		return;
	model_faults(m);
	m->stats.first_cut = m->start;
	m->stats.cut_bytes = size - m->start;
	m->stats.faults[m->stats.nr_faults++] = (struct pmscope_decode_fault){
		PMSCOPE_FAULT_CUT, m->start, m->start, m->stats.cut_bytes};
}

static bool same_row(const struct pmscope_batch *b, size_t i,
		     const struct model_record *r)
{
	return b->has[i] == r->has && b->offset[i] == r->offset &&
	       b->pc[i] == r->address[0] && b->target[i] == r->address[1] &&
	       b->va[i] == r->address[2] && b->pa[i] == r->address[3] &&
	       b->previous[i] == r->address[4] &&
	       b->timestamp[i] == r->timestamp && b->events[i] == r->events &&
	       b->context_el1[i] == r->context[0] &&
	       b->context_el2[i] == r->context[1] &&
	       b->total[i] == r->counter[0] && b->issue[i] == r->counter[1] &&
	       b->translate[i] == r->counter[2] &&
	       b->alt_issue[i] == r->counter[4] && b->source[i] == r->source &&
	       b->op_class[i] == r->op_class && b->op[i] == r->op &&
	       b->counter[i] == r->unnamed;
}

static void compare_stats(const struct pmscope_decode_stats *a,
			  const struct pmscope_decode_stats *b)
{
	EXPECT_EQ(a->bytes, b->bytes);
	EXPECT_EQ(a->records, b->records);
	EXPECT_EQ(a->damaged, b->damaged);
	EXPECT_EQ(a->bad_bytes, b->bad_bytes);
	EXPECT_EQ(a->first_bad, b->first_bad);
	EXPECT_EQ(a->cut_bytes, b->cut_bytes);
	EXPECT_EQ(a->first_cut, b->first_cut);
	EXPECT_EQ(a->unknown, b->unknown);
	ASSERT_EQ(a->nr_faults, b->nr_faults);
	for (size_t i = 0; i < a->nr_faults; i++) {
		EXPECT_EQ((int)a->faults[i].kind, (int)b->faults[i].kind);
		EXPECT_EQ(a->faults[i].record, b->faults[i].record);
		EXPECT_EQ(a->faults[i].offset, b->faults[i].offset);
		EXPECT_EQ(a->faults[i].bytes, b->faults[i].bytes);
	}
}

static struct pmscope_decode_fault *faults_new(void)
{
	return calloc(MAX_FAULTS, sizeof(struct pmscope_decode_fault));
}

/* In pieces of @capacity records, with the trace unchanged. */
static void compare(const struct bytes *trace, unsigned int flags,
		    size_t capacity)
{
	struct pmscope_batch *batch = pmscope_batch_new(capacity);
	struct model m = {.trace = trace, .flags = flags};
	struct pmscope_decode_stats stats = {};
	size_t at = 0, row = 0;
	/* Exactly its size, so that a read past the end is caught. */
	uint8_t *data = memcpy(malloc(trace->size + !trace->size), trace->data,
			       trace->size);

	m.records = calloc(trace->size + 1, sizeof(*m.records));
	m.stats.faults = faults_new();
	stats.faults = faults_new();
	stats.max_faults = MAX_FAULTS;
	ASSERT_TRUE(batch && m.records && m.stats.faults && stats.faults);
	model_run(&m);
	while (at < trace->size) {
		batch->count = 0;
		at += pmscope_decode(data + at, trace->size - at, at,
				     flags | PMSCOPE_DECODE_LAST, batch,
				     &stats);
		flags &= ~PMSCOPE_DECODE_RESYNC;
		for (size_t i = 0; i < batch->count; i++, row++) {
			ASSERT_LT(row, m.stats.records);
			EXPECT_TRUE(same_row(batch, i, &m.records[row]));
		}
	}
	compare_stats(&stats, &m.stats);
	free(data);
	free(stats.faults);
	free(m.stats.faults);
	free(m.records);
	pmscope_batch_free(batch);
}

static void compare_streams(unsigned int flags, unsigned int damage)
{
	uint64_t state = stream_seed(20261121);

	for (int i = 0; i < STREAMS; i++) {
		BYTES trace = {};

		if (i % 4)
			put_stream(&trace, &state, random_below(&state, 12000));
		else
			put_skewed_stream(&trace, &state,
					  random_below(&state, 12000));
		corrupt(&trace, &state, random_below(&state, damage + 1));
		/* Cut anywhere, and at times to next to nothing. */
		trace.size -= random_below(&state, i % 8 ? 40 : trace.size + 1);
		if ((ssize_t)trace.size < 0)
			trace.size = 0;
		if (trace.size)
			compare(&trace, flags, 1 + random_below(&state, 2000));
	}
}

CASE(whole_streams, compare_streams(0, 0));
CASE(damaged_streams, compare_streams(0, 40));

CASE(damaged_streams_with_unknown_packets_skipped_by_size,
     compare_streams(PMSCOPE_DECODE_SKIP_BY_SIZE, 40));

CASE(streams_that_begin_inside_a_record,
     compare_streams(PMSCOPE_DECODE_RESYNC, 10));
