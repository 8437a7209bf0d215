// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose record it is and what was mapped, at the time of the record. */
#include "happening.h"
#include "ktap.h"

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

/* Those of the kernel's workers are longer than comm is in the kernel. */
TEST(long_names_of_threads)
{
	static const char too_long[] =
		"0123456789012345678901234567890123456789"
		"0123456789012345678901234567890123456789";
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};
	const char *name;

	begin(&b);
	for (uint64_t time = 150; time <= 450; time += 100)
		load_at(&b, 0, 11, 0x5000, time);
	comm_at(&b, 0, "kworker/u16:3-events_unbound", 100, 11, 11);
	comm_at(&b, 0, "kworker/u16:3-events_power_efficient", 200, 11, 11);
	comm_at(&b, 0, "kworker/u16:3-events_unbound", 300, 11, 11);
	comm_at(&b, 0, too_long, 400, 11, 11);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	name = s.comm;
	EXPECT_STREQ(name, "kworker/u16:3-events_unbound");
	expect_next(r, &s, 250);
	EXPECT_STREQ(s.comm, "kworker/u16:3-events_power_efficient");
	expect_next(r, &s, 350);
	EXPECT_TRUE(s.comm == name);
	expect_next(r, &s, 450);
	EXPECT_EQ(strlen(s.comm), 63U);
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

static void file_at(struct bytes *b, const char *name, uint8_t id,
		    uint64_t time, uint32_t pid)
{
	struct where where = at(time, pid, pid);

	put_mmap2_of(b, 0x5000, 0x1000, name, id, &where);
}

/* What @r has mapped where the next sample is; its build-id is all @id. */
static const char *expect_file(struct pmscope_recording *r, uint64_t time,
			       uint8_t id)
{
	struct pmscope_place place;
	struct pmscope_sample s;

	expect_next(r, &s, time);
	pmscope_recording_place(r, &s, 0x5010, &place);
	EXPECT_STREQ(place.dso, "/lib/libc.so");
	EXPECT_EQ(place.build_id_size, (size_t)20);
	if (place.build_id_size == 20)
		EXPECT_EQ(place.build_id[19], id);
	return place.dso;
}

/* As in two containers; or after an upgrade. */
TEST(files_with_one_name_are_told_apart_by_their_build_ids)
{
	const char *one, *other;
	struct pmscope_recording *r;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "a", 0, 10, 10);
	comm_at(&b, 0, "b", 0, 20, 20);
	map_at(&b, 0x7000, "/lib/libc.so", 1, 20);
	file_at(&b, "/lib/libc.so", 0xa, 100, 10);
	file_at(&b, "/lib/libc.so", 0xb, 200, 20);
	file_at(&b, "/lib/libc.so", 0xb, 300, 10);
	file_at(&b, "/lib/libc.so", 0xa, 300, 20);
	load_at(&b, 0, 10, 0x5010, 150);
	load_at(&b, 0, 10, 0x5010, 250);
	load_at(&b, 0, 20, 0x5010, 260);
	load_at(&b, 0, 10, 0x5010, 350);
	load_at(&b, 0, 20, 0x5010, 360);
	r = open_bytes(&b);
	one = expect_file(r, 150, 0xa);
	EXPECT_TRUE(expect_file(r, 250, 0xa) == one);
	/* The name's address is what tables of symbols are found by. */
	other = expect_file(r, 260, 0xb);
	EXPECT_TRUE(other != one);
	EXPECT_TRUE(expect_file(r, 350, 0xb) == other);
	EXPECT_TRUE(expect_file(r, 360, 0xa) == one);
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

