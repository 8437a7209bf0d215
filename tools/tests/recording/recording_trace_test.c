// SPDX-License-Identifier: GPL-2.0-or-later
/* The traces of a recording: their order, their losses, their CPUs. */
#include "happening.h"
#include "ktap.h"

#include <pmscope/packet.h>

#include <errno.h>
#include <malloc.h>

TEST(records_of_all_cpus_in_order_of_time)
{
	struct bytes b = {}, trace[8] = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	uint64_t last = 0, records = 0;

	begin(&b);
	for (uint64_t t = 1; t <= 8000; t++)
		put_load(&trace[t * 7 % 8], 0x5000, 0x9000, t);
	for (uint32_t cpu = 0; cpu < 8; cpu++)
		put_auxtrace(&b, cpu, cpu, NO_TID, &trace[cpu]);
	r = open_bytes(&b);
	for (; pmscope_recording_next(r, &s) > 0; records++) {
		EXPECT_EQ(s.time, last + 1);
		last = s.time;
	}
	EXPECT_EQ(records, 8000U);
	pmscope_recording_free(r);
	for (uint32_t cpu = 0; cpu < 8; cpu++)
		bytes_fini(&trace[cpu]);
	bytes_fini(&b);
}

/* A file may claim an area for every few bytes. */
TEST(small_areas_take_little_memory)
{
	static const unsigned int areas = 1000;
	struct bytes b = {}, trace = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	size_t before;

	put_load(&trace, 0x5000, 0x9000, 10);
	begin(&b);
	for (unsigned int i = 0; i < areas; i++)
		put_auxtrace(&b, i, i, NO_TID, &trace);
	before = mallinfo2().uordblks;
	r = open_bytes(&b);
	/* From now on there is a row of each. */
	expect_next(r, &s, 10);
	EXPECT_LE(mallinfo2().uordblks - before, areas * 2560U);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

TEST(without_time_conv_no_record_has_a_time)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	comm_at(&b, 0, "named", 100, 10, 10);
	load_at(&b, 0, 10, 0x5000, 50);
	r = open_bytes(&b);
	ASSERT_EQ(pmscope_recording_next(r, &s), 1);
	EXPECT_FALSE(s.has_time);
	/* Everything about the thread is known at the end. */
	EXPECT_STREQ(s.comm, "named");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* perf writes TIME_CONV before the traces; older versions after them. */
TEST(time_conv_behind_the_trace)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	comm_at(&b, 0, "later", 100, 10, 10);
	load_at(&b, 0, 10, 0x5000, 10);
	load_at(&b, 0, 10, 0x5000, 30);
	put_time_conv(&b, 0, 4, 0);
	r = open_bytes(&b);
	expect_next(r, &s, 40);
	EXPECT_TRUE(!s.comm);
	expect_next(r, &s, 120);
	EXPECT_STREQ(s.comm, "later");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* A kernel without a user-readable clock writes zero. */
TEST(time_conv_with_a_multiplier_of_zero)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_time_conv(&b, 10, 0, 0);
	load_at(&b, 1, 10, 0x5000, 50);
	load_at(&b, 0, 10, 0x5000, 20);
	r = open_bytes(&b);
	for (uint32_t cpu = 1; cpu < 2; cpu--) {
		ASSERT_EQ(pmscope_recording_next(r, &s), 1);
		EXPECT_FALSE(s.has_time);
		EXPECT_EQ(s.cpu, cpu);
	}
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* perf uses the conversion when it reads AUXTRACE_INFO. */
TEST(time_conv_before_auxtrace_info_stays)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	perfdata_begin(&b);
	put_time_conv(&b, 0, 2, 0);
	put_time_conv(&b, 0, 3, 0);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_time_conv(&b, 0, 5, 0);
	load_at(&b, 0, 10, 0x5000, 10);
	r = open_bytes(&b);
	expect_next(r, &s, 30);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* Meaningless ones, and those of newer kernels and perfs, in any state. */
TEST(records_of_other_types_change_nothing)
{
	static const uint32_t types[] = {0,  23, 87, 4,	 5,	    6,	8,
					 18, 19, 20, 21, 22,	    63, 65,
					 68, 69, 72, 73, 74,	    75, 76,
					 77, 82, 84, 99, 0xffffffff};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_time_conv(&b, 0, 1, 0);
	comm_at(&b, 0, "named", 1, 10, 10);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		for (size_t size = 0; size < 64; size += 8) {
			struct bytes body = {};

			put_zeros(&body, size / 2);
			while (body.size < size)
				put(&body, 0xfd, 1);
			put_record(&b, types[i], i, &body);
			bytes_fini(&body);
		}
	load_at(&b, 0, 10, 0x5000, 10);
	r = open_bytes(&b);
	expect_next(r, &s, 10);
	EXPECT_STREQ(s.comm, "named");
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_STREQ(pmscope_recording_error(r), "");
	/* 0, 23, 63, 87, 99 and the last. */
	EXPECT_EQ(pmscope_recording_losses(r)->unknown_records, 6 * 8U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* What follows it cannot be found: only uncompressed records have trace. */
TEST(auxtrace_that_is_compressed_has_no_trace)
{
	struct bytes b = {}, plain = {}, body = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	/*
	 * Up to the end of the decompressed data, then a record that is too
	 * short.
	 */
	while (plain.size < (1 << 16) - 8)
		put_record(&plain, PMSCOPE_RECORD_FINISHED_ROUND, 0, &body);
	put_record(&plain, PMSCOPE_RECORD_AUXTRACE, 0, &body);
	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_time_conv(&b, 0, 1, 0);
	put_compressed(&b, &plain, PMSCOPE_RECORD_COMPRESSED, 30000);
	load_at(&b, 0, 10, 0x5000, 10);
	r = open_bytes(&b);
	expect_next(r, &s, 10);
	EXPECT_EQ(pmscope_recording_nr_traces(r), 1U);
	EXPECT_TRUE(strstr(pmscope_recording_error(r), "AUXTRACE") != NULL);
	pmscope_recording_free(r);
	bytes_fini(&plain);
	bytes_fini(&b);
}

/* As a shift in C it would be undefined; perf does it anyway. */
TEST(time_that_cannot_be_shifted)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_time_conv(&b, 64, 1, 0);
	r = open_bytes(&b);
	EXPECT_TRUE(strstr(pmscope_recording_error(r), "by 64 bits") != NULL);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(trace_of_another_unit_is_counted)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, 1); /* Intel PT */
	load_at(&b, 0, 10, 0x5000, 50);
	r = open_bytes(&b);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->other_trace, 64U);
	EXPECT_EQ(pmscope_recording_nr_traces(r), 0U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* The AUX records of these tests are of CPU 0. */
static const struct where aux_at = {1, 1, 0, 0};

TEST(losses_are_counted)
{
	const struct pmscope_losses *l;
	struct where where = at(0, 1, 1);
	struct bytes b = {}, body = {};
	struct pmscope_recording *r;

	begin(&b);
	put_aux(&b, 64, PERF_AUX_FLAG_TRUNCATED, &aux_at);
	put_aux(&b, 64, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_COLLISION,
		&aux_at);
	put_aux(&b, 64, PERF_AUX_FLAG_COLLISION | PERF_AUX_FLAG_PARTIAL,
		&aux_at);
	put_aux(&b, 64, PERF_AUX_FLAG_COLLISION, &aux_at);
	put_aux(&b, 64, 0, &aux_at);
	put(&body, PERFDATA_ID, 8);
	put(&body, 17, 8);
	put_side_band(&b, PERF_RECORD_LOST, 0, &body, &where);
	r = open_bytes(&b);
	l = pmscope_recording_losses(r);
	EXPECT_EQ(l->truncated, 2U);
	EXPECT_EQ(l->collisions, 3U);
	EXPECT_EQ(l->partial, 1U);
	EXPECT_EQ(l->lost_records, 17U);
	EXPECT_EQ(l->trace_errors, 0U);
	pmscope_recording_free(r);
	bytes_fini(&body);
	bytes_fini(&b);
}

/* perf record -S: what the oldest record of a ring begins with is gone. */
static void expect_headless(unsigned int context, size_t gone)
{
	struct bytes b = {}, whole = {}, trace = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	for (uint64_t time = 10; time <= 30; time += 10) {
		if (context)
			put_packet(&whole, PMSCOPE_PACKET_CONTEXT, 1, 4,
				   context);
		put_load(&whole, 0x5000, 0x9000, time);
	}
	bytes_add(&trace, whole.data + gone, whole.size - gone);
	begin(&b);
	put_aux(&b, trace.size, PERF_AUX_FLAG_OVERWRITE, &aux_at);
	put_auxtrace_at(&b, 4096, 0, 0, NO_TID, &trace);
	r = open_bytes(&b);
	expect_next(r, &s, 20);
	EXPECT_EQ(s.batch->pc[s.row] & 0xffff, 0x5000U);
	expect_next(r, &s, 30);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->decode.bad_bytes, 0U);
	pmscope_recording_free(r);
	bytes_fini(&whole);
	bytes_fini(&trace);
	bytes_fini(&b);
}

TEST(a_ring_begins_within_a_record)
{
	expect_headless(0, 15);
	/*
	 * A record without its first packet still has everything that matters.
	 */
	expect_headless(7, 5);
}

/* Samples at 10, 20 and so on to @last, and nothing damaged. */
static void expect_all_up_to(uint64_t last, struct bytes *b)
{
	struct pmscope_recording *r = open_bytes(b);
	struct pmscope_sample s;

	for (uint64_t time = 10; time <= last; time += 10)
		expect_next(r, &s, time);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->decode.damaged, 0U);
	pmscope_recording_free(r);
}

