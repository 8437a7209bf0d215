// SPDX-License-Identifier: GPL-2.0-or-later
/* Records: packets in any order into columns, and what damage does. */
#include "scenario.h"

static struct pmscope_decode_stats stats;
static struct pmscope_batch *batch;

static void decode(const struct bytes *trace, unsigned int flags)
{
	pmscope_batch_free(batch);
	batch = pmscope_batch_new(1024);
	stats = (struct pmscope_decode_stats){};
	EXPECT_EQ(pmscope_decode(trace->data, trace->size, 0, flags, batch,
				 &stats),
		  trace->size);
}

static void __attribute__((destructor)) free_batch(void)
{
	pmscope_batch_free(batch);
}

STEP_OF(decode_trace)
{
	decode(&sc->trace, PMSCOPE_DECODE_LAST | step->v[0]);
	EXPECT_EQ(batch->count, step->v[1]);
	sc->over |= batch->count != step->v[1];
}
#define DECODED(flags, rows) CALL(decode_trace, flags, rows)

STEP_IS(expect_stat,
	EXPECT_EQ(*(uint64_t *)((char *)&stats + step->v[0]), step->v[1]));
#define STAT(member, value) \
	CALL(expect_stat, offsetof(struct pmscope_decode_stats, member), value)

STEP_OF(expect_cell)
{
	const char *column = *(char **)((char *)batch + step->v[0]);
	uint64_t cell = 0;

	memcpy(&cell, column + step->v[2] * step->v[1], step->v[1]);
	EXPECT_EQ(cell, step->v[3]);
}
#define CELL(column, row, value)                                  \
	CALL(expect_cell, offsetof(struct pmscope_batch, column), \
	     sizeof(*((struct pmscope_batch *)NULL)->column), row, value)

#define TOTAL(cycles) T_PACKET(PMSCOPE_PACKET_COUNTER, 0, 2, cycles)
#define T_END	      T_BYTES(1, 1)

/* One packet of each kind that a record has a column for. */
static const struct {
	uint8_t type, index, size;
	uint64_t payload;
} parts[] = {
	{PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8, 0xa0ff800000001000},
	{PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_TARGET, 8, 0x8000aaaa00002000},
	{PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_VA, 8, 0x5a00ffff00003000},
	{PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PA, 8, 0x8000000040004000},
	{PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PREVIOUS, 8,
	 0xc0ff800000005000},
	{PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_TOTAL, 2, 0xfff},
	{PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_ISSUE, 2, 0x123},
	{PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_TRANSLATE, 2, 0x45},
	{PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_ALT_ISSUE, 2, 0x67},
	{PMSCOPE_PACKET_CONTEXT, 0, 4, 1234},
	{PMSCOPE_PACKET_CONTEXT, 1, 4, 5678},
	{PMSCOPE_PACKET_EVENTS, 0, 8, 0x8000000003ff0fff},
	{PMSCOPE_PACKET_OPERATION, PMSCOPE_OPERATION_LOAD_STORE, 1, 0x16},
	{PMSCOPE_PACKET_DATA_SOURCE, 0, 2, 0x1234},
};

static void shuffle(unsigned int *order, uint64_t *state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++)
		order[i] = i;
	for (unsigned int i = ARRAY_SIZE(parts) - 1; i; i--) {
		unsigned int j = random_below(state, i + 1), swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
}

/* All parts in a random order, with padding anywhere. */
static void put_whole_record(struct bytes *trace, uint64_t *state)
{
	unsigned int order[ARRAY_SIZE(parts)];

	shuffle(order, state);
	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++) {
		put_zeros(trace, random_below(state, 4));
		put_packet(trace, parts[order[i]].type, parts[order[i]].index,
			   parts[order[i]].size, parts[order[i]].payload);
	}
	put_timestamp(trace, 0x0123456789abcdef);
	put_zeros(trace, random_below(state, 20));
}