/* Memory without a file, in pieces, or with nothing below. */
TEST(file_below_an_address)
{
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "a", 0, 10, 10);
	map_at(&b, 0x5000, "/file", 0, 10);
	map_at(&b, 0x6000, "//anon", 0, 10);
	map_at(&b, 0x7000, "[heap]", 0, 10);
	map_at(&b, 0x9000, "//anon", 0, 10);
	load_at(&b, 0, 10, 0x5010, 50);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	ASSERT_TRUE(pmscope_recording_place_below(r, &s, 0x6010, &place));
	EXPECT_STREQ(place.dso, "/file");
	EXPECT_EQ(place.file_offset, 0x4010U);
	ASSERT_TRUE(pmscope_recording_place_below(r, &s, 0x7fff, &place));
	EXPECT_EQ(place.file_offset, 0x5fffU);
	EXPECT_EQ(place.around.before, 0xfffU);
	EXPECT_EQ(place.around.behind, 0U);
	EXPECT_FALSE(pmscope_recording_place_below(r, &s, 0x5010, &place));
	EXPECT_FALSE(pmscope_recording_place_below(r, &s, 0x8000, &place));
	EXPECT_FALSE(pmscope_recording_place_below(r, &s, 0x9010, &place));
	EXPECT_FALSE(pmscope_recording_place_below(r, &s, UINT64_C(1) << 63,
						   &place));
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

/* perf tells of those with a fork, of which it says that an exec followed. */
TEST(processes_that_were_there_before_share_nothing)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};
	size_t fork;

	begin(&b);
	comm_at(&b, 0, "parent", 0, 10, 10);
	map_at(&b, 0x5000, "/of_parent", 0, 10);
	fork = b.size;
	fork_at(&b, 0, 30, 30, 10);
	b.data[fork + 5] = PERF_RECORD_MISC_FORK_EXEC >> 8;
	map_at(&b, 0x7000, "/program", 0, 30);
	load_at(&b, 0, 30, 0x5000, 30);
	r = open_bytes(&b);
	expect_next(r, &s, 30);
	EXPECT_EQ(s.pid, 30U);
	EXPECT_STREQ(s.comm, "parent");
	EXPECT_TRUE(!dso_at(r, &s, 0x5000));
	EXPECT_STREQ(dso_at(r, &s, 0x7000), "/program");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

static const char *jitdump_at(struct pmscope_recording *r, uint64_t time)
{
	struct pmscope_place place;
	struct pmscope_sample s;

	expect_next(r, &s, time);
	pmscope_recording_place(r, &s, 0x9010, &place);
	return place.jitdump;
}

TEST(an_exec_and_a_new_process_have_no_old_jitdump)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "java", 0, 10, 10);
	map_at(&b, 0x5000, "/tmp/jit-10.dump", 1, 10);
	load_at(&b, 0, 10, 0x9010, 50);
	comm_at(&b, PERF_RECORD_MISC_COMM_EXEC, "other", 100, 10, 10);
	load_at(&b, 0, 10, 0x9010, 150);
	map_at(&b, 0x5000, "/tmp/jit-10.dump", 200, 10);
	load_at(&b, 0, 10, 0x9010, 250);
	fork_at(&b, 300, 10, 10, 20);
	load_at(&b, 0, 10, 0x9010, 350);
	r = open_bytes(&b);
	EXPECT_STREQ(jitdump_at(r, 50), "/tmp/jit-10.dump");
	EXPECT_TRUE(!jitdump_at(r, 150));
	EXPECT_STREQ(jitdump_at(r, 250), "/tmp/jit-10.dump");
	EXPECT_TRUE(!jitdump_at(r, 350));
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

