// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* A batch: the columns that records are decoded into. */
#include "spe.h"

#include <pmscope/record.h>

#define CAPACITY_MAX (1U << 24)

static const struct {
	size_t field;
	size_t width;
} columns[] = {
#define COLUMN(name)                                               \
	{                                                          \
		offsetof(struct pmscope_batch, name),              \
			sizeof(*((struct pmscope_batch *)0)->name) \
	}
	COLUMN(has),	     COLUMN(offset),	  COLUMN(pc),
	COLUMN(target),	     COLUMN(va),	  COLUMN(pa),
	COLUMN(previous),    COLUMN(timestamp),	  COLUMN(events),
	COLUMN(context_el1), COLUMN(context_el2), COLUMN(total),
	COLUMN(issue),	     COLUMN(translate),	  COLUMN(alt_issue),
	COLUMN(source),	     COLUMN(op_class),	  COLUMN(op),
	COLUMN(counter),
#undef COLUMN
};

/* All in one block, at 8 bytes each time. */
static size_t column_bytes(size_t i, size_t capacity)
{
	size_t word = sizeof(uint64_t);

	return (capacity * columns[i].width + word - 1) / word * word;
}

static size_t block_bytes(size_t capacity)
{
	size_t bytes = 0;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		bytes += column_bytes(i, capacity);
	return bytes;
}

struct pmscope_batch *pmscope_batch_new(size_t capacity)
{
	struct pmscope_batch *batch;
	char *block;

	if (!capacity || capacity > CAPACITY_MAX) {
		errno = EINVAL;
		return NULL;
	}
	batch = calloc(1, sizeof(*batch));
	block = calloc(1, block_bytes(capacity));
	if (!batch || !block) {
		free(block);
		free(batch);
		errno = ENOMEM;
		return NULL;
	}
	batch->capacity = capacity;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		*(void **)((char *)batch + columns[i].field) = block;
		block += column_bytes(i, capacity);
	}
	return batch;
}

void pmscope_batch_free(struct pmscope_batch *batch)
{
	if (!batch)
		return;
	free(batch->has); /* the first: the whole block */
	free(batch);
}

/*
 * Decodes packets to records, in one pass and without allocation. The payloads
 * of a record stay in one struct until its closing packet.
 */

/* What to do with a packet, by its header: one lookup, mostly no branch. */

enum header_kind {
	HEADER_PAYLOAD, /* store the payload in the slot and continue */
	HEADER_TIMESTAMP,
	HEADER_PAD,
	HEADER_OTHER, /* END, two bytes of header, no packet at all */
};

/* Packets whose header is this byte */
struct header {
	alignas(16) uint32_t has; /* enum pmscope_has bit */
	/* value to set in the slot above the payload */
	uint32_t tag;
	/* how many of the 64 bits after the header are not payload */
	uint8_t shift;
	uint8_t slot;	 /* enum record_slot */
	uint8_t kind;	 /* enum header_kind */
	uint8_t unknown; /* 1 for an index without a meaning here */
};

/* The kind is HEADER_PAYLOAD, 0. */
#define PACKET(bytes, which, bit)                                        \
	{                                                                \
		.shift = 64 - 8 * (bytes), .has = (bit), .slot = (which) \
	}

#define UNKNOWN(bytes)                                                     \
	{                                                                  \
		.shift = 64 - 8 * (bytes), .slot = SLOT_NONE, .unknown = 1 \
	}

/* Unknown counters are kept, too. */
#define COUNTER(index)                                                         \
	{                                                                      \
		.shift = 48, .has = PMSCOPE_HAS_COUNTER, .tag = (index) << 16, \
		.slot = SLOT_COUNTER, .unknown = 1                             \
	}

#define OPERATION(class)                                    \
	{                                                   \
		.shift = 56, .has = PMSCOPE_HAS_OPERATION,  \
		.tag = (class) << 8, .slot = SLOT_OPERATION \
	}

#define OTHERS                                          \
	{                                               \
		.slot = SLOT_NONE, .kind = HEADER_OTHER \
	}

