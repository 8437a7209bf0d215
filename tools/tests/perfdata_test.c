// SPDX-License-Identifier: GPL-2.0-or-later
/* The container: file and pipe, compressed or not, whole or damaged. */
#include "bytes.h"
#include "fake_sysfs.h"
#include "ktap.h"
#include "random.h"

#include <pmscope/input.h>
#include <pmscope/perfdata.h>

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

static const struct where here = {.pid = 7, .tid = 8, .time = 99, .cpu = 3};

/* COMM, AUXTRACE with 100 bytes, COMM. */
static void put_records(struct bytes *b)
{
	struct bytes trace = {};

	put_zeros(&trace, 100);
	put_comm(b, 0, "first", &here);
	put_auxtrace(b, 1, 3, 8, &trace);
	put_comm(b, 0, "second", &here);
	bytes_fini(&trace);
}

static void make_file(struct bytes *b)
{
	perfdata_begin(b);
	put_records(b);
	perfdata_end(b);
}

static void make_pipe(struct bytes *b)
{
	perfdata_begin_pipe(b);
	put_records(b);
}

/* Records read, by kind. */
struct seen {
	unsigned int comms;
	unsigned int auxtraces;
	unsigned int others;
	size_t payload;
	unsigned int sum; /* of all bytes: every one must be readable */
	char error[160];
};

static struct seen read_all(const struct bytes *b)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	struct seen seen = {};

	pmscope_perfdata_open(b->data, b->size, &reader);
	while (pmscope_perfdata_next(reader, &event) > 0) {
		if (event.type == PERF_RECORD_COMM)
			seen.comms++;
		else if (event.type == PMSCOPE_RECORD_AUXTRACE)
			seen.auxtraces++;
		else
			seen.others++;
		seen.payload += event.payload_size;
		for (size_t i = 0; i < event.size; i++)
			seen.sum += event.body[i];
		for (size_t i = 0; i < event.payload_size; i++)
			seen.sum += event.payload[i];
	}
	EXPECT_EQ(pmscope_perfdata_next(reader, &event), 0);
	strcpy(seen.error, pmscope_perfdata_error(reader));
	pmscope_perfdata_free(reader);
	return seen;
}

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

/* Cut anywhere: whole records before the cut, one error with its offset. */
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

		/* A file tells its size: no cut goes unnoticed. */
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
	expect_open_error("PERFILE2", 8,
			  "offset 0x8: cut short inside the header");
	expect_open_error("2ELIFREP\0\0\0\0\0\0\0\x10", 16,
			  "offset 0x0: recorded on a big-endian machine; only "
			  "little-endian recordings are read");
	expect_open_error(
		"PERFILE2\x11\0\0\0\0\0\0\0", 16,
		"offset 0x8: header of 17 bytes: not a form of perf.data");
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

static void check_compressed(uint32_t type, size_t piece)
{
	struct bytes b = {}, plain = {};
	struct seen seen;
	char name[16];

	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "thread-%d", i * 7919);
		put_comm(&plain, 0, name, &here);
	}
	perfdata_begin(&b);
	put_compressed(&b, &plain, type, piece);
	perfdata_end(&b);
	seen = read_all(&b);
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.comms, 500U);
	bytes_fini(&plain);
	bytes_fini(&b);
}

/* Records span the pieces, down to pieces of one byte. */
TEST(compressed_records)
{
	check_compressed(PMSCOPE_RECORD_COMPRESSED, 30000);
	check_compressed(PMSCOPE_RECORD_COMPRESSED, 100);
	check_compressed(PMSCOPE_RECORD_COMPRESSED, 1);
	check_compressed(PMSCOPE_RECORD_COMPRESSED2, 30000);
	check_compressed(PMSCOPE_RECORD_COMPRESSED2, 13);
}

