// SPDX-License-Identifier: GPL-2.0-or-later
/* The traces of a recording: their order, their losses, their CPUs. */
#include "scenario.h"

#include <malloc.h>

/* Row @i of 8 CPUs is on this one. */
STEP_OF(put_cpus)
{
	for (uint64_t cpu = 0; cpu < 8; cpu++) {
		for (uint64_t t = 1; t <= step->v[0]; t++)
			if (t * 7 % 8 == cpu)
				put_load(&sc->trace, 0x5000, 0x9000, t);
		put_auxtrace(&sc->b, cpu, cpu, NO_TID, &sc->trace);
		sc->trace.size = 0;
	}
}

SCENARIO(records_of_all_cpus_in_order_of_time, CALL(put_cpus, 8000),
	 NEXTS(1, 8000, 1), END);

STEP_OF(put_areas)
{
	put_load(&sc->trace, 0x5000, 0x9000, 10);
	for (uint64_t i = 0; i < step->v[0]; i++)
		put_auxtrace(&sc->b, i, i, NO_TID, &sc->trace);
	sc->version = mallinfo2().uordblks;
}

STEP_IS(expect_memory,
	EXPECT_LE(mallinfo2().uordblks - sc->version, step->v[0]));

/* A file may claim an area for every few bytes: there is a row of each then. */
SCENARIO(small_areas_take_little_memory, CALL(put_areas, 1000), NEXT(10),
	 CALL(expect_memory, 1000 * 2560));

#define SPE_INFO INFO(TYPE_ARM_SPE)

/* Everything about the thread is known at the end. */
SCENARIO(without_time_conv_no_record_has_a_time, BARE, SPE_INFO,
	 COMM(100, 10, 10, "named"), LOAD(50, 0, 10), UNTIMED, NAME("named"));

/* perf writes TIME_CONV before the traces; older versions after them. */
SCENARIO(time_conv_behind_the_trace, BARE, SPE_INFO, COMM(100, 10, 10, "later"),
	 LOAD(10, 0, 10), LOAD(30, 0, 10), CONV(0, 4, 0), NEXT(40), NAME(NULL),
	 NEXT(120), NAME("later"));

/* A kernel without a user-readable clock writes zero. */
SCENARIO(time_conv_with_a_multiplier_of_zero, BARE, SPE_INFO, CONV(10, 0, 0),
	 LOAD(50, 1, 10), LOAD(20, 0, 10), UNTIMED, CPU_IS(1), UNTIMED,
	 CPU_IS(0), END);

/* perf uses the conversion when it reads AUXTRACE_INFO. */
SCENARIO(time_conv_before_auxtrace_info_stays, BARE, CONV(0, 2, 0),
	 CONV(0, 3, 0), SPE_INFO, CONV(0, 5, 0), LOAD(10, 0, 10), NEXT(30));

/* Of each size, with any bits of misc. */
STEP_OF(put_others)
{
	static const uint32_t types[] = {0,  23, 87, 4,	 5,	    6,	8,
					 18, 19, 20, 21, 22,	    63, 65,
					 68, 69, 72, 73, 74,	    75, 76,
					 77, 82, 84, 99, 0xffffffff};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (size_t size = 0; size < 64; size += 8) {
			BYTES body = {};

			put_zeros(&body, size / 2);
			while (body.size < size)
				put(&body, 0xfd, 1);
			put_record(&sc->b, types[i], i, &body);
		}
}

/* Meaningless ones, and those of newer kernels and perfs, in any state. */
SCENARIO(records_of_other_types_change_nothing, COMM(1, 10, 10, "named"),
	 CALL(put_others), LOAD(10, 0, 10), NEXT(10), NAME("named"), END,
	 ERROR(""),
	 /* 0, 23, 63, 87, 99 and the last. */
	 LOSS(unknown_records, 6 * 8));

/* Up to the end of the decompressed data, then a record that is too short. */
STEP_OF(put_compressed_auxtrace)
{
	BYTES plain = {};
	BYTES body = {};

	while (plain.size < (1 << 16) - 8)
		put_record(&plain, PMSCOPE_RECORD_FINISHED_ROUND, 0, &body);
	put_record(&plain, PMSCOPE_RECORD_AUXTRACE, 0, &body);
	put_compressed(&sc->b, &plain, PMSCOPE_RECORD_COMPRESSED, 30000);
}

/* What follows it cannot be found: only uncompressed records have trace. */
SCENARIO(auxtrace_that_is_compressed_has_no_trace,
	 CALL(put_compressed_auxtrace), LOAD(10, 0, 10), NEXT(10), TRACES(1),
	 ERROR("AUXTRACE"));

/* As a shift in C it would be undefined; perf does it anyway. */
SCENARIO(time_that_cannot_be_shifted, BARE, SPE_INFO, CONV(64, 1, 0),
	 ERROR("by 64 bits"));

SCENARIO(trace_of_another_unit_is_counted, BARE, INFO(1) /* Intel PT */,
	 LOAD(50, 0, 10), END, LOSS(other_trace, 64), TRACES(0));

SCENARIO(losses_are_counted, AUX(64, PERF_AUX_FLAG_TRUNCATED),
	 AUX(64, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_COLLISION),
	 AUX(64, PERF_AUX_FLAG_COLLISION | PERF_AUX_FLAG_PARTIAL),
	 AUX(64, PERF_AUX_FLAG_COLLISION), AUX(64, 0),
	 SIDE(PERF_RECORD_LOST, 0, 0, 1, 1, PERFDATA_ID, 17),
	 LOSS(truncated, 2), LOSS(collisions, 3), LOSS(partial, 1),
	 LOSS(lost_records, 17), LOSS(trace_errors, 0));

