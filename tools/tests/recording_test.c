// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose record it is and what was mapped, at the time of the record. */
#include "bytes.h"
#include "ktap.h"

#include <pmscope/packet.h>
#include <pmscope/recording.h>

#include <errno.h>
#include <stdlib.h>

#define TYPE_ARM_SPE 4
#define NO_CPU	     UINT32_MAX
#define NO_TID	     UINT32_MAX

static struct pmscope_recording *open_bytes(struct bytes *b)
{
	struct pmscope_recording *recording = NULL;

	perfdata_end(b);
	EXPECT_EQ(pmscope_recording_open(b->data, b->size, NULL, &recording),
		  0);
	return recording;
}

static void begin(struct bytes *b)
{
	perfdata_begin(b);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_time_conv(b, 0, 1, 0); /* a tick is a ns */
}

static struct where at(uint64_t time, uint32_t pid, uint32_t tid)
{
	return (struct where){.pid = pid, .tid = tid, .time = time};
}

static void comm_at(struct bytes *b, uint16_t misc, const char *comm,
		    uint64_t time, uint32_t pid, uint32_t tid)
{
	struct where where = at(time, pid, tid);

	put_comm(b, misc, comm, &where);
}

static void map_at(struct bytes *b, uint64_t start, const char *name,
		   uint64_t time, uint32_t pid)
{
	struct where where = at(time, pid, pid);

	put_mmap2(b, start, 0x1000, 0x3000, name, &where);
}

static void fork_at(struct bytes *b, uint64_t time, uint32_t pid, uint32_t tid,
		    uint32_t ppid)
{
	struct where where = at(time, pid, tid);

	put_fork(b, ppid, ppid, &where);
}

/* One load by @tid at @time; a queue of its own for each @cpu. */
static void load_at(struct bytes *b, uint32_t cpu, uint32_t tid, uint64_t pc,
		    uint64_t time)
{
	struct bytes trace = {};

	if (tid == NO_TID)
		put_load(&trace, pc, 0x9000, time);
	else
		put_load_of(&trace, tid, pc, 0x9000, time);
	put_auxtrace(b, cpu, cpu, NO_TID, &trace);
	bytes_fini(&trace);
}

static void expect_next(struct pmscope_recording *recording,
			struct pmscope_sample *sample, uint64_t time)
{
	ASSERT_EQ(pmscope_recording_next(recording, sample), 1);
	EXPECT_TRUE(sample->has_time);
	EXPECT_EQ(sample->time, time);
}

static const char *dso_at(struct pmscope_recording *recording,
			  const struct pmscope_sample *sample, uint64_t address)
{
	static struct pmscope_place place;

	pmscope_recording_place(recording, sample, address, &place);
	return place.dso;
}

