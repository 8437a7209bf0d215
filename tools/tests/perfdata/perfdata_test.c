// SPDX-License-Identifier: GPL-2.0-or-later
/* The container: file and pipe, whole or damaged. */
#include "scenario.h"

#define A_FILE BARE, RECORDS_HERE
#define A_PIPE PIPE, RECORDS_HERE

SCENARIO(file_form, A_FILE, READ, SEEN_ERROR(""), SEEN(2, 100),
	 IS(seen.auxtraces, 1));

SCENARIO(pipe_form, A_PIPE, READ, SEEN_ERROR(""), SEEN(2, 100),
	 IS(seen.auxtraces, 1), IS(seen.others, 1) /* HEADER_ATTR */);

STEP_OF(expect_attr)
{
	EXPECT_EQ(pmscope_perfdata_attr(sc->reader, 0)->attr.type, 10U);
	EXPECT_TRUE(!pmscope_perfdata_attr(sc->reader, 1));
}

SCENARIO(who_where_and_when, A_FILE, READER, NR_ATTRS(1), CALL(expect_attr),
	 ATTR_OF_ID(0, PERFDATA_ID), ATTR_OF_ID(-1, 5), EVENT,
	 IS(event.type, PERF_RECORD_COMM), IS(event.attr, 0),
	 IS(event.id.has, PERFDATA_SAMPLE_TYPE), IS(event.id.pid, 7),
	 IS(event.id.tid, 8), IS(event.id.time, 99), IS(event.id.cpu, 3),
	 IS(event.id.id, PERFDATA_ID));

#define AT_ID 104 /* after the header */

/* As in perf: with a single event, all records belong to it. */
SCENARIO(one_event_needs_no_identifiers, A_FILE, POKE(AT_ID, PERFDATA_ID ^ 1),
	 READER, ATTR_OF_ID(-1, PERFDATA_ID), EVENT, IS(event.attr, 0),
	 IS(event.id.has, PERFDATA_SAMPLE_TYPE), IS(event.id.time, 99));

/*
 * Truncated anywhere: complete records before the cut, and one error with its
 * offset. A file has its size in the header: every cut is noticed.
 */
STEP_OF(cut_everywhere)
{
	for (size_t cut = 0; cut < sc->b.size; cut++) {
		struct bytes part = {};
		struct seen seen;

		/* An allocation of exactly this size: ASan sees each byte. */
		part.data = malloc(cut ? cut : 1);
		memcpy(part.data, sc->b.data, cut);
		part.size = cut;
		seen = read_all(&part);
		if (!strncmp(seen.error, "offset 0x", 9))
			EXPECT_LE(strtoull(seen.error + 9, NULL, 16), cut);
		else
			EXPECT_STREQ(seen.error, "");
		EXPECT_LE(seen.comms, 2U);
		if (step->v[0])
			EXPECT_NE(*seen.error, '\0');
		free(part.data);
	}
}

SCENARIO(file_cut_at_every_byte, A_FILE, CUT_OFF(0),
	 CALL(cut_everywhere, true));

SCENARIO(pipe_cut_at_every_byte, A_PIPE, CALL(cut_everywhere, false));

SCENARIO(records_before_a_cut_are_read, A_FILE, CUT_OFF(1), READ,
	 IS(seen.comms, 1), IS(seen.auxtraces, 1), SEEN_ERROR("offset"));

STEP_OF(expect_part)
{
	EXPECT_GT(sc->seen.payload, 0U);
	EXPECT_LT(sc->seen.payload, step->v[0]);
}

SCENARIO(trace_before_a_cut_is_read, A_FILE,
	 CUT_OFF(60 + 64) /* inside the 100 bytes */, READ,
	 IS(seen.auxtraces, 1), CALL(expect_part, 100), SEEN_ERROR("offset"));

STEP_IS(never_end, sc->ended = true);

SCENARIO(recording_that_was_not_finished, A_FILE, CALL(never_end), READ,
	 IS(seen.comms, 2), SEEN_ERROR("not finished"));

static void expect_open_error(const char *data, size_t size, const char *text)
{
	struct pmscope_perfdata *reader;

	EXPECT_EQ(pmscope_perfdata_open((const uint8_t *)data, size, &reader),
		  -EBADMSG);
	ASSERT_TRUE(reader != NULL);
	EXPECT_STREQ(pmscope_perfdata_error(reader), text);
	pmscope_perfdata_free(reader);
}

