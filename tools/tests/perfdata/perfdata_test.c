// SPDX-License-Identifier: GPL-2.0-or-later
/* The container: file and pipe, whole or damaged. */
#include "bytes.h"
#include "container.h"
#include "ktap.h"
#include "random.h"

#include <pmscope/perfdata.h>

#include <errno.h>
#include <stdlib.h>

TEST(file_form)
{
	struct bytes b = {};
	struct seen seen;

	make_file(&b);
	seen = read_all(&b);
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.comms, 2U);
	EXPECT_EQ(seen.auxtraces, 1U);
	EXPECT_EQ(seen.payload, 100U);
	bytes_fini(&b);
}

TEST(pipe_form)
{
	struct bytes b = {};
	struct seen seen;

	make_pipe(&b);
	seen = read_all(&b);
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.comms, 2U);
	EXPECT_EQ(seen.auxtraces, 1U);
	EXPECT_EQ(seen.others, 1U); /* HEADER_ATTR */
	bytes_fini(&b);
}

TEST(who_where_and_when)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	struct bytes b = {};

	make_file(&b);
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	EXPECT_EQ(pmscope_perfdata_nr_attrs(reader), 1U);
	EXPECT_EQ(pmscope_perfdata_attr(reader, 0)->attr.type, 10U);
	EXPECT_TRUE(!pmscope_perfdata_attr(reader, 1));
	EXPECT_EQ(pmscope_perfdata_attr_of_id(reader, PERFDATA_ID), 0);
	EXPECT_EQ(pmscope_perfdata_attr_of_id(reader, 5), -1);
	ASSERT_EQ(pmscope_perfdata_next(reader, &event), 1);
	EXPECT_EQ(event.type, (uint32_t)PERF_RECORD_COMM);
	EXPECT_EQ(event.attr, 0);
	EXPECT_EQ(event.id.has, (uint64_t)PERFDATA_SAMPLE_TYPE);
	EXPECT_EQ(event.id.pid, 7U);
	EXPECT_EQ(event.id.tid, 8U);
	EXPECT_EQ(event.id.time, 99U);
	EXPECT_EQ(event.id.cpu, 3U);
	EXPECT_EQ(event.id.id, (uint64_t)PERFDATA_ID);
	pmscope_perfdata_free(reader);
	bytes_fini(&b);
}

/* As in perf: with a single event, all records belong to it. */
TEST(one_event_needs_no_identifiers)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	struct bytes b = {};

	make_file(&b);
	b.data[104] ^= 1; /* its identifier, after the header */
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	EXPECT_EQ(pmscope_perfdata_attr_of_id(reader, PERFDATA_ID), -1);
	ASSERT_EQ(pmscope_perfdata_next(reader, &event), 1);
	EXPECT_EQ(event.attr, 0);
	EXPECT_EQ(event.id.has, (uint64_t)PERFDATA_SAMPLE_TYPE);
	EXPECT_EQ(event.id.time, 99U);
	pmscope_perfdata_free(reader);
	bytes_fini(&b);
}

/*
 * Truncated anywhere: complete records before the cut, and one error with its
 * offset.
 */
static void cut_everywhere(const struct bytes *whole)
{
	for (size_t cut = 0; cut < whole->size; cut++) {
		struct bytes part = {};
		struct seen seen;

		/* An allocation of exactly this size: ASan sees each byte. */
		part.data = malloc(cut ? cut : 1);
		memcpy(part.data, whole->data, cut);
		part.size = cut;
		seen = read_all(&part);
		if (!strncmp(seen.error, "offset 0x", 9))
			EXPECT_LE(strtoull(seen.error + 9, NULL, 16), cut);
		else
			EXPECT_STREQ(seen.error, "");
		EXPECT_LE(seen.comms, 2U);
		free(part.data);
	}
}

