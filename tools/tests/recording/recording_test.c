// SPDX-License-Identifier: GPL-2.0-or-later
/* Mappings at the time of a record. */
#include "happening.h"
#include "ktap.h"

#include <limits.h>
#include <errno.h>
#include <string.h>

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

/* The record at @at, and no other, is a guest's. */
static void make_guests(struct bytes *b, size_t at)
{
	b->data[at + offsetof(struct perf_event_header, misc)] |=
		PERF_RECORD_MISC_GUEST_USER;
}

/* As from perf kvm and perf inject --guest-data: SPE samples the host. */
TEST(what_a_guest_does_is_not_here)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};
	size_t guest;

	begin(&b);
	comm_at(&b, 0, "host", 100, 10, 10);
	map_at(&b, 0x5000, "/host", 100, 10);
	guest = b.size;
	map_at(&b, 0x5000, "/guest", 200, 10);
	make_guests(&b, guest);
	guest = b.size;
	comm_at(&b, 0, "guest", 210, 10, 10);
	make_guests(&b, guest);
	guest = b.size;
	comm_at(&b, PERF_RECORD_MISC_COMM_EXEC, "guest", 220, 10, 10);
	make_guests(&b, guest);
	guest = b.size;
	fork_at(&b, 230, 10, 10, 1);
	make_guests(&b, guest);
	load_at(&b, 0, 10, 0x5010, 250);
	r = open_bytes(&b);
	expect_next(r, &s, 250);
	EXPECT_STREQ(s.comm, "host");
	EXPECT_STREQ(dso_at(r, &s, 0x5010), "/host");
	pmscope_recording_free(r);
	bytes_fini(&b);
}

static void file_at(struct bytes *b, const char *name, uint8_t id,
		    uint64_t time, uint32_t pid)
{
	struct where where = at(time, pid, pid);

	put_mmap2_of(b, 0x5000, 0x1000, name, id, 20, &where);
}

/* The mapping in @r at the next sample; its build-id is all @id. */
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

/* Some are of 8 or 16 bytes, and recorded as 20. */
TEST(zeros_behind_a_build_id_are_none_of_it)
{
	static const struct where where = {10, 10, 100, 0};

	for (unsigned int bytes = 1; bytes <= 20; bytes++) {
		struct pmscope_recording *r;
		struct pmscope_place place;
		struct pmscope_sample s;
		struct bytes b = {};

		begin(&b);
		put_mmap2_of(&b, 0x5000, 0x1000, "/a", 0xab, bytes, &where);
		load_at(&b, 0, 10, 0x5010, 150);
		r = open_bytes(&b);
		expect_next(r, &s, 150);
		pmscope_recording_place(r, &s, 0x5010, &place);
		EXPECT_EQ(place.build_id_size, bytes <= 8    ? 8U
					       : bytes <= 16 ? 16U
							     : 20U);
		pmscope_recording_free(r);
		bytes_fini(&b);
	}
}

/* Like in two containers; or after an upgrade. */
TEST(files_with_one_name_differ_by_their_build_ids)
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

/* It is news of each process that has the file. */
TEST(a_build_id_that_another_process_tells_later)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};
	uint64_t version;

	begin(&b);
	map_at(&b, 0x7000, "/lib/libc.so", 1, 20);
	file_at(&b, "/lib/libc.so", 0xa, 100, 10);
	load_at(&b, 0, 10, 0x5010, 50);
	load_at(&b, 0, 10, 0x5010, 150);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	version = pmscope_recording_version(r, 20);
	expect_next(r, &s, 150);
	EXPECT_NE(pmscope_recording_version(r, 20), version);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

#define AT_DEVICE 32 /* in MMAP2; or the size of the build-id */

/* Without a build-id, the field holds device and inode numbers. */
TEST(a_device_is_no_build_id)
{
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};
	size_t record;

	begin(&b);
	comm_at(&b, 0, "a", 0, 10, 10);
	record = b.size;
	map_at(&b, 0x5000, "/file", 1, 10);
	b.data[record + sizeof(struct perf_event_header) + AT_DEVICE] = 8;
	load_at(&b, 0, 10, 0x5010, 50);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	pmscope_recording_place(r, &s, 0x5010, &place);
	EXPECT_STREQ(place.dso, "/file");
	EXPECT_EQ(place.build_id_size, (size_t)0);
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

