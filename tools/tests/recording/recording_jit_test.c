// SPDX-License-Identifier: GPL-2.0-or-later
/* The process that generated code, and the file that describes it. */
#include "happening.h"
#include "ktap.h"

#include <string.h>
#include <sys/mman.h>

/* Names of generated code are found by process. */
TEST(code_in_huge_pages_is_of_no_file)
{
	static const uint32_t flags = MAP_HUGETLB;
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};
	size_t record;

	begin(&b);
	map_at(&b, 0x5000, "/dev/hugepages/a", 100, 10);
	record = b.size;
	map_at(&b, 0x5000, "/dev/hugepages/a", 200, 10);
	memcpy(b.data + record + 8 + 60, &flags, sizeof(flags));
	load_at(&b, 0, 10, 0x5010, 150);
	load_at(&b, 0, 10, 0x5010, 250);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	EXPECT_STREQ(dso_at(r, &s, 0x5010), "/dev/hugepages/a");
	expect_next(r, &s, 250);
	EXPECT_STREQ(dso_at(r, &s, 0x5010), "/anon_hugepage");
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

/* The file of the process that generated the code describes it, as in perf. */
TEST(generated_code_is_that_of_who_mapped_it)
{
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "java", 0, 10, 10);
	map_at(&b, 0x5000, "//anon", 0, 10);
	map_at(&b, 0x7000, "/tmp/jit-10.dump", 0, 10);
	fork_at(&b, 100, 20, 20, 10);
	map_at(&b, 0x6000, "//anon", 150, 20);
	load_at(&b, 0, 20, 0x5010, 200);
	r = open_bytes(&b);
	expect_next(r, &s, 200);
	EXPECT_EQ(s.pid, 20U);
	pmscope_recording_place(r, &s, 0x5010, &place);
	EXPECT_EQ(place.pid, 10U);
	EXPECT_STREQ(place.jitdump, "/tmp/jit-10.dump");
	pmscope_recording_place(r, &s, 0x6010, &place);
	EXPECT_EQ(place.pid, 20U);
	EXPECT_TRUE(!place.jitdump);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* Its memory stays the fork's, and so does the description of its code. */
TEST(generated_code_outlives_the_exec_of_who_made_it)
{
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	comm_at(&b, 0, "java", 0, 10, 10);
	map_at(&b, 0x5000, "//anon", 0, 10);
	map_at(&b, 0x7000, "/tmp/jit-10.dump", 0, 10);
	fork_at(&b, 100, 20, 20, 10);
	comm_at(&b, PERF_RECORD_MISC_COMM_EXEC, "other", 200, 10, 10);
	map_at(&b, 0x5000, "//anon", 201, 10);
	map_at(&b, 0x7000, "/other/jit-10.dump", 300, 10);
	for (uint64_t time = 150; time < 400; time += 100)
		load_at(&b, 0, 20, 0x5010, time);
	load_at(&b, 1, 10, 0x5010, 360);
	r = open_bytes(&b);
	for (uint64_t time = 150; time < 400; time += 100) {
		expect_next(r, &s, time);
		pmscope_recording_place(r, &s, 0x5010, &place);
		EXPECT_EQ(place.pid, 10U);
		EXPECT_STREQ(place.jitdump, "/tmp/jit-10.dump");
	}
	expect_next(r, &s, 360);
	pmscope_recording_place(r, &s, 0x5010, &place);
	EXPECT_EQ(place.pid, 10U);
	EXPECT_STREQ(place.jitdump, "/other/jit-10.dump");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* It is news of each process that has code of who writes it. */
TEST(a_jitdump_that_is_mapped_after_a_fork)
{
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};
	uint64_t version;

	begin(&b);
	comm_at(&b, 0, "java", 0, 10, 10);
	map_at(&b, 0x5000, "//anon", 0, 10);
	fork_at(&b, 100, 20, 20, 10);
	map_at(&b, 0x7000, "/tmp/jit-10.dump", 200, 10);
	load_at(&b, 0, 20, 0x5010, 150);
	load_at(&b, 0, 20, 0x5010, 250);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	pmscope_recording_place(r, &s, 0x5010, &place);
	EXPECT_TRUE(!place.jitdump);
	version = pmscope_recording_version(r, 20);
	expect_next(r, &s, 250);
	pmscope_recording_place(r, &s, 0x5010, &place);
	EXPECT_STREQ(place.jitdump, "/tmp/jit-10.dump");
	EXPECT_NE(pmscope_recording_version(r, 20), version);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

KTAP_MAIN