TEST(file_cut_at_every_byte)
{
	struct bytes b = {};

	make_file(&b);
	cut_everywhere(&b);
	for (size_t cut = 0; cut < b.size; cut++) {
		struct bytes part = {.data = b.data, .size = cut};

		/* A file has its size in the header: every cut is noticed. */
		EXPECT_NE(*read_all(&part).error, '\0');
	}
	bytes_fini(&b);
}

TEST(pipe_cut_at_every_byte)
{
	struct bytes b = {};

	make_pipe(&b);
	cut_everywhere(&b);
	bytes_fini(&b);
}

TEST(records_before_a_cut_are_read)
{
	struct bytes b = {};
	struct seen seen;

	make_file(&b);
	b.size -= 1;
	seen = read_all(&b);
	EXPECT_EQ(seen.comms, 1U);
	EXPECT_EQ(seen.auxtraces, 1U);
	EXPECT_NE(*seen.error, '\0');
	bytes_fini(&b);
}

TEST(trace_before_a_cut_is_read)
{
	struct bytes b = {};
	struct seen seen;

	make_file(&b);
	b.size -= 60 + 64; /* inside the 100 bytes */
	seen = read_all(&b);
	EXPECT_EQ(seen.auxtraces, 1U);
	EXPECT_GT(seen.payload, 0U);
	EXPECT_LT(seen.payload, 100U);
	EXPECT_NE(*seen.error, '\0');
	bytes_fini(&b);
}

TEST(recording_that_was_not_finished)
{
	struct bytes b = {};
	struct seen seen;

	perfdata_begin(&b);
	put_records(&b);
	seen = read_all(&b);
	EXPECT_EQ(seen.comms, 2U);
	EXPECT_TRUE(strstr(seen.error, "not finished") != NULL);
	bytes_fini(&b);
}

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

TEST(random_bytes_in_every_place)
{
	uint64_t state = 0x1234567;
	struct bytes b = {};

	make_file(&b);
	for (int turn = 0; turn < 20000; turn++) {
		struct bytes bad = {};

		bytes_add(&bad, b.data, b.size);
		for (int i = random_below(&state, 4); i >= 0; i--)
			bad.data[random_below(&state, b.size)] =
				random_next(&state) >> 50;
		read_all(&bad);
		bytes_fini(&bad);
	}
	bytes_fini(&b);
}

/* Events whose lists of identifiers are all the same large part of the file. */
TEST(identifiers_that_overlap)
{
	struct bytes b = {}, entry = {};
	size_t at_attrs, room = 1000000;
	struct seen seen;

	make_file(&b);
	bytes_add(&entry, b.data + 112, PERF_ATTR_SIZE_VER5);
	put(&entry, 104, 8);
	put(&entry, room, 8);
	at_attrs = b.size;
	for (int i = 0; i < 20000; i++)
		bytes_add(&b, entry.data, entry.size);
	for (int i = 0; i < 8; i++) {
		b.data[24 + i] = (uint64_t)at_attrs >> (8 * i);
		b.data[32 + i] = (uint64_t)(20000 * entry.size) >> (8 * i);
	}
	seen = read_all(&b);
	EXPECT_TRUE(strstr(seen.error, "more identifiers than") != NULL);
	bytes_fini(&entry);
	bytes_fini(&b);
}

static void put_feature(struct bytes *b, uint64_t feature, const char *text)
{
	struct bytes body = {};

	put(&body, feature, 8);
	put(&body, strlen(text) + 1, 4);
	bytes_add(&body, text, strlen(text) + 1);
	put_record(b, PMSCOPE_RECORD_HEADER_FEATURE, 0, &body);
	bytes_fini(&body);
}

