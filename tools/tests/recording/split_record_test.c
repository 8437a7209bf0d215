// SPDX-License-Identifier: GPL-2.0-or-later
/* SPE records that begin in one AUXTRACE record and end in another. */
#include "happening.h"
#include "ktap.h"

#include <pmscope/packet.h>

#include <string.h>

#define RECORDS 5

#define AUXTRACE_SIZE 48 /* before its trace */

/* Wherever one begins in it, it is packets of addresses. */
#define ADDRESSES 0xb0b0b0b0b0b0b0b0
#define ENDS	  0x0101010101010101 /* or such */

static void put_loads(struct bytes *trace)
{
	for (unsigned int i = 1; i <= RECORDS; i++)
		put_load_of(trace, 10, 0x5000 + 4 * i, 0x9000 + i, 10 * i);
}

/* The loads, each once and nothing lost. */
static void expect_loads(struct bytes *b, const struct bytes *trace)
{
	struct pmscope_recording *r = open_bytes(b);
	const struct pmscope_losses *l = pmscope_recording_losses(r);
	struct pmscope_sample s;

	for (unsigned int i = 1; i <= RECORDS; i++) {
		expect_next(r, &s, 10 * i);
		EXPECT_EQ(s.tid, 10U);
		EXPECT_EQ(s.batch->pc[s.row] & 0xffff, 0x5000U + 4 * i);
		EXPECT_EQ(s.batch->va[s.row], 0x9000U + i);
	}
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(l->decode.records, (uint64_t)RECORDS);
	EXPECT_EQ(l->decode.bytes, trace->size);
	EXPECT_EQ(l->decode.cut_bytes, 0U);
	EXPECT_EQ(l->decode.damaged, 0U);
	pmscope_recording_free(r);
}

TEST(cut_at_every_byte)
{
	struct bytes trace = {};

	put_loads(&trace);
	for (size_t cut = 0; cut <= trace.size; cut++) {
		struct bytes b = {};

		begin(&b);
		put_auxtrace_part(&b, 0, &trace, 0, cut);
		put_auxtrace_part(&b, 0, &trace, cut, trace.size);
		expect_loads(&b, &trace);
		bytes_fini(&b);
	}
	bytes_fini(&trace);
}

TEST(pieces_smaller_than_a_record)
{
	struct bytes trace = {};

	put_loads(&trace);
	for (size_t size = 1; size <= 64; size++) {
		struct bytes b = {};
		size_t at = 0;

		begin(&b);
		for (; trace.size - at > size; at += size)
			put_auxtrace_part(&b, 0, &trace, at, at + size);
		put_auxtrace_part(&b, 0, &trace, at, trace.size);
		expect_loads(&b, &trace);
		bytes_fini(&b);
	}
	bytes_fini(&trace);
}

/*
 * The first row has time 10; one load has only its first 20 bytes, and must not
 * get another load's VA.
 */
static void expect_cut(struct bytes *b)
{
	struct pmscope_recording *r = open_bytes(b);
	struct pmscope_sample s;

	expect_next(r, &s, 10);
	while (pmscope_recording_next(r, &s) > 0)
		EXPECT_NE(s.batch->va[s.row], 0x9000U);
	EXPECT_EQ(pmscope_recording_losses(r)->decode.cut_bytes, 20U);
	pmscope_recording_free(r);
}

/*
 * Two loads and the beginning of one, then two that do not continue it; in the
 * area of @cpu, or of a thread.
 */
static void expect_cut_of(uint32_t cpu, uint64_t flags, uint64_t gap)
{
	static const struct where aux_at = {1, 1, 0, 0};
	struct bytes b = {}, first = {}, trace = {};

	put_load_of(&trace, 10, 0x5000, 0x9000, 30);
	put_load_of(&first, 10, 0x5000, 0x9001, 10);
	put_load_of(&first, 10, 0x5000, 0x9001, 20);
	bytes_add(&first, trace.data, 20);
	bytes_fini(&trace);
	put_load_of(&trace, 10, 0x5000, 0x9001, 40);
	put_load_of(&trace, 10, 0x5000, 0x9001, 50);
	begin(&b);
	put_aux(&b, first.size, flags, &aux_at);
	put_auxtrace(&b, 0, cpu, aux_at.tid, &first);
	put_auxtrace_at(&b, first.size + gap, 0, cpu, aux_at.tid, &trace);
	expect_cut(&b);
	bytes_fini(&b);
	bytes_fini(&first);
	bytes_fini(&trace);
}

static void expect_cut_by(uint64_t flags, uint64_t gap)
{
	expect_cut_of(0, flags, gap);
	expect_cut_of(NO_CPU, flags, gap);
}

TEST(what_does_not_follow_is_not_joined)
{
	expect_cut_by(0, 64);
}

/* The record before it lost its end: what follows is not part of it. */
TEST(a_break_between_traces)
{
	expect_cut_by(PERF_AUX_FLAG_PARTIAL, 0);
}

/* Offsets of a ring do not tell what follows what. */
TEST(a_ring)
{
	expect_cut_by(PERF_AUX_FLAG_OVERWRITE, 0);
}