#define RING(size)   AUX(size, PERF_AUX_FLAG_OVERWRITE)
#define CONTEXT_OF_7 T_PACKET(PMSCOPE_PACKET_CONTEXT, 1, 4, 7)
#define FROM_THE_SECOND                                                 \
	AREA(4096, 0, 0, NO_TID), NEXT(20), IS(pc, 0x8000000000005000), \
		NEXT(30), END, LOSS(decode.bad_bytes, 0)

/*
 * perf record -S: what the oldest record of a ring begins with is gone; a
 * record without its first packet still has everything that matters.
 */
SCENARIO(a_ring_begins_within_a_record, RING(192 - 15), T_TIMES(10, 30, 10),
	 T_DROP(15), FROM_THE_SECOND, ANEW, RING(3 * 69 - 5), CONTEXT_OF_7,
	 T_LOAD(10), CONTEXT_OF_7, T_LOAD(20), CONTEXT_OF_7, T_LOAD(30),
	 T_DROP(5), FROM_THE_SECOND);

/* If all records have one size, as on Neoverse, laps end between them. */
SCENARIO(a_full_ring_begins_with_a_whole_record, RING(192), T_TIMES(10, 30, 10),
	 AREA(4096, 0, 0, NO_TID), NEXTS(10, 30, 10), END,
	 LOSS(decode.damaged, 0));

/* perf record -S, twice: it was not full yet, so nothing is gone. */
SCENARIO(a_ring_begins_with_a_record, RING(256), T_TIMES(10, 40, 10),
	 PART(0, 128), PART(128, 256), NEXTS(10, 40, 10), END,
	 LOSS(decode.damaged, 0));

/* A ring of 1024 bytes that ends with the record at this time. */
STEP_OF(put_ring)
{
	BYTES all = {}, ring = {};

	for (uint64_t time = 10; time <= step->v[0]; time += 10)
		put_load(&all, 0x5000, 0x9000, time);
	bytes_add(&ring, all.data + all.size - 1024, 1024);
	put_auxtrace_at(&sc->b, all.size % 1024, 0, 0, NO_TID, &ring);
}

STEP_OF(expect_rings)
{
	struct pmscope_trace trace;

	EXPECT_EQ(pmscope_recording_trace_size(sc->r), 68U * 64);
	ASSERT_TRUE(pmscope_recording_trace(sc->r, 2, &trace));
	EXPECT_EQ(trace.size, 1024U);
	EXPECT_EQ(trace.data_offset, (uint64_t)(trace.data - sc->b.data));
	EXPECT_TRUE(!pmscope_recording_trace(sc->r, 7, &trace));
}

/* Rings of 16 records: partly overwritten, read again, full anew. */
SCENARIO(what_two_snapshots_have_is_read_once, RING(1024), CALL(put_ring, 160),
	 CALL(put_ring, 200), CALL(put_ring, 200), CALL(put_ring, 350),
	 CALL(put_ring, 360), CALL(put_ring, 520), CALL(put_ring, 1000),
	 NEXTS(10, 520, 10), NEXTS(850, 1000, 10), END, LOSS(decode.damaged, 0),
	 LOSS(repeated_trace, (7 * 16 - 68) * 64), TRACES(7),
	 /* Each of them can be read. */
	 CALL(expect_rings));

/* A loop without times: as many again may have overwritten as many before. */
TEST(snapshots_without_times_are_read_whole)
{
	BYTES ring = {};

	while (ring.size < 1024) {
		put_packet(&ring, PMSCOPE_PACKET_ADDRESS, 0, 8, 0x5000);
		put_packet(&ring, PMSCOPE_PACKET_OPERATION, 0, 1, 0);
		PUT_EVENTS(&ring, 1, 2);
		put_packet(&ring, PMSCOPE_PACKET_COUNTER, 0, 2, 7);
		put_zeros(&ring, 47);
		put(&ring, 1, 1); /* END */
	}
	PLAY(RING(1024), T_ALL(&ring), AREA(0, 0, 0, NO_TID), T_ALL(&ring),
	     AREA(64, 0, 0, NO_TID), UNTIMEDS(2 * 16), END);
}

/* The start of a record, a break, then a whole record without its VA. */
SCENARIO(a_partial_record_is_not_mixed_with_the_next,
	 T_PACKET(PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_VA, 8, 5),
	 AUX(9, PERF_AUX_FLAG_PARTIAL),
	 T_PACKET(PMSCOPE_PACKET_COUNTER, 0, 2, 7),
	 T_PACKET(PMSCOPE_PACKET_TIMESTAMP, 0, 8, 50), AREA(0, 0, 0, NO_TID),
	 NEXT(50), IS(has, PMSCOPE_HAS_TOTAL | PMSCOPE_HAS_TIMESTAMP), END,
	 LOSS(partial, 1), LOSS(decode.cut_bytes, 9));

SCENARIO(raw_data_is_one_trace, RAW, OPTIONS(.midr = 0x410fd0c0, .raw = true),
	 T_LOAD_OF(50, 10, 0x5000, 0x9000), T_RAW, TAKE, TID(10),
	 IS(s.midr, 0x410fd0c0), IS(pc, 0x8000000000005000), END, ERROR(""));

TEST(options_of_a_newer_header_are_refused_when_set)
{
	struct {
		struct pmscope_recording_options known;
		uint64_t unknown;
	} options = {{.size = sizeof(options)}, 0};
	struct pmscope_recording *r;

	ASSERT_EQ(pmscope_recording_open(NULL, 0, &options.known, &r),
		  -EBADMSG);
	EXPECT_STREQ(pmscope_recording_error(r), "offset 0x0: empty");
	pmscope_recording_free(r);
	options.unknown = 1;
	EXPECT_EQ(pmscope_recording_open(NULL, 0, &options.known, &r), -EINVAL);
}