TEST(features_of_a_pipe)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	struct bytes b = {};

	perfdata_begin_pipe(&b);
	put_feature(&b, PMSCOPE_FEATURE_ARCH, "aarch64");
	put_feature(&b, PMSCOPE_FEATURE_HOSTNAME, "board");
	put_feature(&b, UINT64_MAX, "none");
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	while (pmscope_perfdata_next(reader, &event) > 0)
		;
	EXPECT_STREQ(pmscope_perfdata_error(reader), "");
	EXPECT_STREQ(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_ARCH),
		     "aarch64");
	EXPECT_STREQ(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_HOSTNAME),
		     "board");
	EXPECT_TRUE(!pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_CPUID));
	pmscope_perfdata_free(reader);
	bytes_fini(&b);
}

/* For tracepoints: after the record, not in it, like a trace. */
TEST(tracing_data_of_a_pipe)
{
	struct bytes b = {}, body = {};
	struct seen seen;

	perfdata_begin_pipe(&b);
	put(&body, 4096, 4);
	put(&body, 0, 4);
	put_record(&b, PMSCOPE_RECORD_TRACING_DATA, 0, &body);
	for (int i = 0; i < 4096; i++)
		put(&b, i == 6, 1);
	put_records(&b);
	seen = read_all(&b);
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.comms, 2U);
	EXPECT_EQ(seen.payload, 4096U + 100);
	cut_everywhere(&b);
	bytes_fini(&body);
	bytes_fini(&b);
	perfdata_begin_pipe(&b);
	put_record(&b, PMSCOPE_RECORD_TRACING_DATA, 0, &body);
	put_records(&b);
	seen = read_all(&b);
	EXPECT_TRUE(strstr(seen.error, "TRACING_DATA record of 8 ") != NULL);
	bytes_fini(&b);
}

/* An invalid event affects only its own records. */
TEST(records_behind_a_damaged_event)
{
	struct bytes b = {}, body = {};
	struct seen seen;

	perfdata_begin_pipe(&b);
	put(&body, 10, 4);
	put(&body, 4096, 4); /* its size */
	put_zeros(&body, 56);
	put_record(&b, PMSCOPE_RECORD_HEADER_ATTR, 0, &body);
	body.size = 32;
	put_record(&b, PMSCOPE_RECORD_HEADER_ATTR, 0, &body);
	put_records(&b);
	seen = read_all(&b);
	EXPECT_TRUE(strstr(seen.error,
			   "event of 4096 bytes in an attribute of 64") !=
		    NULL);
	EXPECT_EQ(seen.comms, 2U);
	EXPECT_EQ(seen.payload, 100U);
	bytes_fini(&body);
	bytes_fini(&b);
}

/* perf inject makes such records, with times, from files of JITs. */
TEST(an_identifier_of_0_is_of_the_first_event)
{
	struct pmscope_perfdata *reader;
	struct bytes b = {}, attr = {};
	struct pmscope_perf_event event;
	unsigned int found = 0;

	perfdata_begin_pipe(&b);
	put(&attr, 1, 4);
	put(&attr, PERF_ATTR_SIZE_VER0, 4);
	put_zeros(&attr, 56);
	put(&attr, 2 * PERFDATA_ID, 8);
	put_record(&b, PMSCOPE_RECORD_HEADER_ATTR, 0, &attr);
	put_comm(&b, 0, "name", &(struct where){7, 8, 55, 0});
	b.size -= 8;
	put(&b, 0, 8);
	EXPECT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	while (pmscope_perfdata_next(reader, &event) > 0)
		found += event.type == PERF_RECORD_COMM &&
			 event.id.has & PERF_SAMPLE_TIME &&
			 event.id.time == 55 && event.id.tid == 8;
	EXPECT_EQ(found, 1U);
	pmscope_perfdata_free(reader);
	bytes_fini(&attr);
	bytes_fini(&b);
}

