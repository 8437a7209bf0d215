// SPDX-License-Identifier: GPL-2.0-or-later
/* Invalid parts are reported, and do not affect others. */
#include "bytes.h"
#include "container.h"
#include "ktap.h"

#include <pmscope/perfdata.h>

#include <string.h>

/* The kind of a record, and bytes of its body that must be there. */
static const struct {
	uint32_t type;
	size_t least;
} kinds[] = {
	{PERF_RECORD_MMAP, 32},
	{PERF_RECORD_LOST, 16},
	{PERF_RECORD_COMM, 8},
	{PERF_RECORD_FORK, 24},
	{PERF_RECORD_MMAP2, 64},
	{PERF_RECORD_AUX, 24},
	{PERF_RECORD_ITRACE_START, 8},
	{PERF_RECORD_LOST_SAMPLES, 8},
	{PERF_RECORD_SWITCH_CPU_WIDE, 8},
	{PERF_RECORD_NAMESPACES, 16},
	{PERF_RECORD_KSYMBOL, 16},
	{PMSCOPE_RECORD_BUILD_ID, 32},
	{PMSCOPE_RECORD_AUXTRACE_INFO, 8},
	{PMSCOPE_RECORD_EVENT_UPDATE, 16},
	{PMSCOPE_RECORD_TIME_CONV, 24},
};

static void put_kind(struct bytes *b, uint32_t type, size_t size)
{
	struct bytes body = {};

	put_zeros(&body, size);
	b->size = 0;
	make_pipe(b);
	put_record(b, type, 0, &body);
	put_records(b);
	bytes_fini(&body);
}

TEST(records_that_are_too_short)
{
	struct bytes b = {};
	char wanted[80];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct seen seen;

		put_kind(&b, kinds[i].type, kinds[i].least);
		EXPECT_STREQ(read_all(&b).error, "");
		put_kind(&b, kinds[i].type, kinds[i].least - 8);
		seen = read_all(&b);
		snprintf(wanted, sizeof(wanted),
			 ": record of type %u is too short (%zu bytes)",
			 kinds[i].type, kinds[i].least);
		EXPECT_TRUE(strstr(seen.error, wanted) != NULL);
		EXPECT_EQ(seen.payload, 200U);
	}
	bytes_fini(&b);
}

/* As in a pipe: a string with a length field of @length bytes. */
static void put_feature(struct bytes *b, uint64_t feature, uint64_t length,
			const char *text)
{
	struct bytes body = {};

	put(&body, feature, 8);
	put(&body, length, 4);
	bytes_add(&body, text, strlen(text) + 1);
	put_record(b, PMSCOPE_RECORD_HEADER_FEATURE, 0, &body);
	bytes_fini(&body);
}

/* Their first word is a length, the count of events, or of a record's size. */
TEST(features_that_make_no_sense)
{
	static const unsigned int features[] = {
		PMSCOPE_FEATURE_BUILD_ID,
		PMSCOPE_FEATURE_HOSTNAME,
		PMSCOPE_FEATURE_CPUID,
		PMSCOPE_FEATURE_EVENT_DESC,
		27, /* COMPRESSED */
	};
	struct bytes b = {};
	char wanted[80];

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		struct seen seen;

		b.size = 0;
		perfdata_begin_pipe(&b);
		put_feature(&b, features[i], 0xff0000, "abc");
		put_records(&b);
		seen = read_all(&b);
		snprintf(wanted, sizeof(wanted), ": feature %u is damaged",
			 features[i]);
		EXPECT_TRUE(strstr(seen.error, wanted) != NULL);
		EXPECT_EQ(seen.comms, 2U);
	}
	bytes_fini(&b);
}

#define MISC_BUILD_ID_SIZE (1 << 15)

/* Bytes of 0xab; some of them are said to lie beyond the maximum. */
static void put_build_id_of(struct bytes *b, unsigned int bytes,
			    unsigned int told, uint16_t mode)
{
	put(b, 0, 4);
	put(b, (told ? MISC_BUILD_ID_SIZE : 0) | mode, 2);
	put(b, 8 + 28 + 8, 2);
	put(b, 10, 4); /* pid */
	for (unsigned int i = 0; i < 20; i++)
		put(b, i < bytes ? 0xab : 0, 1);
	put(b, told, 4);
	bytes_add(b, "/a/file", 8);
}

static void put_build_id(struct bytes *b, unsigned int told, uint16_t mode)
{
	put_build_id_of(b, 20, told, mode);
}

/* Files of guests differ from host files with the same names. */
TEST(build_ids_of_guests)
{
	struct bytes b = {}, body = {};
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;

	put(&body, PMSCOPE_FEATURE_BUILD_ID, 8);
	put_build_id(&body, 8, PERF_RECORD_MISC_GUEST_KERNEL);
	put_build_id(&body, 0, PERF_RECORD_MISC_USER);
	put_build_id(&body, 8, PERF_RECORD_MISC_GUEST_USER);
	perfdata_begin_pipe(&b);
	put_record(&b, PMSCOPE_RECORD_HEADER_FEATURE, 0, &body);
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	while (pmscope_perfdata_next(reader, &event) == 1)
		;
	ASSERT_EQ(pmscope_perfdata_nr_build_ids(reader), 1U);
	EXPECT_EQ(pmscope_perfdata_build_id(reader, 0)->size, 20U);
	EXPECT_STREQ(pmscope_perfdata_error(reader), "");
	pmscope_perfdata_free(reader);
	bytes_fini(&body);
	bytes_fini(&b);
}