static const struct header headers[256] = {
	[0x00] = {.slot = SLOT_NONE, .kind = HEADER_PAD},
	[0x01 ... 0x41] = OTHERS,
	[0x42] = PACKET(1, SLOT_EVENTS, PMSCOPE_HAS_EVENTS),
	[0x43] = PACKET(1, SLOT_SOURCE, PMSCOPE_HAS_SOURCE),
	[0x44 ... 0x47] = OTHERS,
	[0x48] = OPERATION(PMSCOPE_OPERATION_OTHER),
	[0x49] = OPERATION(PMSCOPE_OPERATION_LOAD_STORE),
	[0x4a] = OPERATION(PMSCOPE_OPERATION_BRANCH),
	[0x4b] = OPERATION(3),
	[0x4c ... 0x51] = OTHERS,
	[0x52] = PACKET(2, SLOT_EVENTS, PMSCOPE_HAS_EVENTS),
	[0x53] = PACKET(2, SLOT_SOURCE, PMSCOPE_HAS_SOURCE),
	[0x54 ... 0x61] = OTHERS,
	[0x62] = PACKET(4, SLOT_EVENTS, PMSCOPE_HAS_EVENTS),
	[0x63] = PACKET(4, SLOT_SOURCE, PMSCOPE_HAS_SOURCE),
	[0x64] = PACKET(4, SLOT_CONTEXT_EL1, PMSCOPE_HAS_CONTEXT_EL1),
	[0x65] = PACKET(4, SLOT_CONTEXT_EL2, PMSCOPE_HAS_CONTEXT_EL2),
	[0x66 ... 0x67] = UNKNOWN(4),
	[0x68 ... 0x70] = OTHERS,
	[0x71] = {.shift = 0,
		  .has = PMSCOPE_HAS_TIMESTAMP,
		  .slot = SLOT_TIMESTAMP,
		  .kind = HEADER_TIMESTAMP},
	[0x72] = PACKET(8, SLOT_EVENTS, PMSCOPE_HAS_EVENTS),
	[0x73] = PACKET(8, SLOT_SOURCE, PMSCOPE_HAS_SOURCE),
	[0x74 ... 0x97] = OTHERS,
	[0x98] = PACKET(2, SLOT_TOTAL, PMSCOPE_HAS_TOTAL),
	[0x99] = PACKET(2, SLOT_ISSUE, PMSCOPE_HAS_ISSUE),
	[0x9a] = PACKET(2, SLOT_TRANSLATE, PMSCOPE_HAS_TRANSLATE),
	[0x9b] = COUNTER(3),
	[0x9c] = PACKET(2, SLOT_ALT_ISSUE, PMSCOPE_HAS_ALT_ISSUE),
	[0x9d] = COUNTER(5),
	[0x9e] = COUNTER(6),
	[0x9f] = COUNTER(7),
	[0xa0 ... 0xaf] = OTHERS,
	[0xb0] = PACKET(8, SLOT_PC, PMSCOPE_HAS_PC),
	[0xb1] = PACKET(8, SLOT_TARGET, PMSCOPE_HAS_TARGET),
	[0xb2] = PACKET(8, SLOT_VA, PMSCOPE_HAS_VA),
	[0xb3] = PACKET(8, SLOT_PA, PMSCOPE_HAS_PA),
	[0xb4] = PACKET(8, SLOT_PREVIOUS, PMSCOPE_HAS_PREVIOUS),
	[0xb5 ... 0xb7] = UNKNOWN(8),
	[0xb8 ... 0xff] = OTHERS,
};

/* The fields that PMSCOPE_DECODE_BRIEF keeps. */
#define BRIEF                                                          \
	(PMSCOPE_HAS_PC | PMSCOPE_HAS_TIMESTAMP | PMSCOPE_HAS_EVENTS | \
	 PMSCOPE_HAS_CONTEXT_EL1 | PMSCOPE_HAS_CONTEXT_EL2 |           \
	 PMSCOPE_HAS_TOTAL | PMSCOPE_HAS_SOURCE)

/*
 * Input and output of decoding. With @pace, @len grows step by step to @whole.
 */
struct decoder {
	const uint8_t *buf;
	size_t len;
	size_t whole;
	uint64_t offset;
	unsigned int flags;
	struct pmscope_batch *batch;
	struct pmscope_decode_stats *stats;
	size_t start; /* of the current record */
	uint32_t has; /* enum pmscope_has bits to keep */
	const struct pace *pace;
};