/* A missing name is not "". */
TEST(event_with_an_empty_name)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	struct bytes b = {}, body = {};

	put(&body, 2, 8);
	put(&body, PERFDATA_ID, 8);
	put(&body, 0, 8);
	perfdata_begin_pipe(&b);
	put_record(&b, PMSCOPE_RECORD_EVENT_UPDATE, 0, &body);
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	while (pmscope_perfdata_next(reader, &event) > 0)
		;
	ASSERT_EQ(pmscope_perfdata_nr_attrs(reader), 1U);
	EXPECT_TRUE(!pmscope_perfdata_attr(reader, 0)->name);
	pmscope_perfdata_free(reader);
	bytes_fini(&body);
	bytes_fini(&b);
}

/* Each count of each group is printed with its name. */
TEST(an_event_with_a_name_of_a_whole_record)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	char name[60000] = {};
	struct bytes b = {};

	memset(name, 'e', sizeof(name) - 1);
	perfdata_begin_pipe(&b);
	put_event_name(&b, PERFDATA_ID, name);
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	while (pmscope_perfdata_next(reader, &event) > 0)
		;
	ASSERT_TRUE(pmscope_perfdata_attr(reader, 0)->name != NULL);
	EXPECT_EQ(strlen(pmscope_perfdata_attr(reader, 0)->name), 1023U);
	pmscope_perfdata_free(reader);
	bytes_fini(&b);
}

/* Such records also exist for its unit, scale and CPUs. */
TEST(only_an_update_of_the_name_names_an_event)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	struct bytes b = {};

	perfdata_begin_pipe(&b);
	for (uint64_t kind = 0; kind < 4; kind++) {
		struct bytes body = {};

		put(&body, kind, 8);
		put(&body, PERFDATA_ID, 8);
		put(&body, 'a' + kind, 8);
		put_record(&b, PMSCOPE_RECORD_EVENT_UPDATE, 0, &body);
		bytes_fini(&body);
	}
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	while (pmscope_perfdata_next(reader, &event) > 0)
		;
	EXPECT_STREQ(pmscope_perfdata_attr(reader, 0)->name ?: "", "c");
	pmscope_perfdata_free(reader);
	bytes_fini(&b);
}

/* The name recorded for @id belongs to event @named of @nr only. */
static void expect_named(uint64_t id, size_t nr, size_t named)
{
	const struct perf_event_attr attr = {.size = PERF_ATTR_SIZE_VER0};
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	struct bytes b = {}, body = {};

	perfdata_begin_pipe(&b);
	bytes_add(&body, &attr, attr.size);
	put(&body, 2 * PERFDATA_ID, 8);
	if (nr > 1)
		put_record(&b, PMSCOPE_RECORD_HEADER_ATTR, 0, &body);
	put_event_name(&b, id, "name");
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	while (pmscope_perfdata_next(reader, &event) > 0)
		;
	ASSERT_EQ(pmscope_perfdata_nr_attrs(reader), nr);
	for (size_t i = 0; i < nr; i++)
		EXPECT_STREQ(pmscope_perfdata_attr(reader, i)->name ?: "",
			     i == named ? "name" : "");
	pmscope_perfdata_free(reader);
	bytes_fini(&body);
	bytes_fini(&b);
}

/* As in perf, which has no other id for events without one. */
TEST(an_update_of_id_0_names_the_first_event_and_any_one_alone)
{
	expect_named(0, 1, 0);
	expect_named(3 * PERFDATA_ID, 1, 0);
	expect_named(0, 2, 0);
	expect_named(PERFDATA_ID, 2, 0);
	expect_named(2 * PERFDATA_ID, 2, 1);
	expect_named(3 * PERFDATA_ID, 2, 2); /* none */
}

TEST(looks_like_perf_data)
{
	EXPECT_TRUE(pmscope_perfdata_is((const uint8_t *)"PERFILE2xx", 10));
	EXPECT_TRUE(pmscope_perfdata_is((const uint8_t *)"PERF", 4));
	EXPECT_FALSE(pmscope_perfdata_is((const uint8_t *)"PERX", 4));
	EXPECT_FALSE(pmscope_perfdata_is(NULL, 0));
}

KTAP_MAIN