TEST(what_is_no_perf_data)
{
	expect_open_error("", 0, "offset 0x0: empty");
	expect_open_error("hello, world, this is text", 26,
			  "offset 0x0: not a perf.data");
	expect_open_error("PERFFILE", 8,
			  "offset 0x0: written by perf before Linux 3.2, so "
			  "without SPE trace; use perf to read it");
	expect_open_error(
		"\x1f\x8b\x08", 3,
		"offset 0x0: compressed with gzip; decompress it first");
	expect_open_error("PK\x03\x04", 4,
			  "offset 0x0: a zip archive; unpack it first");
	expect_open_error("\x1f", 1, "offset 0x0: not a perf.data");
	expect_open_error("PERFILE2", 8,
			  "offset 0x8: cut short inside the header");
	expect_open_error("2ELIFREP\0\0\0\0\0\0\0\x10", 16,
			  "offset 0x0: recorded on a big-endian machine; only "
			  "little-endian recordings are read");
	expect_open_error("PERFILE2\x11\0\0\0\0\0\0\0", 16,
			  "offset 0x8: header of 17 bytes is not supported");
}

STEP_OF(damage_anywhere)
{
	uint64_t state = 0x1234567;

	for (uint64_t turn = 0; turn < step->v[0]; turn++) {
		BYTES bad = {};

		bytes_add(&bad, sc->b.data, sc->b.size);
		for (int i = random_below(&state, 4); i >= 0; i--)
			bad.data[random_below(&state, bad.size)] =
				random_next(&state) >> 50;
		read_all(&bad);
	}
}

SCENARIO(random_bytes_in_every_place, A_FILE, CUT_OFF(0),
	 CALL(damage_anywhere, 20000));

STEP_OF(put_events)
{
	struct bytes *b = &sc->b, entry = {};
	uint64_t attrs[2] = {b->size};

	bytes_add(&entry, b->data + AT_ID + 8, PERF_ATTR_SIZE_VER5);
	PUT(&entry, 8, AT_ID, 1000000);
	attrs[1] = step->v[0] * entry.size;
	for (uint64_t i = 0; i < step->v[0]; i++)
		bytes_add(b, entry.data, entry.size);
	memcpy(b->data + 24, attrs, sizeof(attrs));
	bytes_fini(&entry);
}

/* Events whose lists of identifiers are all the same large part of the file. */
SCENARIO(identifiers_that_overlap, A_FILE, CUT_OFF(0), CALL(put_events, 20000),
	 READ, SEEN_ERROR("more identifiers than"));

/* As in a pipe. */
STEP_OF(put_feature)
{
	BYTES body = {};

	put(&body, step->v[0], 8);
	put(&body, strlen(step->text) + 1, 4);
	bytes_add(&body, step->text, strlen(step->text) + 1);
	put_record(&sc->b, PMSCOPE_RECORD_HEADER_FEATURE, 0, &body);
}
#define TOLD(bit, words) CALL_SAY(put_feature, words, bit)

SCENARIO(features_of_a_pipe, PIPE, TOLD(PMSCOPE_FEATURE_ARCH, "aarch64"),
	 TOLD(PMSCOPE_FEATURE_HOSTNAME, "board"), TOLD(UINT64_MAX, "none"),
	 READER_AT_END, READER_ERROR(""),
	 FEATURE_IS(PMSCOPE_FEATURE_ARCH, "aarch64"),
	 FEATURE_IS(PMSCOPE_FEATURE_HOSTNAME, "board"),
	 FEATURE_IS(PMSCOPE_FEATURE_CPUID, NULL));

STEP_OF(put_formats)
{
	for (uint64_t i = 0; i < step->v[0]; i++)
		put(&sc->b, i == 6, 1);
}

/* For tracepoints: after the record, not in it, like a trace. */
SCENARIO(tracing_data_of_a_pipe, PIPE,
	 RECORD(PMSCOPE_RECORD_TRACING_DATA, 0, 4096), CALL(put_formats, 4096),
	 RECORDS_HERE, READ, SEEN_ERROR(""), SEEN(2, 4096 + 100),
	 CALL(cut_everywhere, false), ANEW, PIPE,
	 RECORD_OF(PMSCOPE_RECORD_TRACING_DATA, 0, 0, NULL), RECORDS_HERE, READ,
	 SEEN_ERROR("TRACING_DATA record of 8 "));

#define HEADER_ATTR PMSCOPE_RECORD_HEADER_ATTR