TEST(name_of_a_thread_over_time)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	/* The trace comes first in the file: perf writes it so. */
	load_at(&b, 0, 11, 0x5000, 150);
	load_at(&b, 0, 11, 0x5000, 250);
	load_at(&b, 0, 12, 0x5000, 260);
	comm_at(&b, 0, "old", 100, 10, 11);
	comm_at(&b, 0, "new", 200, 10, 11);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_EQ(s.tid, 11U);
	EXPECT_EQ(s.pid, 10U);
	EXPECT_EQ(s.cpu, 0U);
	EXPECT_STREQ(s.comm, "old");
	expect_next(r, &s, 250);
	EXPECT_STREQ(s.comm, "new");
	expect_next(r, &s, 260);
	EXPECT_EQ(s.tid, 12U);
	EXPECT_EQ(s.pid, PMSCOPE_NO_ID);
	EXPECT_TRUE(!s.comm);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(mappings_over_time)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "a", 0, 10, 10);
	map_at(&b, 0x5000, "/first", 100, 10);
	map_at(&b, 0x5000, "/second", 200, 10);
	load_at(&b, 0, 10, 0x5010, 50);
	load_at(&b, 0, 10, 0x5010, 150);
	load_at(&b, 0, 10, 0x5010, 250);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	EXPECT_TRUE(!dso_at(r, &s, 0x5010));
	expect_next(r, &s, 150);
	EXPECT_STREQ(dso_at(r, &s, 0x5010), "/first");
	expect_next(r, &s, 250);
	EXPECT_STREQ(dso_at(r, &s, 0x5010), "/second");
	EXPECT_TRUE(!dso_at(r, &s, 0x6000));
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(file_offset_of_an_address)
{
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "a", 0, 10, 10);
	map_at(&b, 0x5000, "/file", 0, 10);
	load_at(&b, 0, 10, 0x5010, 50);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	pmscope_recording_place(r, &s, 0x5010, &place);
	EXPECT_EQ(place.file_offset, 0x3010U);
	EXPECT_FALSE(place.kernel);
	pmscope_recording_place(r, &s, 0xffff800000001000, &place);
	EXPECT_TRUE(place.kernel);
	EXPECT_TRUE(!place.dso);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(a_fork_inherits_and_an_exec_drops)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "parent", 0, 10, 10);
	map_at(&b, 0x5000, "/lib", 10, 10);
	fork_at(&b, 20, 30, 30, 10);
	comm_at(&b, PERF_RECORD_MISC_COMM_EXEC, "child", 40, 30, 30);
	map_at(&b, 0x7000, "/program", 41, 30);
	load_at(&b, 0, 30, 0x5000, 30);
	load_at(&b, 0, 30, 0x5000, 50);
	load_at(&b, 0, 10, 0x5000, 60);
	r = open_bytes(&b);
	expect_next(r, &s, 30);
	EXPECT_EQ(s.pid, 30U);
	EXPECT_STREQ(s.comm, "parent");
	EXPECT_STREQ(dso_at(r, &s, 0x5000), "/lib");
	expect_next(r, &s, 50);
	EXPECT_STREQ(s.comm, "child");
	EXPECT_TRUE(!dso_at(r, &s, 0x5000));
	EXPECT_STREQ(dso_at(r, &s, 0x7000), "/program");
	expect_next(r, &s, 60);
	EXPECT_STREQ(dso_at(r, &s, 0x5000), "/lib");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(a_new_thread_shares_the_mappings)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "main", 0, 10, 10);
	fork_at(&b, 5, 10, 11, 10);
	map_at(&b, 0x5000, "/later", 10, 10);
	load_at(&b, 0, 11, 0x5000, 30);
	r = open_bytes(&b);
	expect_next(r, &s, 30);
	EXPECT_EQ(s.pid, 10U);
	EXPECT_STREQ(s.comm, "main");
	EXPECT_STREQ(dso_at(r, &s, 0x5000), "/later");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(the_idle_thread_has_a_name)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	load_at(&b, 0, 0, 0x5000, 30);
	r = open_bytes(&b);
	expect_next(r, &s, 30);
	EXPECT_EQ(s.pid, 0U);
	EXPECT_EQ(s.tid, 0U);
	EXPECT_STREQ(s.comm, "swapper");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

static void switch_in(struct bytes *b, uint64_t time, uint32_t cpu,
		      uint32_t pid, uint32_t tid)
{
	struct where where = {pid, tid, time, cpu};
	struct bytes nothing = {};

	put_side_band(b, PERF_RECORD_SWITCH, 0, &nothing, &where);
}