/* A kernel that hides where it is maps all there is. */
TEST(the_kernel_is_no_process_that_is_not_known)
{
	struct where where = {PMSCOPE_NO_ID, 0, 0, 0};
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	put_mmap2(&b, 0, UINT64_MAX, 0, "[kernel.kallsyms]_text", &where);
	load_at(&b, 0, 10, 0x5000, 50);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	ASSERT_EQ(s.pid, PMSCOPE_NO_ID);
	pmscope_recording_place(r, &s, 0x5000, &place);
	EXPECT_FALSE(place.kernel);
	EXPECT_TRUE(!place.dso);
	EXPECT_FALSE(pmscope_recording_place_below(r, &s, 0x5000, &place));
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

/* PERF_RECORD_NAMESPACES: all seven, of which that of PIDs matters. */
static void namespaces_at(struct bytes *b, uint32_t tid, uint64_t inode)
{
	struct where where = at(0, tid, tid);
	struct bytes body = {};

	put(&body, tid, 4);
	put(&body, tid, 4);
	put(&body, 7, 8);
	for (unsigned int i = 0; i < 7; i++) {
		put(&body, 4, 8); /* device */
		put(&body, i == PID_NS_INDEX ? inode : 0xeffffffc, 8);
	}
	put_side_band(b, PERF_RECORD_NAMESPACES, 0, &body, &where);
	bytes_fini(&body);
}

/* Thread 5 runs, and CONTEXTIDR has 9, which is the number of another, too. */
static uint32_t tid_among_namespaces(uint64_t inode_of_9)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};
	uint32_t tid;

	begin(&b);
	comm_at(&b, 0, "five", 0, 5, 5);
	comm_at(&b, 0, "nine", 0, 9, 9);
	namespaces_at(&b, 5, 0xf0000001);
	namespaces_at(&b, 9, inode_of_9);
	/* What is not in the recorder's namespace has no number there. */
	namespaces_at(&b, 0, 0xeffffffc);
	switch_in(&b, 100, 0, 5, 5);
	load_at(&b, 0, 9, 0x5000, 150);
	load_at(&b, 0, 0, 0x5000, 160);
	r = open_bytes(&b);
	EXPECT_STREQ(pmscope_recording_error(r), "");
	expect_next(r, &s, 150);
	tid = s.tid;
	expect_next(r, &s, 160);
	EXPECT_EQ(s.tid, 0U);
	pmscope_recording_free(r);
	bytes_fini(&b);
	return tid;
}

TEST(numbers_of_another_pid_namespace_are_not_taken)
{
	EXPECT_EQ(tid_among_namespaces(0xf0000001), 5U);
}

TEST(numbers_of_the_outermost_pid_namespace_are)
{
	EXPECT_EQ(tid_among_namespaces(0xeffffffc), 9U);
}

/* A record that is cut, or has no PID namespace, tells nothing. */
TEST(namespaces_that_are_not_whole)
{
	struct where where = at(0, 5, 5);
	struct pmscope_recording *r;
	struct bytes b = {}, body = {};
	struct pmscope_sample s;

	put(&body, 5, 4);
	put(&body, 5, 4);
	put(&body, 7, 8);
	begin(&b);
	put_side_band(&b, PERF_RECORD_NAMESPACES, 0, &body, &where);
	comm_at(&b, 0, "nine", 0, 9, 9);
	load_at(&b, 0, 9, 0x5000, 150);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_EQ(s.tid, 9U);
	pmscope_recording_free(r);
	bytes_fini(&body);
	bytes_fini(&b);
}

/* Two loads of nobody in the area of a CPU that was opened for a thread. */
static void put_area_of(struct bytes *b, uint32_t tid)
{
	struct bytes trace = {};

	put_load(&trace, 0x5000, 0x9000, 150);
	put_load(&trace, 0x5000, 0x9000, 250);
	put_auxtrace(b, 0, 0, tid, &trace);
	bytes_fini(&trace);
}

/* perf has it in AUXTRACE; kernels and perfs of old tell no more. */
TEST(thread_that_an_area_of_a_cpu_was_opened_for)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	put_area_of(&b, 11);
	comm_at(&b, 0, "name", 100, 10, 11);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_EQ(s.tid, 11U);
	EXPECT_EQ(s.pid, 10U);
	EXPECT_STREQ(s.comm, "name");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* It is not asked where there is more to go by. */
TEST(switches_before_the_thread_of_an_area)
{
	const struct where other = {20, 21, 200, 0};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	put_area_of(&b, 11);
	put_side_band(&b, PERF_RECORD_SWITCH, 0, &(struct bytes){}, &other);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_EQ(s.tid, 11U);
	expect_next(r, &s, 250);
	EXPECT_EQ(s.tid, 21U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

KTAP_MAIN