/* Older perf does not tell how many they are. */
TEST(zeros_behind_build_ids)
{
	static const unsigned int sizes[][3] = {
		{8, 0, 8}, {16, 0, 16}, {20, 0, 20}, {16, 20, 20}, {4, 4, 4}};
	struct bytes b = {}, body = {};
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;

	put(&body, PMSCOPE_FEATURE_BUILD_ID, 8);
	for (size_t i = 0; i < 5; i++)
		put_build_id_of(&body, sizes[i][0], sizes[i][1],
				PERF_RECORD_MISC_USER);
	perfdata_begin_pipe(&b);
	put_record(&b, PMSCOPE_RECORD_HEADER_FEATURE, 0, &body);
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	while (pmscope_perfdata_next(reader, &event) == 1)
		;
	ASSERT_EQ(pmscope_perfdata_nr_build_ids(reader), 5U);
	for (size_t i = 0; i < 5; i++)
		EXPECT_EQ(pmscope_perfdata_build_id(reader, i)->size,
			  sizes[i][2]);
	pmscope_perfdata_free(reader);
	bytes_fini(&body);
	bytes_fini(&b);
}

/* In a pipe features fill whole words; this is not a build-id. */
TEST(padding_behind_build_ids)
{
	struct bytes b = {}, body = {};
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	const struct pmscope_build_id *id;

	put(&body, PMSCOPE_FEATURE_BUILD_ID, 8);
	put_build_id(&body, 0, PERF_RECORD_MISC_USER);
	put_build_id(&body, 8, PERF_RECORD_MISC_KERNEL);
	put_build_id(&body, 0, 0);
	put_zeros(&body, 4);
	perfdata_begin_pipe(&b);
	put_record(&b, PMSCOPE_RECORD_HEADER_FEATURE, 0, &body);
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	EXPECT_EQ(pmscope_perfdata_next(reader, &event), 1);
	EXPECT_EQ(pmscope_perfdata_next(reader, &event), 1);
	ASSERT_EQ(pmscope_perfdata_nr_build_ids(reader), 3U);
	for (size_t i = 0; i < 3; i++) {
		id = pmscope_perfdata_build_id(reader, i);
		EXPECT_STREQ(id->name, "/a/file");
		EXPECT_EQ(id->size, i == 1 ? 8U : 20U);
		EXPECT_EQ(id->id[7], 0xab);
	}
	EXPECT_STREQ(pmscope_perfdata_error(reader), "");
	pmscope_perfdata_free(reader);
	bytes_fini(&body);
	bytes_fini(&b);
}

#define AT_FLAGS 72

/* A file with the texts of two features, the first at @offset. */
static void make_features(struct bytes *b, uint64_t offset)
{
	struct bytes text = {};

	make_file(b);
	b->data[AT_FLAGS] |= 1 << PMSCOPE_FEATURE_ARCH;
	b->data[AT_FLAGS + 1] |= 1 << (PMSCOPE_FEATURE_CPUID - 8);
	put(&text, 4, 4);
	bytes_add(&text, "0x1", 4);
	put(b, offset, 8);
	put(b, text.size, 8);
	put(b, b->size + 16, 8);
	put(b, text.size, 8);
	bytes_add(b, text.data, text.size);
	bytes_fini(&text);
}

static void expect_cpuid(const struct bytes *b, const char *fault)
{
	struct pmscope_perfdata *reader;
	const char *id;

	ASSERT_EQ(pmscope_perfdata_open(b->data, b->size, &reader), 0);
	EXPECT_TRUE(strstr(pmscope_perfdata_error(reader), fault) != NULL);
	id = pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_CPUID);
	EXPECT_TRUE(id && !strcmp(id, "0x1"));
	pmscope_perfdata_free(reader);
}

TEST(features_beside_a_damaged_one)
{
	struct bytes b = {};
	uint64_t beyond;

	make_features(&b, 0);
	expect_cpuid(&b, "feature 6 is damaged");
	b.size = 0;
	make_features(&b, UINT64_MAX);
	expect_cpuid(&b, "feature 6 lies outside the file");
	beyond = b.size - 4;
	b.size = 0;
	make_features(&b, beyond);
	expect_cpuid(&b, "feature 6 lies outside the file");
	bytes_fini(&b);
}

/* The place of the first one has some bytes, or none. */
TEST(features_that_are_cut)
{
	struct bytes b = {}, file = {};

	make_file(&file);
	make_features(&b, 0);
	for (size_t left = 0; left < 16; left++) {
		b.size = file.size + left;
		EXPECT_TRUE(strstr(read_all(&b).error,
				   "cut short inside the features") != NULL);
	}
	bytes_fini(&file);
	bytes_fini(&b);
}

/* The identifiers of an event, which lie outside the file. */
TEST(features_of_a_file_with_a_damaged_event)
{
	struct bytes b = {};

	make_features(&b, 104);
	memset(b.data + 112 + PERF_ATTR_SIZE_VER5, 0xff, 8);
	expect_cpuid(&b, "identifiers of event 0 lie outside");
	bytes_fini(&b);
}

#define AT_ATTRS 16 /* bytes of each, their start, bytes of all */

TEST(more_events_than_are_read)
{
	static const uint64_t each = PERF_ATTR_SIZE_VER0 + 16;
	struct bytes b = {};
	uint64_t attrs[3];

	make_file(&b);
	attrs[0] = each;
	attrs[1] = b.size;
	attrs[2] = 65537 * each;
	put_zeros(&b, attrs[2]);
	memcpy(b.data + AT_ATTRS, attrs, sizeof(attrs));
	EXPECT_TRUE(strstr(read_all(&b).error, "more than 65536 events"));
	bytes_fini(&b);
}

KTAP_MAIN
