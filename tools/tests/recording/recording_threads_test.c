// SPDX-License-Identifier: GPL-2.0-or-later
/* The thread of a record, and its name at that time. */
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

/* Each CPU has a ring, and rings are read one after another. */
TEST(names_that_are_not_in_order_of_time)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "new", 200, 10, 11);
	comm_at(&b, 0, "newer", 200, 10, 11);
	comm_at(&b, 0, "old", 100, 10, 11);
	load_at(&b, 0, 11, 0x5000, 150);
	load_at(&b, 0, 11, 0x5000, 250);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_STREQ(s.comm, "old");
	expect_next(r, &s, 250);
	EXPECT_STREQ(s.comm, "newer");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* Names of kernel workers are longer than the kernel's comm. */
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

/* The thread of the next record. */
static void expect_thread(struct pmscope_recording *r, uint64_t time,
			  uint32_t tid)
{
	struct pmscope_sample s;

	expect_next(r, &s, time);
	EXPECT_EQ(s.tid, tid);
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
	expect_thread(r, 160, 21);
	expect_thread(r, 250, 31);
	expect_thread(r, 260, 21);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* No switch event tells that it has the number of the first from then on. */
static void expect_number_taken(uint32_t context)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "first", 10, 10, 10);
	comm_at(&b, 0, "other", 20, 10, 11);
	switch_in(&b, 100, 0, 10, 11);
	comm_at(&b, PERF_RECORD_MISC_COMM_EXEC, "program", 200, 10, 10);
	fork_at(&b, 300, 10, 11, 10);
	load_at(&b, 0, context, 0x5000, 150);
	load_at(&b, 0, context, 0x5000, 250);
	load_at(&b, 1, 11, 0x5000, 350);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_EQ(s.tid, 11U);
	EXPECT_STREQ(s.comm, "other");
	expect_next(r, &s, 250);
	EXPECT_EQ(s.tid, 10U);
	EXPECT_STREQ(s.comm, "program");
	/* Another that has its number later. */
	expect_thread(r, 350, 11);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(a_thread_that_runs_a_program_has_the_number_of_the_first)
{
	expect_number_taken(NO_TID);
	expect_number_taken(11);
}

static void expect_untimed(struct pmscope_recording *r, uint32_t tid)
{
	struct pmscope_sample s;

	ASSERT_EQ(pmscope_recording_next(r, &s), 1);
	EXPECT_FALSE(s.has_time);
	EXPECT_EQ(s.tid, tid);
}

/* It belongs to the time of the one before it; later ones have their own. */
TEST(a_record_without_a_time_is_between_its_neighbours)
{
	struct pmscope_recording *r;
	struct bytes trace = {}, b = {};

	begin(&b);
	switch_in(&b, 100, 0, 10, 11);
	switch_in(&b, 200, 0, 30, 31);
	switch_in(&b, 300, 0, 40, 41);
	put_load(&trace, 0x5000, 0x9000, 150);
	put_untimed(&trace, 0x5000);
	put_load(&trace, 0x5000, 0x9000, 250);
	put_load(&trace, 0x5000, 0x9000, 350);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	r = open_bytes(&b);
	expect_thread(r, 150, 11);
	expect_untimed(r, 11);
	expect_thread(r, 250, 31);
	expect_thread(r, 350, 41);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* With none before it, it is of when the next was. */
TEST(the_first_record_has_no_time)
{
	struct pmscope_recording *r;
	struct bytes trace = {}, b = {};

	begin(&b);
	switch_in(&b, 100, 0, 10, 11);
	switch_in(&b, 100, 1, 20, 21);
	switch_in(&b, 200, 0, 30, 31);
	load_at(&b, 1, NO_TID, 0x5000, 140);
	put_untimed(&trace, 0x5000);
	put_load(&trace, 0x5000, 0x9000, 150);
	put_load(&trace, 0x5000, 0x9000, 250);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	r = open_bytes(&b);
	expect_thread(r, 140, 21);
	expect_untimed(r, 11);
	expect_thread(r, 150, 11);
	expect_thread(r, 250, 31);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

TEST(itrace_start_tells_the_first_thread)
{
	struct where where = {10, 11, 100, 2};
	struct pmscope_recording *r;
	struct bytes b = {};
	struct pmscope_sample s;

	begin(&b);
	put_itrace_start(&b, &where);
	load_at(&b, 2, NO_TID, 0x5000, 150);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_EQ(s.tid, 11U);
	EXPECT_EQ(s.cpu, 2U);
	pmscope_recording_free(r);
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

/* Thread 9 runs but is unknown; thread 2 is known to be kthreadd. */
static void expect_kthreadd(uint16_t misc, uint32_t tid)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, misc, "kthreadd", 0, 2, 2);
	comm_at(&b, 0, "five", 0, 5, 5);
	switch_in(&b, 100, 0, 5, 5);
	load_at(&b, 0, 9, 0x5000, 150);
	r = open_bytes(&b);
	expect_thread(r, 150, tid);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(unknown_numbers_beside_the_kernels_threads)
{
	expect_kthreadd(0, 9);
	expect_kthreadd(PERF_RECORD_MISC_GUEST_KERNEL, 5);
}

/* PERF_RECORD_NAMESPACES: all seven; the PID namespace matters. */
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

/* Thread 5 runs, and CONTEXTIDR has 9, also the number of another thread. */
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
	/* A thread outside the recorder's namespace has no number there. */
	namespaces_at(&b, 0, 0xeffffffc);
	switch_in(&b, 100, 0, 5, 5);
	load_at(&b, 0, 9, 0x5000, 150);
	load_at(&b, 0, 0, 0x5000, 160);
	r = open_bytes(&b);
	EXPECT_STREQ(pmscope_recording_error(r), "");
	expect_next(r, &s, 150);
	tid = s.tid;
	expect_thread(r, 160, 0);
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

/* A truncated record, or one without a PID namespace, is ignored. */
static void expect_no_namespaces(uint64_t nr, unsigned int links)
{
	struct where where = at(0, 5, 5);
	struct pmscope_recording *r;
	struct bytes b = {}, body = {};

	put(&body, 5, 4);
	put(&body, 5, 4);
	put(&body, nr, 8);
	put_zeros(&body, 16 * links);
	begin(&b);
	put_side_band(&b, PERF_RECORD_NAMESPACES, 0, &body, &where);
	comm_at(&b, 0, "nine", 0, 9, 9);
	switch_in(&b, 100, 0, 5, 5);
	load_at(&b, 0, 9, 0x5000, 150);
	r = open_bytes(&b);
	expect_thread(r, 150, 9);
	pmscope_recording_free(r);
	bytes_fini(&body);
	bytes_fini(&b);
}

TEST(namespaces_that_are_not_whole)
{
	expect_no_namespaces(7, 0);
	expect_no_namespaces(PID_NS_INDEX, 7);
}

/*
 * Two loads without a thread, in the area of a CPU that was opened for a
 * thread.
 */
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

/* It is ignored if better facts are known. */
TEST(switches_before_the_thread_of_an_area)
{
	const struct where other = {20, 21, 200, 0};
	struct pmscope_recording *r;
	struct bytes b = {};

	begin(&b);
	put_area_of(&b, 11);
	put_side_band(&b, PERF_RECORD_SWITCH, 0, &(struct bytes){}, &other);
	r = open_bytes(&b);
	expect_thread(r, 150, 11);
	expect_thread(r, 250, 21);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

KTAP_MAIN