static void check_whole_record(const struct pmscope_batch *b, size_t i)
{
	EXPECT_EQ(b->has[i], 0x00f3171fU);
	EXPECT_EQ(b->pc[i], 0xa0ff800000001000);
	EXPECT_EQ(b->target[i], 0x8000aaaa00002000);
	EXPECT_EQ(b->va[i], 0x5a00ffff00003000U);
	EXPECT_EQ(b->pa[i], 0x8000000040004000);
	EXPECT_EQ(b->previous[i], 0xc0ff800000005000);
	EXPECT_EQ(b->timestamp[i], 0x0123456789abcdefU);
	EXPECT_EQ(b->events[i], 0x8000000003ff0fff);
	EXPECT_EQ(b->context_el1[i], 1234U);
	EXPECT_EQ(b->context_el2[i], 5678U);
	EXPECT_EQ(b->total[i], 0xfff);
	EXPECT_EQ(b->issue[i], 0x123);
	EXPECT_EQ(b->translate[i], 0x45);
	EXPECT_EQ(b->alt_issue[i], 0x67);
	EXPECT_EQ(b->source[i], 0x1234);
	EXPECT_EQ(b->op_class[i], PMSCOPE_OPERATION_LOAD_STORE);
	EXPECT_EQ(b->op[i], 0x16);
}

TEST(packets_in_any_order)
{
	BYTES trace = {};
	uint64_t state = 1;

	for (int i = 0; i < 500; i++)
		put_whole_record(&trace, &state);
	decode(&trace, PMSCOPE_DECODE_LAST);
	EXPECT_EQ(batch->count, 500U);
	for (size_t i = 0; i < batch->count; i++)
		check_whole_record(batch, i);
	EXPECT_EQ(stats.records, 500U);
	EXPECT_EQ(stats.bytes, trace.size);
	EXPECT_EQ(stats.bad_bytes + stats.damaged + stats.cut_bytes +
			  stats.unknown,
		  0U);
}

SCENARIO(record_without_timestamp_ends_with_end, TOTAL(7), T_END,
	 T_PACKET(PMSCOPE_PACKET_COUNTER, 1, 2, 8), T_END, DECODED(0, 2),
	 CELL(has, 0, PMSCOPE_HAS_TOTAL), CELL(has, 1, PMSCOPE_HAS_ISSUE),
	 CELL(total, 1, 0), CELL(offset, 1, 4));

TEST(streamed_in_pieces)
{
	struct pmscope_batch *own = pmscope_batch_new(64);
	BYTES trace = {};
	uint64_t state = 3;

	for (int i = 0; i < 20; i++)
		put_whole_record(&trace, &state);
	for (size_t piece = 1; piece < 300; piece += 7) {
		size_t from = 0, to = 0;

		own->count = 0;
		stats = (struct pmscope_decode_stats){};
		while (to < trace.size) {
			to = MIN(to + piece, trace.size);
			from += pmscope_decode(trace.data + from, to - from,
					       from, 0, own, &stats);
		}
		EXPECT_EQ(from, trace.size);
		EXPECT_EQ(own->count, 20U);
		for (size_t i = 0; i < own->count; i++)
			check_whole_record(own, i);
		EXPECT_EQ(stats.bytes, trace.size);
	}
	pmscope_batch_free(own);
}

/* Like the example for a socket in pmscope_decode(3). */
static void decode_stream(const struct bytes *stream, struct pmscope_batch *own)
{
	size_t from = 0, have = 0, at, used;
	uint8_t room[4096];

	do {
		size_t n = sizeof(room) - have;
		unsigned int flags = 0;

		n = MIN(stream->size - from, n);
		memcpy(room + have, stream->data + from, n);
		from += n;
		have += n;
		if (from == stream->size)
			flags = PMSCOPE_DECODE_LAST;
		for (at = 0; at < have; at += used) {
			used = pmscope_decode(room + at, have - at,
					      from - have + at, flags, own,
					      &stats);
			if (!used && (at || have < sizeof(room)))
				break;
			if (!used)
				flags = PMSCOPE_DECODE_LAST;
		}
		have -= at;
		memmove(room, room + at, have);
	} while (have || from < stream->size);
}

