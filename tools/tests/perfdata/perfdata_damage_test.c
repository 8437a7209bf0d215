// SPDX-License-Identifier: GPL-2.0-or-later
/* Invalid parts are reported, and do not affect others. */
#include "scenario.h"

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

TEST(records_that_are_too_short)
{
	static const uint64_t zeros[8];
	char wanted[80];

#define BETWEEN_RECORDS(kind, size)                                     \
	PIPE, RECORDS_HERE, RECORD_OF(kind.type, 0, (size) / 8, zeros), \
		RECORDS_HERE, READ
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		PLAY(BETWEEN_RECORDS(kinds[i], kinds[i].least), SEEN_ERROR(""));
		snprintf(wanted, sizeof(wanted),
			 ": record of type %u is too short (%zu bytes)",
			 kinds[i].type, kinds[i].least);
		PLAY(BETWEEN_RECORDS(kinds[i], kinds[i].least - 8),
		     SEEN_ERROR(wanted), IS(seen.payload, 200));
	}
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
	char wanted[80];

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		snprintf(wanted, sizeof(wanted), ": feature %u is damaged",
			 features[i]);
		/* As in a pipe: a string "abc" and its length. */
		PLAY(PIPE,
		     RECORD(PMSCOPE_RECORD_HEADER_FEATURE, 0, features[i],
			    0xff0000 | UINT64_C(0x636261) << 32),
		     RECORDS_HERE, READ, SEEN_ERROR(wanted), IS(seen.comms, 2));
	}
}

#define MISC_BUILD_ID_SIZE (1 << 15)

/* Bytes of 0xab; some of them are said to lie beyond the maximum. */
static void put_build_id(struct bytes *b, unsigned int bytes, unsigned int told,
			 uint16_t mode)
{
	put(b, 0, 4);
	PUT(b, 2, (told ? MISC_BUILD_ID_SIZE : 0) | mode, 8 + 28 + 8);
	put(b, 10, 4); /* pid */
	for (unsigned int i = 0; i < 20; i++)
		put(b, i < bytes ? 0xab : 0, 1);
	put(b, told, 4);
	bytes_add(b, "/a/file", 8);
}

/* Rows of its bytes, how many are told, and of what. */
STEP_OF(put_build_ids)
{
	const unsigned int(*rows)[3] = step->data;
	BYTES body = {};

	put(&body, PMSCOPE_FEATURE_BUILD_ID, 8);
	for (uint64_t i = 0; i < step->v[0]; i++)
		put_build_id(&body, rows[i][0], rows[i][1], rows[i][2]);
	put_zeros(&body, step->v[1]);
	put_record(&sc->b, PMSCOPE_RECORD_HEADER_FEATURE, 0, &body);
}
#define BUILD_IDS(nr, padding, ...)                                            \
	TELL_OF(put_build_ids, NULL, ((const unsigned int[][3]){__VA_ARGS__}), \
		nr, padding)

STEP_OF(expect_nr)
{
	EXPECT_EQ(pmscope_perfdata_nr_build_ids(sc->reader), step->v[0]);
	sc->over |= pmscope_perfdata_nr_build_ids(sc->reader) != step->v[0];
}

STEP_OF(expect_build_id)
{
	const struct pmscope_build_id *id =
		pmscope_perfdata_build_id(sc->reader, step->v[0]);

	EXPECT_EQ(id->size, step->v[1]);
	EXPECT_STREQ(id->name, "/a/file");
	if (step->v[1] > 7)
		EXPECT_EQ(id->id[7], 0xab);
}
#define BUILD_ID_IS(nr, size) CALL(expect_build_id, nr, size)

/* Files of guests differ from host files with the same names. */
SCENARIO(build_ids_of_guests, PIPE,
	 BUILD_IDS(3, 0, {20, 8, PERF_RECORD_MISC_GUEST_KERNEL},
		   {20, 0, PERF_RECORD_MISC_USER},
		   {20, 8, PERF_RECORD_MISC_GUEST_USER}),
	 READER_AT_END, CALL(expect_nr, 1), BUILD_ID_IS(0, 20),
	 READER_ERROR(""));