static inline uint64_t load_payload(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/* The first nonzero byte from @at on, or @len. */
size_t zeros_end(const uint8_t *buf, size_t len, size_t at)
{
	uint64_t word = 0;

	while (at + 8 <= len && !(word = load_payload(buf + at)))
		at += 8;
	if (word)
		return at + __builtin_ctzll(word) / 8;
	while (at < len && !buf[at])
		at++;
	return at;
}

typedef uint64_t slot_pair __attribute__((vector_size(16), may_alias));

_Static_assert(NR_SLOTS % 2 == 0, "cleared by pairs");

/* Does not clear the whole struct: that takes as long as some packets. */
static inline void record_begin(struct record *r, bool headless)
{
#pragma GCC unroll 8
	for (unsigned int i = 0; i < NR_SLOTS; i += 2)
		*(slot_pair *)(r->slot + i) = (slot_pair){};
	r->has = 0;
	r->unknown = 0;
	r->bad = 0;
	r->damaged = headless;
	r->headless = headless;
	r->ended = false;
	r->closed = false;
}

static void record_append(struct decoder *d, const struct record *r)
{
	struct pmscope_batch *b = d->batch;
	const uint64_t *slot = r->slot;
	size_t i = b->count++;

	b->has[i] = r->has & d->has;
	b->pc[i] = slot[SLOT_PC];
	b->timestamp[i] = slot[SLOT_TIMESTAMP];
	b->events[i] = slot[SLOT_EVENTS];
	b->context_el1[i] = slot[SLOT_CONTEXT_EL1];
	b->context_el2[i] = slot[SLOT_CONTEXT_EL2];
	b->total[i] = slot[SLOT_TOTAL];
	b->source[i] = slot[SLOT_SOURCE];
	if (d->has == BRIEF)
		return;
	b->offset[i] = d->offset + d->start;
	b->target[i] = slot[SLOT_TARGET];
	b->va[i] = slot[SLOT_VA];
	b->pa[i] = slot[SLOT_PA];
	b->previous[i] = slot[SLOT_PREVIOUS];
	b->issue[i] = slot[SLOT_ISSUE];
	b->translate[i] = slot[SLOT_TRANSLATE];
	b->alt_issue[i] = slot[SLOT_ALT_ISSUE];
	b->op_class[i] = slot[SLOT_OPERATION] >> 8;
	b->op[i] = slot[SLOT_OPERATION];
	b->counter[i] = slot[SLOT_COUNTER];
}

/* Reports the place of a damaged or truncated record. */
static void note_fault(struct decoder *d, uint64_t offset, uint64_t bytes,
		       enum pmscope_decode_fault_kind kind)
{
	struct pmscope_decode_stats *stats = d->stats;

	if (stats->nr_faults >= stats->max_faults)
		return;
	stats->faults[stats->nr_faults++] = (struct pmscope_decode_fault){
		.kind = kind,
		.record = d->offset + d->start,
		.offset = offset,
		.bytes = bytes,
	};
}

/* Keeps the lowest offset: traces are not decoded in file order. */
static void set_first(uint64_t *first, uint64_t before, uint64_t offset)
{
	if (!before || offset < *first)
		*first = offset;
}

/*
 * Faults are counted only at the end of a record: an incomplete one will be
 * decoded again from its start.
 */
static void count_faults(struct decoder *d, const struct record *r)
{
	if (r->headless)
		return;
	if (r->bad) {
		set_first(&d->stats->first_bad, d->stats->bad_bytes,
			  r->first_bad);
		note_fault(d, r->first_bad, r->bad, PMSCOPE_FAULT_BAD);
	}
	d->stats->bad_bytes += r->bad;
	d->stats->unknown += r->unknown;
}

/* Skips padding; between records, also moves the start of the next one. */
static size_t take_padding(struct decoder *d, size_t at)
{
	size_t end = zeros_end(d->buf, d->len, at);

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

/* Returns 0 if more bytes are needed to recognize the packet. */
static size_t take_bad(struct decoder *d, struct record *r, size_t at)
{
	size_t size;

	if (d->flags & PMSCOPE_DECODE_SKIP_BY_SIZE) {
		size = size_of_unknown(d->buf + at, d->len - at);
		if (size <= d->len - at) {
			r->unknown++;
			return at + size;
		}
		if (!(d->flags & PMSCOPE_DECODE_LAST) || d->len < d->whole)
			return 0;
	}
	if (!r->bad++)
		r->first_bad = d->offset + at;
	r->damaged = true;
	return at + 1;
}

static void take_payload(struct record *r, uint8_t header,
			 const struct pmscope_packet *packet)
{
	const struct header *h = &headers[header];

	r->unknown += h->unknown || packet->index > 7;
	if (packet->type == PMSCOPE_PACKET_COUNTER && packet->index > 7) {
		r->slot[SLOT_COUNTER] = packet->payload | packet->index << 16;
		r->has |= PMSCOPE_HAS_COUNTER;
	} else if (packet->index <= 7) {
		r->slot[h->slot] = packet->payload | h->tag;
		r->has |= h->has;
	}
}

/*
 * The first bytes of a headless record may be payload, and in payloads a 1 is
 * more frequent than 0x71: an END header means nothing until the next one.
 */
static bool is_closing(struct record *r, enum pmscope_packet_type type)
{
	bool believed = r->ended || !r->headless;

	if (type != PMSCOPE_PACKET_END)
		return type == PMSCOPE_PACKET_TIMESTAMP;
	r->ended = true;
	return believed;
}

/* Takes any packet, even near the end. Returns 0 if it is cut short. */
static size_t take_careful(struct decoder *d, struct record *r, size_t at)
{
	const uint8_t *p = d->buf + at;
	struct pmscope_packet packet;
	int ret =
		pmscope_packet_decode(p, d->len - at, d->offset + at, &packet);

	if (ret == -ENODATA)
		return 0;
	if (ret < 0)
		return take_bad(d, r, at);
	if (packet.type == PMSCOPE_PACKET_PAD)
		return take_padding(d, at);
	if (packet.type == PMSCOPE_PACKET_ALIGNMENT) {
		d->start += at == d->start ? ret : 0;
		return at + ret;
	}
	take_payload(r, p[packet.header - 1], &packet);
	r->closed = is_closing(r, packet.type);
	return at + ret;
}

/*
 * Decodes packets up to one that needs more than a copy of its payload, or to
 * the end of the buffer, without a branch on their kinds.
 */
static inline size_t take_payloads(const struct decoder *d, struct record *r,
				   size_t at)
{
	uint64_t unknown = r->unknown;
	uint32_t has = r->has;
	const struct header *h;

	while (d->len - at >= PMSCOPE_PACKET_MAX) {
		const uint8_t *p = d->buf + at;

		h = &headers[*p];
		if (h->kind > HEADER_TIMESTAMP)
			break;
		r->slot[h->slot] =
			load_payload(p + 1) << h->shift >> h->shift | h->tag;
		has |= h->has;
		unknown += h->unknown;
		/* Do not look the size up: the next packet waits for it. */
		at += 1 + packet_payload_size(*p);
		if (h->kind == HEADER_TIMESTAMP) {
			r->closed = true;
			break;
		}
	}
	r->has = has;
	r->unknown = unknown;
	return at;
}

static size_t take_packets(struct decoder *d, struct record *r, size_t at)
{
	while (!r->closed && at < d->len) {
		size_t next = take_payloads(d, r, at);

		if (next == at) {
			next = d->buf[at] ? take_careful(d, r, at)
					  : take_padding(d, at);
			if (!next)
				break;
		}
		at = next;
	}
	return at;
}

/* Extends the readable part of the buffer; false if there is no more. */
static bool go_on(struct decoder *d)
{
	const struct pace *pace = d->pace;
	size_t left = d->whole - d->len;

	if (!left)
		return false;
	pace->went(pace->context, pace->step);
	d->len += MIN(left, pace->step);
	return true;
}

static void cut_record(struct decoder *d, const struct record *r)
{
	if (!(d->flags & PMSCOPE_DECODE_LAST))
		return;
	if (d->start < d->len) {
		count_faults(d, r);
		set_first(&d->stats->first_cut, d->stats->cut_bytes,
			  d->offset + d->start);
		d->stats->cut_bytes += d->len - d->start;
		note_fault(d, d->offset + d->start, d->len - d->start,
			   PMSCOPE_FAULT_CUT);
	}
	d->start = d->len;
}

/* Only a timestamp, which closes a record: the rest is missing. */
static bool is_orphan(const struct record *r)
{
	return r->has == PMSCOPE_HAS_TIMESTAMP && !r->unknown;
}

/* Adds a closed record to the batch, unless it is damaged. */
static void keep_record(struct decoder *d, const struct record *r)
{
	count_faults(d, r);
	if (r->damaged || is_orphan(r)) {
		d->stats->damaged++;
		return;
	}
	record_append(d, r);
	d->stats->records++;
}

/* Decodes one record of any kind; false at the end. */
static bool take_record(struct decoder *d, bool headless)
{
	struct record r;
	size_t end = d->start;

	record_begin(&r, headless);
	do
		end = take_packets(d, &r, end);
	while (!r.closed && go_on(d));
	if (!r.closed) {
		cut_record(d, &r);
		return false;
	}
	keep_record(d, &r);
	d->start = end;
	return true;
}

static uint32_t wanted(unsigned int flags)
{
	return flags & PMSCOPE_DECODE_BRIEF ? BRIEF : UINT32_MAX;
}

size_t decode_paced(const uint8_t *buf, size_t len, uint64_t offset,
		    unsigned int flags, size_t limit,
		    struct pmscope_batch *batch,
		    struct pmscope_decode_stats *stats, const struct pace *pace)
{
	struct decoder d = {.buf = buf,
			    .len = pace ? MIN(len, pace->step) : len,
			    .whole = len,
			    .offset = offset,
			    .flags = flags,
			    .batch = batch,
			    .stats = stats,
			    .pace = pace,
			    .has = wanted(flags)};
	bool headless = flags & PMSCOPE_DECODE_RESYNC;

	/* The recorded start of a record excludes the padding before it. */
	while (batch->count < batch->capacity) {
		d.start = zeros_end(buf, d.len, d.start);
		if (d.start >= limit)
			break;
		if (d.start == d.len && go_on(&d))
			continue;
		if (!take_record(&d, headless))
			break;
		headless = false;
	}
	stats->bytes += d.start;
	return d.start;
}

size_t decode_until(const uint8_t *buf, size_t len, uint64_t offset,
		    unsigned int flags, size_t limit,
		    struct pmscope_batch *batch,
		    struct pmscope_decode_stats *stats)
{
	return decode_paced(buf, len, offset, flags, limit, batch, stats, NULL);
}

size_t pmscope_decode(const uint8_t *buf, size_t len, uint64_t offset,
		      unsigned int flags, struct pmscope_batch *batch,
		      struct pmscope_decode_stats *stats)
{
	uint64_t damaged = stats->damaged;
	size_t used;

	used = decode_until(buf, len, offset, flags, len, batch, stats);
	/* Leading zeros may be part of the record that resync drops. */
	if (!(flags & PMSCOPE_DECODE_RESYNC) || flags & PMSCOPE_DECODE_LAST ||
	    stats->damaged != damaged)
		return used;
	stats->bytes -= used;
	return 0;
}

void pieced_begin(struct pieced *pieced)
{
	record_begin(&pieced->record, false);
	pieced->bytes = 0;
}

size_t pieced_take(struct pieced *pieced, const uint8_t *buf, size_t len,
		   uint64_t offset, unsigned int flags)
{
	bool begun = pieced->bytes;
	struct decoder d = {.buf = buf,
			    .len = len,
			    .whole = len,
			    .offset = offset,
			    .flags = flags,
			    .start = begun ? len : 0};
	size_t size;

	if (!begun)
		pieced->offset = offset;
	size = take_careful(&d, &pieced->record, 0);
	/* Padding before the first packet moved the start. */
	if (begun || !d.start)
		pieced->bytes += size;
	return size;
}

void pieced_end(const struct pieced *pieced, size_t left, unsigned int flags,
		struct pmscope_batch *batch, struct pmscope_decode_stats *stats)
{
	struct decoder d = {.len = pieced->bytes + left,
			    .offset = pieced->offset,
			    .flags = flags | PMSCOPE_DECODE_LAST,
			    .batch = batch,
			    .stats = stats,
			    .has = wanted(flags)};

	if (pieced->record.closed)
		keep_record(&d, &pieced->record);
	else
		cut_record(&d, &pieced->record);
}
