// SPDX-License-Identifier: GPL-2.0-or-later
/* SPE records that begin in one AUXTRACE record and end in another. */
#include "scenario.h"

#define AUXTRACE_SIZE 48 /* before its trace */

/* Wherever one begins in it, it is packets of addresses. */
#define ADDRESSES 0xb0b0b0b0b0b0b0b0
#define ENDS	  0x0101010101010101 /* or such */

/* All of @area of a CPU, as pieces that end after each of @size bytes. */
STEP_OF(put_pieces)
{
	const struct bytes *area = step->data;
	size_t size = step->v[0], at = 0;

	for (; area->size - at > size; at += size)
		put_auxtrace_part(&sc->b, 0, area, at, at + size);
	put_auxtrace_part(&sc->b, 0, area, at, area->size);
}
#define PIECES(size, area) TELL_OF(put_pieces, NULL, area, size)
#define CUT(cut, area)	   T_ALL(area), PART(0, cut), PART(cut, (area)->size)

/* One load has only its first 20 bytes, and must not get another load's VA. */
STEP_OF(expect_cut)
{
	while (pmscope_recording_next(sc->r, &sc->s) > 0)
		EXPECT_NE(sc->s.batch->va[sc->s.row], 0x9000U);
	EXPECT_EQ(pmscope_recording_losses(sc->r)->decode.cut_bytes,
		  step->v[0]);
}

/*
 * Two loads and the beginning of one, then two that do not continue it; in the
 * area of a CPU, or of a thread.
 */
static void expect_cut_by(uint64_t flags, uint64_t gap)
{
	BYTES first = {}, cut = {};

	put_load_of(&first, 10, 0x5000, 0x9001, 10);
	put_load_of(&first, 10, 0x5000, 0x9001, 20);
	put_load_of(&cut, 10, 0x5000, 0x9000, 30);
	bytes_add(&first, cut.data, 20);
	for (uint32_t cpu = 0, i = 0; i < 2; i++, cpu = NO_CPU)
		PLAY(AUX(first.size, flags), T_ALL(&first), AREA(0, 0, cpu, 1),
		     T_LOAD_OF(40, 10, 0x5000, 0x9001),
		     T_LOAD_OF(50, 10, 0x5000, 0x9001),
		     AREA(first.size + gap, 0, cpu, 1), NEXT(10),
		     CALL(expect_cut, 20));
}

CASE(what_does_not_follow_is_not_joined, expect_cut_by(0, 64));

/* The record before it lost its end: what follows is not part of it. */
CASE(a_break_between_traces, expect_cut_by(PERF_AUX_FLAG_PARTIAL, 0));

/* Offsets of a ring do not tell what follows what. */
CASE(a_ring, expect_cut_by(PERF_AUX_FLAG_OVERWRITE, 0));

/* Packets without an end form no record, in whatever pieces they come. */
TEST(a_record_longer_than_any)
{
	BYTES trace = {};

	put_load_of(&trace, 10, 0x5000, 0x9000, 10);
	for (unsigned int i = 0; i < 2000; i++)
		put_packet(&trace, PMSCOPE_PACKET_ADDRESS, 0, 8, ADDRESSES);
	for (size_t size = 50; size < 6000; size += 450)
		PLAY(PIECES(size, &trace), T_LOAD_OF(20, 10, 0x5000, 0x9000),
		     AREA(trace.size + 1, 0, 0, NO_TID), NEXT(10), NEXT(20),
		     END, LOSS(decode.bytes, trace.size + 64),
		     LOSS(decode.cut_bytes, trace.size - 64));
}

/* What follows the cut is not a record of its own, whatever its bytes. */
static void expect_all_cut(uint64_t value)
{
	BYTES trace = {};
	size_t begin_at;

	put_load(&trace, 0x5000, 0x9000, 10);
	begin_at = trace.size;
	put_packet(&trace, PMSCOPE_PACKET_ADDRESS, 0, 8, value);
	put_packet(&trace, PMSCOPE_PACKET_OPERATION, 1, 1, 0);
	for (size_t cut = begin_at + 1; cut < trace.size; cut++)
		PLAY(CUT(cut, &trace), NEXT(10), END,
		     LOSS(decode.cut_bytes, trace.size - begin_at),
		     LOSS(decode.bad_bytes, 0));
}

CASE(a_record_without_an_end, expect_all_cut(ENDS); expect_all_cut(UINT64_MAX));

/* The first piece of a record, and another CPU's trace behind it. */
#define FIRST_PIECE                                                            \
	T_PACKET(PMSCOPE_PACKET_ADDRESS, 0, 8, 0x5000), AREA(0, 0, 0, NO_TID), \
		T_BYTES(5, 0), AREA(0, 1, 1, NO_TID)

STEP_IS(expect_bad, EXPECT_EQ(pmscope_recording_losses(sc->r)->decode.first_bad,
			      sc->b.size - step->v[0]));

SCENARIO(a_bad_byte_is_where_it_is_in_the_file, FIRST_PIECE,
	 T_PACKET(PMSCOPE_PACKET_OPERATION, 1, 1, 0), T_BYTES(1, 0xff),
	 T_PACKET(PMSCOPE_PACKET_TIMESTAMP, 0, 8, 10), AREA(9, 0, 0, NO_TID),
	 END, LOSS(decode.bad_bytes, 1), CALL(expect_bad, 1 + 9));

/* Of 20 ENDs at the end of the file, those up to a multiple of 16 are none. */
STEP_OF(expect_ends)
{
	size_t at = sc->b.size - 22, end = (at + 16) / 16 * 16;

	for (end += end < at + 2; end < at + 22; end++)
		ASSERT_EQ(pmscope_recording_next(sc->r, &sc->s), 1);
}

/* An alignment packet at each place, and ENDs after it. */
TEST(alignment_counts_from_the_begin_of_the_file)
{
	for (unsigned int shift = 0; shift < 16; shift++)
		PLAY(FIRST_PIECE, T_BYTES(shift, 0), T_BYTES(1, 0x23),
		     T_BYTES(1, 0), T_BYTES(20, 1), AREA(9, 0, 0, NO_TID),
		     OPENED, CALL(expect_ends), END);
}

STEP_OF(expect_aligned)
{
	for (unsigned int i = 0; i < step->v[0]; i++) {
		ASSERT_EQ(pmscope_recording_next(sc->r, &sc->s), 1);
		EXPECT_EQ(sc->s.batch->offset[sc->s.row] % 16, i % 16);
	}
}

STEP_IS(put_up_to_14,
	put_zeros(&sc->trace, (14 - AUXTRACE_SIZE - sc->b.size) % 16));

STEP_OF(put_but_3)
{
	size_t size = sc->trace.size;

	put_auxtrace_part(&sc->b, 0, &sc->trace, 0, size - 3);
	put_auxtrace_part(&sc->b, 0, &sc->trace, size - 3, size);
}

STEP_IS(expect_all_bytes,
	EXPECT_EQ(pmscope_recording_losses(sc->r)->decode.bytes,
		  sc->trace.size));

/*
 * Its length is known only with the second piece: until then, what follows
 * belongs to the record, and is more than a batch holds.
 */
SCENARIO(many_records_behind_a_torn_alignment_packet, CALL(put_up_to_14),
	 T_BYTES(1, 0x23), T_BYTES(1, 0), T_BYTES(15, 1), CALL(put_but_3),
	 OPENED, CALL(expect_aligned, 15), END, CALL(expect_all_bytes));