#define OF_USER PERF_RECORD_MISC_USER

/* Older perf does not tell how many they are. */
SCENARIO(zeros_behind_build_ids, PIPE,
	 BUILD_IDS(5, 0, {8, 0, OF_USER}, {16, 0, OF_USER}, {20, 0, OF_USER},
		   {16, 20, OF_USER}, {4, 4, OF_USER}),
	 READER_AT_END, CALL(expect_nr, 5), BUILD_ID_IS(0, 8),
	 BUILD_ID_IS(1, 16), BUILD_ID_IS(2, 20), BUILD_ID_IS(3, 20),
	 BUILD_ID_IS(4, 4));

/* In a pipe features fill whole words; this is not a build-id. */
SCENARIO(padding_behind_build_ids, PIPE,
	 BUILD_IDS(3, 4, {20, 0, OF_USER}, {20, 8, PERF_RECORD_MISC_KERNEL},
		   {20, 0, 0}),
	 READER, EVENT, EVENT, CALL(expect_nr, 3), BUILD_ID_IS(0, 20),
	 BUILD_ID_IS(1, 8), BUILD_ID_IS(2, 20), READER_ERROR(""));

#define AT_FLAGS 72

/* A file with the texts of two features, the first at an offset. */
STEP_OF(put_features)
{
	struct bytes *b = &sc->b, text = {};
	uint64_t beyond = b->size + 32 + 8 - 4;

	b->data[AT_FLAGS] |= 1 << PMSCOPE_FEATURE_ARCH;
	b->data[AT_FLAGS + 1] |= 1 << (PMSCOPE_FEATURE_CPUID - 8);
	put(&text, 4, 4);
	bytes_add(&text, "0x1", 4);
	PUT(b, 8, step->v[1] ? beyond : step->v[0], text.size, b->size + 32,
	    text.size);
	bytes_add(b, text.data, text.size);
	bytes_fini(&text);
}
#define FEATURES_AT(offset, ...)        \
	BARE, RECORDS_HERE, CUT_OFF(0), \
		CALL(put_features, offset, ##__VA_ARGS__)
#define CPUID_BESIDE(fault) \
	READER, READER_ERROR(fault), FEATURE_IS(PMSCOPE_FEATURE_CPUID, "0x1")

SCENARIO(features_beside_a_damaged_one, FEATURES_AT(0),
	 CPUID_BESIDE("feature 6 is damaged"), ANEW, FEATURES_AT(UINT64_MAX),
	 CPUID_BESIDE("feature 6 lies outside the file"), ANEW,
	 FEATURES_AT(0, true /* 4 bytes before the end */),
	 CPUID_BESIDE("feature 6 lies outside the file"));

/* The place of the first one has some bytes, or none. */
TEST(features_that_are_cut)
{
	for (size_t left = 0; left < 16; left++)
		PLAY(FEATURES_AT(0), CUT_OFF(32 + 8 - left), READ,
		     SEEN_ERROR("cut short inside the features"));
}

STEP_IS(damage_ids,
	memset(sc->b.data + step->v[0] + PERF_ATTR_SIZE_VER5, 0xff, 8));

/* The identifiers of an event, which lie outside the file. */
SCENARIO(features_of_a_file_with_a_damaged_event, FEATURES_AT(104),
	 CALL(damage_ids, 112),
	 CPUID_BESIDE("identifiers of event 0 lie outside"));

#define AT_ATTRS 16 /* bytes of each, their start, bytes of all */

STEP_OF(put_attrs)
{
	static const uint64_t each = PERF_ATTR_SIZE_VER0 + 16;
	uint64_t attrs[3] = {each, sc->b.size, step->v[0] * each};

	put_zeros(&sc->b, attrs[2]);
	memcpy(sc->b.data + AT_ATTRS, attrs, sizeof(attrs));
}

SCENARIO(more_events_than_are_read, BARE, RECORDS_HERE, CUT_OFF(0),
	 CALL(put_attrs, 65537), READ, SEEN_ERROR("more than 65536 events"));