/* An invalid event affects only its own records: of 64 bytes, and of 32. */
TEST(records_behind_a_damaged_event)
{
	static const uint64_t words[8] = {10 | UINT64_C(4096) << 32};

	PLAY(PIPE, RECORD_OF(HEADER_ATTR, 0, 8, words),
	     RECORD_OF(HEADER_ATTR, 0, 4, words), RECORDS_HERE, READ,
	     SEEN_ERROR("event of 4096 bytes in an attribute of 64"),
	     SEEN(2, 100));
}

/* Another event of type @type, whose identifier comes last. */
#define SECOND_ATTR(type)                                                    \
	RECORD(HEADER_ATTR, 0, (type) | (uint64_t)PERF_ATTR_SIZE_VER0 << 32, \
	       0, 0, 0, 0, 0, 0, 0, 2 * PERFDATA_ID)

/* perf inject makes such records, with times, from files of JITs. */
SCENARIO(an_identifier_of_0_is_of_the_first_event, PIPE, SECOND_ATTR(1),
	 COMM(55, 7, 8, "name"), PATCH(40, 0), READER, EVENT, EVENT, EVENT,
	 IS(event.type, PERF_RECORD_COMM),
	 IS(event.id.has, PERFDATA_SAMPLE_TYPE), IS(event.id.time, 55),
	 IS(event.id.tid, 8));

#define EVENT_UPDATE(kind, name) \
	RECORD(PMSCOPE_RECORD_EVENT_UPDATE, 0, kind, PERFDATA_ID, name)

/* A missing name is not "". */
SCENARIO(event_with_an_empty_name, PIPE, EVENT_UPDATE(2, 0), READER_AT_END,
	 NR_ATTRS(1), ATTR_NAME(0, NULL));

STEP_IS(put_name, put_event_name(&sc->b, step->v[0], step->text));
#define UPDATE_NAME(id, name) CALL_SAY(put_name, name, id)

STEP_OF(expect_longest)
{
	const char *name = pmscope_perfdata_attr(sc->reader, 0)->name;

	ASSERT_TRUE(name != NULL);
	EXPECT_EQ(strlen(name), 1023U);
}

/* Each count of each group is printed with its name. */
TEST(an_event_with_a_name_of_a_whole_record)
{
	char name[60000] = {};

	memset(name, 'e', sizeof(name) - 1);
	PLAY(PIPE, UPDATE_NAME(PERFDATA_ID, name), READER_AT_END,
	     CALL(expect_longest));
}

/* Such records also exist for its unit, scale and CPUs. */
SCENARIO(only_an_update_of_the_name_names_an_event, PIPE, EVENT_UPDATE(0, 'a'),
	 EVENT_UPDATE(1, 'b'), EVENT_UPDATE(2, 'c'), EVENT_UPDATE(3, 'd'),
	 READER_AT_END, ATTR_NAME(0, "c"));

/* As in perf, which has no other id for events without one. */
TEST(an_update_of_id_0_names_the_first_event_and_any_one_alone)
{
	static const struct {
		uint64_t id;
		const char *name[2]; /* then */
	} of_two[] = {
		{0, {"name"}},
		{PERFDATA_ID, {"name"}},
		{2 * PERFDATA_ID, {NULL, "name"}},
		{3 * PERFDATA_ID, {}},
	};

	for (uint64_t id = 0; id <= 3 * PERFDATA_ID; id += 3 * PERFDATA_ID)
		PLAY(PIPE, UPDATE_NAME(id, "name"), READER_AT_END, NR_ATTRS(1),
		     ATTR_NAME(0, "name"));
	for (size_t i = 0; i < ARRAY_SIZE(of_two); i++)
		PLAY(PIPE, SECOND_ATTR(0), UPDATE_NAME(of_two[i].id, "name"),
		     READER_AT_END, NR_ATTRS(2),
		     ATTR_NAME(0, of_two[i].name[0]),
		     ATTR_NAME(1, of_two[i].name[1]));
}

TEST(looks_like_perf_data)
{
	EXPECT_TRUE(pmscope_perfdata_is((const uint8_t *)"PERFILE2xx", 10));
	EXPECT_TRUE(pmscope_perfdata_is((const uint8_t *)"PERF", 4));
	EXPECT_FALSE(pmscope_perfdata_is((const uint8_t *)"PERX", 4));
	EXPECT_FALSE(pmscope_perfdata_is(NULL, 0));
}