/* Damage may close no record: it does not fill up the caller's memory. */
TEST(stream_with_much_damage)
{
	struct pmscope_batch *own = pmscope_batch_new(1024);
	static const uint8_t garbage[20000] = {[0 ... 19999] = 0xff};
	BYTES stream = {};
	uint64_t state = 5;
	size_t bad_at;

	for (int i = 0; i < 100; i++)
		put_whole_record(&stream, &state);
	bad_at = stream.size;
	bytes_add(&stream, garbage, sizeof(garbage));
	for (int i = 0; i < 100; i++)
		put_whole_record(&stream, &state);
	stats = (struct pmscope_decode_stats){};
	decode_stream(&stream, own);
	EXPECT_EQ(stats.bytes, stream.size);
	EXPECT_EQ(stats.bad_bytes, sizeof(garbage));
	EXPECT_EQ(stats.first_bad, bad_at);
	EXPECT_EQ(own->count, 199U);
	for (size_t i = 0; i < own->count; i++)
		check_whole_record(own, i);
	pmscope_batch_free(own);
}

/* The record with a bad byte is dropped and counted; its neighbours stay. */
SCENARIO(bad_byte_costs_one_record, T_LOAD(1), TOTAL(7), T_BYTES(1, 0xff),
	 T_LOAD(2), T_LOAD(3), DECODED(0, 2), CELL(timestamp, 0, 1),
	 CELL(timestamp, 1, 3), STAT(damaged, 1), STAT(bad_bytes, 1),
	 STAT(first_bad, 64 + 3));

/* no such packet: two bytes of payload; extended: 0xff, eight bytes;
 * below 0x20: none
 */
SCENARIO(unknown_packets_can_be_skipped_by_size, TOTAL(7), T_BYTES(1, 0x56),
	 T_BYTES(2, 0xff), T_BYTES(1, 0x2f), T_BYTES(9, 0xff), T_BYTES(1, 0x10),
	 T_TIME(5), DECODED(PMSCOPE_DECODE_SKIP_BY_SIZE, 1), CELL(total, 0, 7),
	 STAT(unknown, 3), STAT(bad_bytes, 0), DECODED(0, 0), STAT(damaged, 1));

SCENARIO(reserved_indices_are_counted_and_do_no_harm, TOTAL(7),
	 T_PACKET(PMSCOPE_PACKET_COUNTER, 3, 2, 8),
	 T_PACKET(PMSCOPE_PACKET_COUNTER, 6, 2, 8),
	 T_PACKET(PMSCOPE_PACKET_COUNTER, 31, 2, 9),
	 T_PACKET(PMSCOPE_PACKET_ADDRESS, 5, 8, 8),
	 T_PACKET(PMSCOPE_PACKET_ADDRESS, 30, 8, 8),
	 T_PACKET(PMSCOPE_PACKET_CONTEXT, 2, 4, 8), T_TIME(5), DECODED(0, 1),
	 CELL(has, 0,
	      PMSCOPE_HAS_TOTAL | PMSCOPE_HAS_COUNTER | PMSCOPE_HAS_TIMESTAMP),
	 STAT(unknown, 6), CELL(counter, 0, 31U << 16 | 9));

SCENARIO(resync_begins_behind_the_first_end, T_LOAD(1), T_LOAD(2),
	 DECODED(PMSCOPE_DECODE_RESYNC, 1), CELL(timestamp, 0, 2),
	 STAT(bad_bytes, 0));

STEP_IS(put_load_at, put_load(&sc->trace, step->v[0], 0x9000, step->v[1]));
#define T_LOAD_AT(pc, time) CALL(put_load_at, pc, time)