/* Kernel paths are shorter; each row is printed with its own. */
TEST(file_with_a_name_of_a_whole_record)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	char name[60000] = {};
	struct bytes b = {};
	const char *dso;

	memset(name, 'n', sizeof(name) - 1);
	begin(&b);
	map_at(&b, 0x5000, name, 5, 10);
	load_at(&b, 0, 10, 0x5004, 10);
	r = open_bytes(&b);
	expect_next(r, &s, 10);
	dso = dso_at(r, &s, 0x5004);
	ASSERT_TRUE(dso != NULL);
	EXPECT_EQ(strlen(dso), (size_t)PATH_MAX - 1);
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

TEST(file_below_an_address_is_of_who_mapped_it)
{
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	map_at(&b, 0x5000, "/file", 0, 10);
	fork_at(&b, 10, 20, 20, 10);
	map_at(&b, 0x6000, "//anon", 20, 20);
	load_at(&b, 0, 20, 0x5010, 50);
	r = open_bytes(&b);
	expect_next(r, &s, 50);
	EXPECT_EQ(s.pid, 20U);
	ASSERT_TRUE(pmscope_recording_place_below(r, &s, 0x6010, &place));
	EXPECT_STREQ(place.dso, "/file");
	EXPECT_EQ(place.pid, 10U);
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

/* perf writes those with a fork, and marks that an exec followed. */
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

/* Its COMM may be lost; perf, too, recognizes the process by its mappings. */
TEST(a_thread_that_maps_is_of_its_process)
{
	struct where where = at(5, 10, 11);
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	put_mmap2(&b, 0x5000, 0x1000, 0x3000, "/mapped", &where);
	load_at(&b, 0, 11, 0x5000, 30);
	r = open_bytes(&b);
	expect_next(r, &s, 30);
	EXPECT_EQ(s.pid, 10U);
	EXPECT_STREQ(dso_at(r, &s, 0x5000), "/mapped");
	pmscope_recording_free(r);
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

/* A kernel that hides its address maps everything. */
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
	ksymbol_of(b, PERF_RECORD_KSYMBOL_TYPE_BPF, address, size, flags, name,
		   time);
}

TEST(bpf_programs_come_and_go)
{
	static const uint64_t program = 0xffff800080001000;
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};
	uint64_t version;

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
	version = pmscope_recording_version(r, PMSCOPE_NO_ID);
	expect_next(r, &s, 150);
	EXPECT_NE(pmscope_recording_version(r, PMSCOPE_NO_ID), version);
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
	EXPECT_STREQ(place.dso, "[bpf]");
	EXPECT_EQ(place.file_offset, program);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* Copies of instructions under kprobes, trampolines of ftrace. */
TEST(code_that_the_kernel_made_is_its_own)
{
	static const uint64_t page = 0xffff800080001000;
	struct pmscope_recording *r;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	ksymbol_of(&b, PERF_RECORD_KSYMBOL_TYPE_OOL, page, 0x1000, 0,
		   "kprobe_insn_page", 100);
	load_at(&b, 0, 0, 0x5000, 150);
	r = open_bytes(&b);
	expect_next(r, &s, 150);
	pmscope_recording_place(r, &s, page + 8, &place);
	EXPECT_STREQ(place.symbol, "kprobe_insn_page");
	EXPECT_STREQ(place.dso, "[kernel.kallsyms]");
	EXPECT_EQ(place.file_offset, page + 8);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

static int open_nothing(const struct pmscope_recording_options *options)
{
	struct pmscope_recording *r;
	int ret = pmscope_recording_open(NULL, 0, options, &r);

	EXPECT_EQ(!r, !!ret);
	pmscope_recording_free(r);
	return ret;
}

TEST(options_of_a_newer_library_are_refused)
{
	struct {
		struct pmscope_recording_options options;
		uint64_t newer;
	} later = {.options = {.size = sizeof(later), .raw = true}};

	EXPECT_EQ(open_nothing(&later.options), 0);
	later.newer = 1;
	EXPECT_EQ(open_nothing(&later.options), -EINVAL);
}

/* Otherwise a caller who forgets it would lose all options. */
TEST(options_without_their_size_are_refused)
{
	const struct pmscope_recording_options options = {.raw = true};

	EXPECT_EQ(open_nothing(&options), -EINVAL);
}

KTAP_MAIN
