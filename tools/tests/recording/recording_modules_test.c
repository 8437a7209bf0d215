// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of kernel modules in recordings. */
#include "happening.h"
#include "ktap.h"

#include <pmscope/perfdata.h>
#include <pmscope/recording.h>

#include <string.h>

#define BASE 0xffff80007a000000

static void module_at(struct bytes *b, uint64_t offset, uint64_t length,
		      const char *name)
{
	struct where where = {PMSCOPE_NO_ID, 0, 0, 0};

	put_mmap2(b, BASE + offset, length, 0, name, &where);
}

static struct pmscope_recording *open_with_sample(struct bytes *b,
						  struct pmscope_sample *s)
{
	struct pmscope_recording *recording;

	comm_at(b, 0, "a", 0, 10, 10);
	load_at(b, 0, 10, 0x5000, 50);
	recording = open_bytes(b);
	expect_next(recording, s, 50);
	return recording;
}

static void expect_dso(struct pmscope_recording *recording,
		       const struct pmscope_sample *s, uint64_t offset,
		       const char *dso, uint64_t file_offset)
{
	struct pmscope_place place;

	pmscope_recording_place(recording, s, BASE + offset, &place);
	EXPECT_TRUE(place.kernel);
	EXPECT_STREQ(place.dso, dso);
	if (dso)
		EXPECT_EQ(place.file_offset, file_offset);
}

/*
 * Since Linux 6.4 perf reports the address of the code, but the size includes
 * the data, which is elsewhere.
 */
TEST(modules_end_where_the_next_one_begins)
{
	static const char *const orders[] = {"abc", "cba", "bac", "bca"};

	for (size_t i = 0; i < 4; i++) {
		struct pmscope_recording *recording;
		struct pmscope_sample s;
		struct bytes b = {};

		begin(&b);
		for (const char *at = orders[i]; *at; at++) {
			char name[] = {'[', *at, ']', '\0'};

			module_at(&b, 0x3000 * (*at - 'a'), 0x7000, name);
		}
		recording = open_with_sample(&b, &s);
		expect_dso(recording, &s, 0x2fff, "[a]", 0x2fff);
		expect_dso(recording, &s, 0x3000, "[b]", 0);
		expect_dso(recording, &s, 0x5fff, "[b]", 0x2fff);
		expect_dso(recording, &s, 0x6000, "[c]", 0);
		expect_dso(recording, &s, 0xcfff, "[c]", 0x6fff);
		expect_dso(recording, &s, 0xd000, NULL, 0);
		pmscope_recording_free(recording);
		bytes_fini(&b);
	}
}

/* perf writes all of them again when it starts another file. */
TEST(modules_that_are_recorded_again)
{
	struct pmscope_recording *recording;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	for (int i = 0; i < 3; i++) {
		module_at(&b, 0x3000, 0x7000, "/lib/modules/b.ko");
		module_at(&b, 0, 0x7000, "/lib/modules/a.ko.xz");
	}
	recording = open_with_sample(&b, &s);
	expect_dso(recording, &s, 0x2000, "/lib/modules/a.ko.xz", 0x2000);
	expect_dso(recording, &s, 0x3000, "/lib/modules/b.ko", 0);
	expect_dso(recording, &s, 0x9fff, "/lib/modules/b.ko", 0x6fff);
	pmscope_recording_free(recording);
	bytes_fini(&b);
}

/* Of 8 bytes, the first of which is @first. */
static void build_id_at(struct bytes *b, uint16_t misc, const char *name,
			uint8_t first)
{
	struct bytes body = {};

	put(&body, PMSCOPE_NO_ID, 4);
	put(&body, 0x0123456789abcd00 | first, 8);
	put_zeros(&body, 16);
	bytes_add(&body, name, strlen(name));
	put_zeros(&body, 8 - strlen(name) % 8);
	put_record(b, PMSCOPE_RECORD_BUILD_ID, misc, &body);
	bytes_fini(&body);
}