TEST(compressed_record_that_is_cut)
{
	struct bytes b = {}, plain = {};
	struct seen seen;

	put_comm(&plain, 0, "whole", &here);
	put_comm(&plain, 0, "cut", &here);
	plain.size -= 4;
	perfdata_begin(&b);
	put_compressed(&b, &plain, PMSCOPE_RECORD_COMPRESSED, 30000);
	perfdata_end(&b);
	seen = read_all(&b);
	EXPECT_EQ(seen.comms, 1U);
	EXPECT_TRUE(strstr(seen.error, "compressed") != NULL);
	bytes_fini(&plain);
	bytes_fini(&b);
}

/* A few KiB that would give a GiB of zeros. */
/* A stream that is flushed, not ended: as perf leaves it. */
static void put_flushed(struct bytes *b, const char *comm)
{
	ZSTD_CCtx *stream = ZSTD_createCCtx();
	struct bytes plain = {}, body = {};
	uint8_t packed[1000];
	ZSTD_outBuffer to = {packed, sizeof(packed), 0};
	ZSTD_inBuffer from;

	put_comm(&plain, 0, comm, &here);
	from = (ZSTD_inBuffer){plain.data, plain.size, 0};
	EXPECT_EQ(ZSTD_compressStream2(stream, &to, &from, ZSTD_e_flush), 0U);
	put(&body, to.pos, 8);
	bytes_add(&body, packed, to.pos);
	put_zeros(&body, -body.size & 7);
	put_record(b, PMSCOPE_RECORD_COMPRESSED2, 0, &body);
	ZSTD_freeCCtx(stream);
	bytes_fini(&plain);
	bytes_fini(&body);
}

static void put_file(const char *dir, const char *name, const struct bytes *b)
{
	fake_sysfs_file(dir, name, b->data, b->size);
}

/*
 * What perf record --threads leaves: its threads have a file of records each,
 * with zstd a stream of each. The features are behind all of them.
 */
static void make_directory(const char *dir)
{
	struct bytes b = {}, features = {};
	const uint64_t flag = 1 << PMSCOPE_FEATURE_HOSTNAME;

	make_file(&b);
	memcpy(b.data + 72, &flag, sizeof(flag));
	put(&features, b.size + 16, 8);
	put(&features, 4 + 8, 8);
	put(&features, 8, 4);
	bytes_add(&features, "a-host\0", 8);
	bytes_add(&b, features.data, features.size);
	put_file(dir, "data", &b);
	bytes_fini(&features);
	bytes_fini(&b);
	put_flushed(&b, "third");
	put_file(dir, "data.0", &b);
	b.size = 0;
	put_file(dir, "data.1", &b);
	put_flushed(&b, "fourth");
	put_comm(&b, 0, "fifth", &here);
	put_file(dir, "data.2", &b);
	bytes_fini(&b);
}

TEST(directory_of_several_threads_of_perf)
{
	struct pmscope_perfdata *reader;
	struct pmscope_input *input;
	char dir[FAKE_SYSFS_PATH];
	struct seen seen;
	struct bytes b;

	fake_sysfs_make(dir);
	make_directory(dir);
	input = pmscope_input_open(dir);
	ASSERT_TRUE(input);
	b = (struct bytes){(uint8_t *)pmscope_input_data(input),
			   pmscope_input_size(input), 0};
	seen = read_all(&b);
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.comms, 5U);
	EXPECT_EQ(seen.auxtraces, 1U);
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	EXPECT_STREQ(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_HOSTNAME),
		     "a-host");
	pmscope_perfdata_free(reader);
	pmscope_input_free(input);
	fake_sysfs_remove(dir);
}

/* Whatever is in it: no recording, or one that is damaged. */
TEST(directories_that_are_none)
{
	char dir[FAKE_SYSFS_PATH];
	struct bytes b = {};

	fake_sysfs_make(dir);
	EXPECT_TRUE(!pmscope_input_open(dir));
	EXPECT_EQ(errno, EISDIR);
	fake_sysfs_text(dir, "data", "PERFILE2");
	EXPECT_TRUE(!pmscope_input_open(dir));
	EXPECT_EQ(errno, EISDIR);
	make_file(&b);
	b.data[8]++;
	put_file(dir, "data", &b);
	EXPECT_TRUE(!pmscope_input_open(dir));
	EXPECT_EQ(errno, EISDIR);
	fake_sysfs_remove(dir);
	bytes_fini(&b);
}