/* If all records have one size, as on Neoverse, laps end between them. */
TEST(a_full_ring_begins_with_a_whole_record)
{
	struct bytes b = {}, trace = {};

	for (uint64_t time = 10; time <= 30; time += 10)
		put_load(&trace, 0x5000, 0x9000, time);
	begin(&b);
	put_aux(&b, trace.size, PERF_AUX_FLAG_OVERWRITE, &aux_at);
	put_auxtrace_at(&b, 4096, 0, 0, NO_TID, &trace);
	expect_all_up_to(30, &b);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* perf record -S, twice: it was not full yet, so nothing is gone. */
TEST(a_ring_begins_with_a_record)
{
	struct bytes b = {}, trace = {};
	size_t first;

	put_load(&trace, 0x5000, 0x9000, 10);
	put_load(&trace, 0x5000, 0x9000, 20);
	first = trace.size;
	put_load(&trace, 0x5000, 0x9000, 30);
	put_load(&trace, 0x5000, 0x9000, 40);
	begin(&b);
	put_aux(&b, trace.size, PERF_AUX_FLAG_OVERWRITE, &aux_at);
	put_auxtrace_part(&b, 0, &trace, 0, first);
	put_auxtrace_part(&b, 0, &trace, first, trace.size);
	expect_all_up_to(40, &b);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* A ring of 1024 bytes that ends with the record at @last. */
static void put_ring(struct bytes *b, uint64_t last)
{
	struct bytes all = {}, ring = {};

	for (uint64_t time = 10; time <= last; time += 10)
		put_load(&all, 0x5000, 0x9000, time);
	bytes_add(&ring, all.data + all.size - 1024, 1024);
	put_auxtrace_at(b, all.size % 1024, 0, 0, NO_TID, &ring);
	bytes_fini(&ring);
	bytes_fini(&all);
}

/* Rings of 16 records: partly overwritten, read again, full anew. */
TEST(what_two_snapshots_have_is_read_once)
{
	static const uint64_t lasts[] = {160, 200, 200, 350, 360, 520, 1000};
	struct pmscope_recording *r;
	struct pmscope_trace trace;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	put_aux(&b, 1024, PERF_AUX_FLAG_OVERWRITE, &aux_at);
	for (size_t i = 0; i < 7; i++)
		put_ring(&b, lasts[i]);
	r = open_bytes(&b);
	EXPECT_EQ(pmscope_recording_trace_size(r), 68U * 64);
	for (uint64_t time = 10; time <= 1000; time += 10)
		if (time <= 520 || time > 840)
			expect_next(r, &s, time);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->decode.damaged, 0U);
	EXPECT_EQ(pmscope_recording_losses(r)->repeated_trace,
		  (7 * 16 - 68) * 64U);
	/* Each of them can be read. */
	EXPECT_EQ(pmscope_recording_nr_traces(r), 7U);
	ASSERT_TRUE(pmscope_recording_trace(r, 2, &trace));
	EXPECT_EQ(trace.size, 1024U);
	EXPECT_EQ(trace.data_offset, (uint64_t)(trace.data - b.data));
	EXPECT_TRUE(!pmscope_recording_trace(r, 7, &trace));
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* A loop without times: as many again may have overwritten as many before. */
TEST(snapshots_without_times_are_read_whole)
{
	struct bytes b = {}, ring = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	while (ring.size < 1024) {
		put_packet(&ring, PMSCOPE_PACKET_ADDRESS, 0, 8, 0x5000);
		put_packet(&ring, PMSCOPE_PACKET_OPERATION, 0, 1, 0);
		put_packet(&ring, PMSCOPE_PACKET_EVENTS, 0, 1, 2);
		put_packet(&ring, PMSCOPE_PACKET_COUNTER, 0, 2, 7);
		put_zeros(&ring, 47);
		put(&ring, 1, 1); /* END */
	}
	begin(&b);
	put_aux(&b, ring.size, PERF_AUX_FLAG_OVERWRITE, &aux_at);
	put_auxtrace_at(&b, 0, 0, 0, NO_TID, &ring);
	put_auxtrace_at(&b, 64, 0, 0, NO_TID, &ring);
	r = open_bytes(&b);
	for (size_t i = 0; i < 2 * 16; i++)
		EXPECT_EQ(pmscope_recording_next(r, &s), 1);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	pmscope_recording_free(r);
	bytes_fini(&ring);
	bytes_fini(&b);
}

/* The start of a record, a break, then a whole record without its VA. */
TEST(a_partial_record_is_not_mixed_with_the_next)
{
	const struct pmscope_losses *l;
	struct bytes b = {}, trace = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	begin(&b);
	put_packet(&trace, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_VA, 8, 5);
	put_aux(&b, trace.size, PERF_AUX_FLAG_PARTIAL, &aux_at);
	put_packet(&trace, PMSCOPE_PACKET_COUNTER, 0, 2, 7);
	put_timestamp(&trace, 50);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	EXPECT_EQ(s.batch->has[s.row],
		  (uint32_t)(PMSCOPE_HAS_TOTAL | PMSCOPE_HAS_TIMESTAMP));
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	l = pmscope_recording_losses(r);
	EXPECT_EQ(l->partial, 1U);
	EXPECT_EQ(l->decode.cut_bytes, 9U);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

TEST(raw_data_is_one_trace)
{
	struct pmscope_recording_options options = {
		.size = sizeof(options), .midr = 0x410fd0c0, .raw = true};
	struct pmscope_recording *r;
	struct bytes trace = {};
	struct pmscope_sample s;

	put_load_of(&trace, 10, 0x5000, 0x9000, 50);
	ASSERT_EQ(pmscope_recording_open(trace.data, trace.size, &options, &r),
		  0);
	ASSERT_EQ(pmscope_recording_next(r, &s), 1);
	EXPECT_EQ(s.tid, 10U);
	EXPECT_EQ(s.midr, 0x410fd0c0U);
	EXPECT_EQ(s.batch->pc[s.row], 0x8000000000005000);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_STREQ(pmscope_recording_error(r), "");
	pmscope_recording_free(r);
	bytes_fini(&trace);
}

TEST(options_of_a_newer_header_are_refused_when_set)
{
	struct {
		struct pmscope_recording_options known;
		uint64_t unknown;
	} options = {{.size = sizeof(options)}, 0};
	struct pmscope_recording *r;

	ASSERT_EQ(pmscope_recording_open(NULL, 0, &options.known, &r), 0);
	pmscope_recording_free(r);
	options.unknown = 1;
	EXPECT_EQ(pmscope_recording_open(NULL, 0, &options.known, &r), -EINVAL);
}

KTAP_MAIN