/* The end of an address, read as packets, is not the trace's fault. */
SCENARIO(resync_calls_no_byte_bad_before_it,
	 T_LOAD_AT(UINT64_C(0xfdfdfdfdfdfdfd), 1), T_LOAD(2), T_DROP(3),
	 DECODED(PMSCOPE_DECODE_RESYNC, 1), CELL(timestamp, 0, 2),
	 STAT(bad_bytes, 0), STAT(damaged, 1));

/*
 * Its zeros are not padding either: a stream in pieces must not consume them
 * earlier.
 */
TEST(resync_takes_nothing_before_it_found_the_end)
{
	struct pmscope_batch *own = pmscope_batch_new(2);
	BYTES trace = {};
	size_t first, size = 0, used;

	put_load(&trace, 0x1000, 0x9000, 1);
	first = trace.size - 3;
	stats = (struct pmscope_decode_stats){};
	do {
		used = pmscope_decode(trace.data + 3, ++size, 0,
				      PMSCOPE_DECODE_RESYNC, own, &stats);
	} while (!used && size < first);
	EXPECT_EQ(used, first);
	EXPECT_EQ(stats.bytes, first);
	EXPECT_EQ(stats.damaged, 1U);
	pmscope_batch_free(own);
}

/* A counter packet of 1, cut after its header, is not the end of the record. */
SCENARIO(resync_does_not_take_a_payload_for_the_end, T_BYTES(1, 1),
	 T_BYTES(1, 0),
	 T_PACKET(PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_VA, 8, 5), T_TIME(1),
	 T_LOAD(2), DECODED(PMSCOPE_DECODE_RESYNC, 1), CELL(timestamp, 0, 2),
	 STAT(damaged, 1));

/* Without timestamps the second one is taken for it. */
SCENARIO(resync_goes_on_behind_the_second_end, TOTAL(1), T_END, TOTAL(2), T_END,
	 TOTAL(3), T_END, TOTAL(4), T_END, DECODED(PMSCOPE_DECODE_RESYNC, 2),
	 CELL(total, 0, 3));

TEST(random_bytes_are_all_accounted_for)
{
	uint64_t state = 0xabcdef;

	for (int turn = 0; turn < 3000; turn++) {
		BYTES trace = {};
		size_t size = random_below(&state, 400);

		while (trace.size < size)
			put(&trace, random_next(&state) >> 33, 1);
		decode(&trace, PMSCOPE_DECODE_LAST);
		EXPECT_EQ(stats.bytes, size);
		EXPECT_EQ(stats.records, batch->count);
		if (stats.bad_bytes)
			EXPECT_LT(stats.first_bad, size);
	}
}

TEST(addresses_become_canonical)
{
	EXPECT_EQ(pmscope_code_address(0xa0ff800000001000), 0xffff800000001000);
	EXPECT_EQ(pmscope_code_address(0xc0ff800000001000), 0xffff800000001000);
	EXPECT_EQ(pmscope_code_address(0x80007fffdead0000),
		  0x00007fffdead0000U);
	/* Secure EL1 is not Linux. */
	EXPECT_EQ(pmscope_code_address(0x20ff800000001000),
		  0x00ff800000001000U);
	EXPECT_EQ(pmscope_data_address(0x00ff800000001000), 0xffff800000001000);
	EXPECT_EQ(pmscope_data_address(0x5a00ffff00003000),
		  0x0000ffff00003000U);
	EXPECT_EQ(pmscope_physical_address(0x8000000040004000),
		  0x0000000040004000U);
	EXPECT_EQ(pmscope_address_el(0xc000000000000000), 2U);
	EXPECT_EQ(pmscope_address_ns(0x2000000000000000), 0U);
}

TEST(batch_of_no_or_too_many_records_is_refused)
{
	errno = 0;
	EXPECT_TRUE(!pmscope_batch_new(0));
	EXPECT_EQ(errno, EINVAL);
	EXPECT_TRUE(!pmscope_batch_new((1U << 24) + 1));
	pmscope_batch_free(NULL);
}