/* Packets without an end form no record, in whatever pieces they come. */
TEST(a_record_longer_than_any)
{
	for (size_t size = 50; size < 6000; size += 450) {
		const struct pmscope_losses *l;
		struct bytes b = {}, trace = {}, load = {};
		struct pmscope_recording *r;
		struct pmscope_sample s;
		size_t at = 0;

		begin(&b);
		put_load_of(&trace, 10, 0x5000, 0x9000, 10);
		for (unsigned int i = 0; i < 2000; i++)
			put_packet(&trace, PMSCOPE_PACKET_ADDRESS, 0, 8,
				   ADDRESSES);
		for (; trace.size - at > size; at += size)
			put_auxtrace_part(&b, 0, &trace, at, at + size);
		put_auxtrace_part(&b, 0, &trace, at, trace.size);
		put_load_of(&load, 10, 0x5000, 0x9000, 20);
		put_auxtrace_at(&b, trace.size + 1, 0, 0, NO_TID, &load);
		r = open_bytes(&b);
		l = pmscope_recording_losses(r);
		expect_next(r, &s, 10);
		expect_next(r, &s, 20);
		EXPECT_EQ(pmscope_recording_next(r, &s), 0);
		EXPECT_EQ(l->decode.bytes, trace.size + load.size);
		EXPECT_EQ(l->decode.cut_bytes, trace.size - load.size);
		pmscope_recording_free(r);
		bytes_fini(&load);
		bytes_fini(&trace);
		bytes_fini(&b);
	}
}

/* What follows the cut is not a record of its own, whatever its bytes. */
static void expect_all_cut(uint64_t value)
{
	struct bytes trace = {};
	size_t begin_at;

	put_load(&trace, 0x5000, 0x9000, 10);
	begin_at = trace.size;
	put_packet(&trace, PMSCOPE_PACKET_ADDRESS, 0, 8, value);
	put_packet(&trace, PMSCOPE_PACKET_OPERATION, 1, 1, 0);
	for (size_t cut = begin_at + 1; cut < trace.size; cut++) {
		const struct pmscope_losses *l;
		struct pmscope_recording *r;
		struct pmscope_sample s;
		struct bytes b = {};

		begin(&b);
		put_auxtrace_part(&b, 0, &trace, 0, cut);
		put_auxtrace_part(&b, 0, &trace, cut, trace.size);
		r = open_bytes(&b);
		l = pmscope_recording_losses(r);
		expect_next(r, &s, 10);
		EXPECT_EQ(pmscope_recording_next(r, &s), 0);
		EXPECT_EQ(l->decode.cut_bytes, trace.size - begin_at);
		EXPECT_EQ(l->decode.bad_bytes, 0U);
		pmscope_recording_free(r);
		bytes_fini(&b);
	}
	bytes_fini(&trace);
}

TEST(a_record_without_an_end)
{
	expect_all_cut(ENDS);
	expect_all_cut(UINT64_MAX);
}

/* A record in two pieces, and another CPU's trace between them. */
static void put_apart(struct bytes *b, const struct bytes *first,
		      const struct bytes *second)
{
	struct bytes other = {};

	put_zeros(&other, 5);
	put_auxtrace(b, 0, 0, NO_TID, first);
	put_auxtrace(b, 1, 1, NO_TID, &other);
	put_auxtrace_at(b, first->size, 0, 0, NO_TID, second);
	bytes_fini(&other);
}

TEST(a_bad_byte_is_where_it_is_in_the_file)
{
	struct bytes b = {}, first = {}, second = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	uint64_t place;

	put_packet(&first, PMSCOPE_PACKET_ADDRESS, 0, 8, 0x5000);
	put_packet(&second, PMSCOPE_PACKET_OPERATION, 1, 1, 0);
	put(&second, 0xff, 1);
	put_timestamp(&second, 10);
	begin(&b);
	put_apart(&b, &first, &second);
	place = b.size - second.size + 2;
	r = open_bytes(&b);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->decode.bad_bytes, 1U);
	EXPECT_EQ(pmscope_recording_losses(r)->decode.first_bad, place);
	pmscope_recording_free(r);
	bytes_fini(&second);
	bytes_fini(&first);
	bytes_fini(&b);
}

/*
 * An alignment packet at each place: of the ENDs after it, those up to a
 * multiple of 16 in the file are skipped.
 */
TEST(alignment_counts_from_the_begin_of_the_file)
{
	for (unsigned int shift = 0; shift < 16; shift++) {
		struct bytes b = {}, first = {}, second = {};
		struct pmscope_recording *r;
		struct pmscope_sample s;
		size_t at, end;

		put_packet(&first, PMSCOPE_PACKET_ADDRESS, 0, 8, 0x5000);
		put_zeros(&second, shift);
		put(&second, 0x23, 2);
		for (unsigned int i = 0; i < 20; i++)
			put(&second, 1, 1);
		begin(&b);
		put_apart(&b, &first, &second);
		at = b.size - 22;
		end = (at + 16) / 16 * 16;
		r = open_bytes(&b);
		for (end += end < at + 2; end < at + 22; end++)
			ASSERT_EQ(pmscope_recording_next(r, &s), 1);
		EXPECT_EQ(pmscope_recording_next(r, &s), 0);
		pmscope_recording_free(r);
		bytes_fini(&second);
		bytes_fini(&first);
		bytes_fini(&b);
	}
}

/*
 * Its length is known only with the second piece: until then, what follows
 * belongs to the record, and is more than a batch holds.
 */
TEST(many_records_behind_a_torn_alignment_packet)
{
	struct bytes b = {}, area = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	begin(&b);
	put_zeros(&area, (14 - AUXTRACE_SIZE - b.size) % 16);
	put(&area, 0x23, 2);
	for (unsigned int i = 0; i < 15; i++)
		put(&area, 1, 1);
	put_auxtrace_part(&b, 0, &area, 0, area.size - 3);
	put_auxtrace_part(&b, 0, &area, area.size - 3, area.size);
	r = open_bytes(&b);
	for (unsigned int i = 0; i < 15; i++) {
		ASSERT_EQ(pmscope_recording_next(r, &s), 1);
		EXPECT_EQ(s.batch->offset[s.row] % 16, i % 16);
	}
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->decode.bytes, area.size);
	pmscope_recording_free(r);
	bytes_fini(&area);
	bytes_fini(&b);
}

KTAP_MAIN