/* For mappings of a process, too. */
TEST(the_build_id_of_the_kernel_is_not_a_modules)
{
	struct bytes b = {};
	struct pmscope_recording *recording;
	struct pmscope_place place;
	struct pmscope_sample s;

	begin(&b);
	build_id_at(&b, 0, "[kernel.kallsyms]", 0xef);
	module_at(&b, 0, 0x3000, "/lib/modules/a.ko");
	module_at(&b, 0x4000000, 0x3000, "[kernel.kallsyms]_text");
	map_at(&b, 0x5000, "/usr/bin/a_long_name", 0, 10);
	recording = open_with_sample(&b, &s);
	pmscope_recording_place(recording, &s, BASE + 0x4000000, &place);
	EXPECT_EQ(place.build_id_size, 8U);
	EXPECT_EQ(place.build_id[0], 0xef);
	EXPECT_STREQ(place.reference, "_text");
	EXPECT_EQ(place.file_offset, BASE + 0x4000000U);
	pmscope_recording_place(recording, &s, BASE, &place);
	EXPECT_EQ(place.build_id_size, 0U);
	/* Modules are at the addresses of that boot, too. */
	EXPECT_STREQ(place.reference, "_text");
	EXPECT_EQ(place.reference_address, 0U);
	pmscope_recording_place(recording, &s, 0x5000, &place);
	EXPECT_EQ(place.build_id_size, 0U);
	EXPECT_TRUE(!place.reference);
	pmscope_recording_free(recording);
	bytes_fini(&b);
}

struct row {
	uint16_t misc;
	const char *name;
};

/* For row @nr, counted from 1; 0: none. */
static void expect_build_id_of(const struct row *rows, uint8_t nr)
{
	struct pmscope_recording *recording;
	struct pmscope_place place;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	for (unsigned int i = 0; rows[i].name; i++)
		build_id_at(&b, rows[i].misc, rows[i].name, i + 1);
	module_at(&b, 0, 0x3000, "[kernel.kallsyms]_text");
	recording = open_with_sample(&b, &s);
	pmscope_recording_place(recording, &s, BASE, &place);
	EXPECT_EQ(place.build_id_size, nr ? 8U : 0U);
	if (place.build_id_size)
		EXPECT_EQ(place.build_id[0], nr);
	pmscope_recording_free(recording);
	bytes_fini(&b);
}

/* perf record --vmlinux stores the name of the file next to the build-id. */
TEST(the_build_id_of_a_kernel_by_the_name_of_its_file)
{
	static const uint16_t kernel = PERF_RECORD_MISC_KERNEL;
	static const char path[] = "/boot/vmlinux-6.1";

	expect_build_id_of((struct row[]){{kernel, "/lib/modules/a.ko"},
					  {kernel, "vmlinux"},
					  {kernel, "/boot/another"},
					  {}},
			   2);
	expect_build_id_of((struct row[]){{kernel, path},
					  {kernel, "[kernel.kallsyms]"},
					  {}},
			   2);
	expect_build_id_of((struct row[]){{kernel, "[kernel.kallsyms]"},
					  {kernel, path},
					  {}},
			   1);
	expect_build_id_of((struct row[]){{PERF_RECORD_MISC_GUEST_KERNEL, path},
					  {PERF_RECORD_MISC_USER, path},
					  {kernel, "[ext4]"},
					  {kernel, "/lib/modules/a.ko"},
					  {kernel, "/lib/modules/b.ko.xz"},
					  {}},
			   0);
}

static void expect_reference(struct pmscope_recording *recording,
			     const struct pmscope_sample *s, uint64_t offset)
{
	struct pmscope_place place;

	pmscope_recording_place(recording, s, BASE + offset, &place);
	EXPECT_STREQ(place.reference, "_text");
	EXPECT_EQ(place.reference_address, BASE);
}

/* If its end is unknown, the kernel is mapped around them. */
TEST(the_kernel_was_in_one_place_whatever_modules_it_is_mapped_around)
{
	struct where where = {PMSCOPE_NO_ID, 0, 0, 0};
	struct pmscope_recording *recording;
	struct pmscope_sample s;
	struct bytes b = {};

	begin(&b);
	put_mmap2(&b, 0, UINT64_MAX, BASE, "[kernel.kallsyms]_text", &where);
	module_at(&b, 0x10000, 0x3000, "[a]");
	recording = open_with_sample(&b, &s);
	expect_dso(recording, &s, 0x10000, "[a]", 0);
	expect_reference(recording, &s, 0x1000);
	expect_reference(recording, &s, 0x10000);
	expect_reference(recording, &s, 0x20000);
	pmscope_recording_free(recording);
	bytes_fini(&b);
}

KTAP_MAIN