/* Each field of the header as large as it goes. */
TEST(directory_that_lies)
{
	struct bytes b = {};

	make_file(&b);
	for (size_t at = 16; at < 104; at += 8) {
		char dir[FAKE_SYSFS_PATH];
		struct pmscope_input *input;
		uint64_t kept;

		memcpy(&kept, b.data + at, 8);
		memset(b.data + at, 0xff, 8);
		fake_sysfs_make(dir);
		put_file(dir, "data", &b);
		put_file(dir, "data.0", &b);
		input = pmscope_input_open(dir);
		ASSERT_TRUE(input);
		read_all(&(struct bytes){(uint8_t *)pmscope_input_data(input),
					 pmscope_input_size(input), 0});
		pmscope_input_free(input);
		fake_sysfs_remove(dir);
		memcpy(b.data + at, &kept, 8);
	}
	bytes_fini(&b);
}

TEST(compressed_bomb_is_bounded)
{
	size_t size = (size_t)1 << 28;
	struct bytes b = {}, plain = {};
	struct seen seen;

	plain.data = calloc(1, size);
	plain.size = size;
	ASSERT_TRUE(plain.data);
	perfdata_begin(&b);
	put_compressed(&b, &plain, PMSCOPE_RECORD_COMPRESSED, 60000);
	perfdata_end(&b);
	seen = read_all(&b);
	EXPECT_TRUE(strstr(seen.error, "gives more than") != NULL);
	bytes_fini(&plain);
	bytes_fini(&b);
}

/* Small records that each give a little: the sum of many is bounded, too. */
TEST(compressed_bomb_in_pieces)
{
	size_t size = (size_t)8 << 20;
	struct bytes b = {}, plain = {};
	struct seen seen;

	plain.data = calloc(1, size);
	plain.size = size;
	ASSERT_TRUE(plain.data);
	/* Records of 8 bytes, so that nothing is wrong with them. */
	for (size_t at = 0; at < size; at += 8)
		plain.data[at + 6] = 8;
	perfdata_begin(&b);
	for (int i = 0; i < 64; i++)
		put_compressed(&b, &plain, PMSCOPE_RECORD_COMPRESSED, 60000);
	perfdata_end(&b);
	seen = read_all(&b);
	EXPECT_TRUE(strstr(seen.error, "times their size") != NULL);
	EXPECT_LE(seen.others, (unsigned int)(272 << 20) / 8);
	bytes_fini(&plain);
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

TEST(compressed_garbage)
{
	struct bytes b = {}, body = {};
	struct seen seen;

	put(&body, 0x0123456789abcdef, 8);
	put(&body, 0xfedcba9876543210, 8);
	perfdata_begin(&b);
	put_comm(&b, 0, "before", &here);
	put_record(&b, PMSCOPE_RECORD_COMPRESSED, 0, &body);
	perfdata_end(&b);
	seen = read_all(&b);
	EXPECT_EQ(seen.comms, 1U);
	EXPECT_TRUE(strstr(seen.error, "compressed record") != NULL);
	bytes_fini(&body);
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

TEST(looks_like_perf_data)
{
	EXPECT_TRUE(pmscope_perfdata_is((const uint8_t *)"PERFILE2xx", 10));
	EXPECT_TRUE(pmscope_perfdata_is((const uint8_t *)"PERF", 4));
	EXPECT_FALSE(pmscope_perfdata_is((const uint8_t *)"PERX", 4));
	EXPECT_FALSE(pmscope_perfdata_is(NULL, 0));
}

KTAP_MAIN