TEST(switches_tell_the_thread_without_context_packets)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	switch_in(&b, 100, 0, 10, 11);
	switch_in(&b, 100, 1, 20, 21);
	switch_in(&b, 200, 0, 30, 31);
	load_at(&b, 0, NO_TID, 0x5000, 150);
	load_at(&b, 1, NO_TID, 0x5000, 160);
	load_at(&b, 0, NO_TID, 0x5000, 250);
	load_at(&b, 1, NO_TID, 0x5000, 260);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_EQ(s.tid, 11U);
	EXPECT_EQ(s.pid, 10U);
	expect_next(r, &s, 160);
	EXPECT_EQ(s.tid, 21U);
	expect_next(r, &s, 250);
	EXPECT_EQ(s.tid, 31U);
	expect_next(r, &s, 260);
	EXPECT_EQ(s.tid, 21U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(itrace_start_tells_the_first_thread)
{
	struct where where = {10, 11, 100, 2};
	struct pmscope_recording *r;
	struct bytes b = {}, body = {};
	struct pmscope_sample s;

	begin(&b);
	put(&body, 10, 4);
	put(&body, 11, 4);
	put_side_band(&b, PERF_RECORD_ITRACE_START, 0, &body, &where);
	load_at(&b, 2, NO_TID, 0x5000, 150);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_EQ(s.tid, 11U);
	EXPECT_EQ(s.cpu, 2U);
	pmscope_recording_free(r);
	bytes_fini(&body);
	bytes_fini(&b);
}

TEST(an_area_of_a_thread_is_its_own)
{
	struct pmscope_recording *r;
	struct bytes b = {}, trace = {};
	struct pmscope_sample s;

	begin(&b);
	put_load(&trace, 0x5000, 0x9000, 100);
	put_auxtrace(&b, 0, NO_CPU, 77, &trace);
	r = open_bytes(&b);
	expect_next(r, &s, 100);
	EXPECT_EQ(s.tid, 77U);
	EXPECT_EQ(s.cpu, PMSCOPE_NO_ID);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

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
	/* All that is known of the thread is known at the end. */
	EXPECT_STREQ(s.comm, "named");
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

static void put_aux(struct bytes *b, uint64_t size, uint64_t flags)
{
	struct where where = at(0, 1, 1);
	struct bytes body = {};

	put(&body, 0, 8);
	put(&body, size, 8);
	put(&body, flags, 8);
	put_side_band(b, PERF_RECORD_AUX, 0, &body, &where);
	bytes_fini(&body);
}

TEST(losses_are_counted)
{
	const struct pmscope_losses *l;
	struct where where = at(0, 1, 1);
	struct bytes b = {}, body = {};
	struct pmscope_recording *r;

	begin(&b);
	put_aux(&b, 64, PERF_AUX_FLAG_TRUNCATED);
	put_aux(&b, 64, PERF_AUX_FLAG_COLLISION | PERF_AUX_FLAG_PARTIAL);
	put_aux(&b, 64, PERF_AUX_FLAG_COLLISION);
	put_aux(&b, 64, 0);
	put(&body, PERFDATA_ID, 8);
	put(&body, 17, 8);
	put_side_band(&b, PERF_RECORD_LOST, 0, &body, &where);
	r = open_bytes(&b);
	l = pmscope_recording_losses(r);
	EXPECT_EQ(l->truncated, 1U);
	EXPECT_EQ(l->collisions, 2U);
	EXPECT_EQ(l->partial, 1U);
	EXPECT_EQ(l->lost_records, 17U);
	pmscope_recording_free(r);
	bytes_fini(&body);
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
	put_aux(&b, trace.size, PERF_AUX_FLAG_PARTIAL);
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

/* AUXTRACE_INFO of version 2 has MIDR_EL1 for each CPU. */
TEST(midr_of_each_cpu)
{
	static const uint64_t cpus[][2] = {{0, 0x410fd0c0}, {5, 0x410fd490}};
	struct pmscope_recording *r;
	struct bytes b = {};
	struct pmscope_sample s;

	perfdata_begin(&b);
	put_auxtrace_info_v2(&b, cpus, 2, 3);
	put_time_conv(&b, 0, 1, 0);
	load_at(&b, 0, 10, 0x5000, 50);
	load_at(&b, 5, 10, 0x5000, 60);
	load_at(&b, 6, 10, 0x5000, 70);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	EXPECT_EQ(s.midr, 0x410fd0c0U);
	expect_next(r, &s, 60);
	EXPECT_EQ(s.midr, 0x410fd490U);
	expect_next(r, &s, 70);
	EXPECT_EQ(s.midr, 0U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* An area of a thread has no CPU: it is known where all are alike. */
TEST(midr_of_a_thread_where_all_cpus_are_alike)
{
	static const uint64_t cpus[][2] = {{0, 0x410fd490}, {1, 0x410fd490}};
	struct bytes b = {}, trace = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	perfdata_begin(&b);
	/* A later perf has a parameter more. */
	put_auxtrace_info_v2(&b, cpus, 2, 4);
	put_time_conv(&b, 0, 1, 0);
	put_load(&trace, 0x5000, 0x9000, 100);
	put_auxtrace(&b, 0, NO_CPU, 77, &trace);
	r = open_bytes(&b);
	expect_next(r, &s, 100);
	EXPECT_EQ(s.midr, 0x410fd490U);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* Whatever the header's counts say, nothing is read behind the record. */
TEST(auxtrace_info_that_lies)
{
	static const uint64_t cpus[][2] = {{0, 0x410fd490}, {1, 0x410fd0c0}};
	struct bytes b = {};
	size_t info;

	perfdata_begin(&b);
	info = b.size;
	put_auxtrace_info_v2(&b, cpus, 2, 3);
	put_time_conv(&b, 0, 1, 0);
	load_at(&b, 0, 10, 0x5000, 50);
	for (size_t word = info + 16; word < info + 16 + 16 * 8; word += 8) {
		for (unsigned int bit = 0; bit < 64; bit += 3) {
			uint8_t kept[8];
			struct pmscope_recording *r;
			struct pmscope_sample s;

			memcpy(kept, b.data + word, 8);
			b.data[word + bit / 8] ^= 1 << bit % 8;
			r = open_bytes(&b);
			expect_next(r, &s, 50);
			pmscope_recording_free(r);
			memcpy(b.data + word, kept, 8);
		}
	}
	bytes_fini(&b);
}

/* perf maps the kernel with the address of a symbol for an offset. */
TEST(where_the_kernel_was)
{
	struct where where = {PMSCOPE_NO_ID, 0, 0, 0};
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	put_mmap2(&b, 0xffff800080010000, 0x100000, 0xffff800080000000,
		  "[kernel.kallsyms]_text", &where);
	map_at(&b, 0x7000, "/tmp/jit-10.dump", 0, 10);
	comm_at(&b, 0, "a", 0, 10, 10);
	load_at(&b, 0, 10, 0x5000, 50);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	pmscope_recording_place(r, &s, 0xffff800080010004, &place);
	EXPECT_TRUE(place.kernel);
	EXPECT_STREQ(place.reference, "_text");
	EXPECT_EQ(place.reference_address, 0xffff800080000000);
	pmscope_recording_place(r, &s, 0x123000, &place);
	EXPECT_STREQ(place.jitdump, "/tmp/jit-10.dump");
	EXPECT_EQ(place.pid, 10U);
	EXPECT_TRUE(!place.dso);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

static void ksymbol_at(struct bytes *b, uint64_t address, uint32_t size,
		       uint16_t flags, const char *name, uint64_t time)
{
	struct where where = at(time, 0, 0);
	struct bytes body = {};

	put(&body, address, 8);
	put(&body, size, 4);
	put(&body, PERF_RECORD_KSYMBOL_TYPE_BPF, 2);
	put(&body, flags, 2);
	bytes_add(&body, name, strlen(name) + 1);
	put_side_band(b, PERF_RECORD_KSYMBOL, 0, &body, &where);
	bytes_fini(&body);
}

TEST(bpf_programs_come_and_go)
{
	static const uint64_t program = 0xffff800080001000;
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	ksymbol_at(&b, program, 0x100, 0, "bpf_prog_1_one", 100);
	ksymbol_at(&b, program, 0x100, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
		   "bpf_prog_1_one", 200);
	ksymbol_at(&b, program, 0x80, 0, "bpf_prog_2_two", 300);
	for (uint64_t time = 50; time < 400; time += 100)
		load_at(&b, 0, 0, 0x5000, time);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	pmscope_recording_place(r, &s, program + 8, &place);
	EXPECT_TRUE(!place.symbol);
	expect_next(r, &s, 150);
	pmscope_recording_place(r, &s, program + 8, &place);
	EXPECT_STREQ(place.symbol, "bpf_prog_1_one");
	EXPECT_EQ(place.symbol_offset, 8U);
	pmscope_recording_place(r, &s, program + 0x100, &place);
	EXPECT_TRUE(!place.symbol);
	expect_next(r, &s, 250);
	pmscope_recording_place(r, &s, program + 8, &place);
	EXPECT_TRUE(!place.symbol);
	expect_next(r, &s, 350);
	pmscope_recording_place(r, &s, program, &place);
	EXPECT_STREQ(place.symbol, "bpf_prog_2_two");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* CONTEXTIDR has numbers of the outermost PID namespace. */
TEST(switches_tell_the_thread_of_another_pid_namespace)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "inside", 0, 5, 5);
	switch_in(&b, 100, 0, 5, 5);
	load_at(&b, 0, 90005, 0x5000, 150);
	comm_at(&b, 0, "known", 160, 8, 9);
	load_at(&b, 0, 9, 0x5000, 170);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_EQ(s.tid, 5U);
	EXPECT_STREQ(s.comm, "inside");
	expect_next(r, &s, 170);
	EXPECT_EQ(s.tid, 9U);
	EXPECT_STREQ(s.comm, "known");
	pmscope_recording_free(r);
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
