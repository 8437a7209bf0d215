// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings that the writer compresses: records, and whole files. */
#include "container.h"
#include "ktap.h"
#include "writing.h"

#include <pmscope/input.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACE "0123456789abcdefghij"

/* Of many sizes, with bytes that do not shrink. */
static void put_some(struct bytes *b, unsigned int nr)
{
	char name[16];

	for (unsigned int i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%x", i * 2654435761U);
		put_comm(b, 0, name, &here);
	}
}

static const struct perf_event_header round_end = {
	.type = PMSCOPE_RECORD_FINISHED_ROUND,
	.size = sizeof(round_end),
};

static const struct pmscope_written_trace trace = {
	.tid = -1,
	.cpu = 1,
	.data = {TRACE},
	.part_size = {sizeof(TRACE) - 1},
};

/* Two rounds of @nr records each, and trace after the first. */
static void write_rounds(struct pmscope_writer *w, unsigned int nr)
{
	struct pmscope_written_spe spe = {.size = sizeof(spe), .pmu_type = 21};
	struct bytes records = {};

	put_some(&records, nr);
	ASSERT_EQ(writing_begin(w), 0);
	EXPECT_EQ(pmscope_writer_spe(w, &spe), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(pmscope_writer_records(w, records.data, records.size),
			  0);
		if (!i)
			EXPECT_EQ(pmscope_writer_trace(w, &trace), 0);
		EXPECT_EQ(pmscope_writer_records(w, &round_end,
						 sizeof(round_end)),
			  0);
	}
	bytes_fini(&records);
}

static struct seen read_file(const char *path)
{
	struct pmscope_input *input = pmscope_input_open(path);
	struct bytes b = {};
	struct seen seen = {};

	EXPECT_TRUE(input);
	if (!input)
		return seen;
	EXPECT_STREQ(pmscope_input_error(input), "");
	bytes_add(&b, pmscope_input_data(input), pmscope_input_size(input));
	seen = read_all(&b);
	bytes_fini(&b);
	pmscope_input_free(input);
	return seen;
}

/* @level 0: not compressed. Returns the size of the file. */
static size_t check(unsigned int nr, enum pmscope_compression what, int level,
		    bool finish)
{
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH];
	struct pmscope_writer *w = writing_open(dir, path);
	struct stat st = {};
	struct seen seen;

	if (level)
		EXPECT_EQ(pmscope_writer_compress(w, what, level), 0);
	write_rounds(w, nr);
	if (finish)
		EXPECT_EQ(pmscope_writer_finish(w), 0);
	EXPECT_STREQ(pmscope_writer_error(w), "");
	EXPECT_EQ(stat(path, &st), 0);
	EXPECT_EQ(pmscope_writer_size(w), (uint64_t)st.st_size);
	seen = read_file(path);
	EXPECT_EQ(seen.comms, 2 * nr);
	EXPECT_EQ(seen.auxtraces, 1U);
	EXPECT_EQ(seen.payload, 24U);
	EXPECT_EQ(*seen.error == '\0', finish);
	pmscope_writer_free(w);
	fake_sysfs_remove(dir);
	return st.st_size;
}

TEST(records_are_compressed)
{
	size_t plain = check(5000, PMSCOPE_COMPRESS_RECORDS, 0, true);

	EXPECT_LE(check(5000, PMSCOPE_COMPRESS_RECORDS, 1, true), plain / 3);
	EXPECT_LE(check(5000, PMSCOPE_COMPRESS_FILE, 1, true), plain / 3);
	for (unsigned int nr = 0; nr < 12; nr++) {
		check(nr, PMSCOPE_COMPRESS_RECORDS, 1 + nr / 3, true);
		check(nr, PMSCOPE_COMPRESS_FILE, 1 + nr / 3, true);
	}
}

/* What was written up to the last round is there. */
TEST(compression_without_an_end)
{
	check(3000, PMSCOPE_COMPRESS_RECORDS, 1, false);
}

/* The size of each record is a multiple of 8, as readers expect. */
TEST(compressed_records_are_aligned)
{
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH];
	struct pmscope_writer *w = writing_open(dir, path);
	struct pmscope_input *input;
	const uint8_t *data;
	size_t at, end;
	unsigned int nr = 0;

	EXPECT_EQ(pmscope_writer_compress(w, PMSCOPE_COMPRESS_RECORDS, 1), 0);
	write_rounds(w, 5000);
	input = writing_finish(w, path);
	ASSERT_TRUE(input);
	data = pmscope_input_data(input);
	memcpy(&at, data + 40, sizeof(at));
	memcpy(&end, data + 48, sizeof(end));
	for (end += at; at < end;) {
		struct perf_event_header header;

		memcpy(&header, data + at, sizeof(header));
		EXPECT_EQ(header.size % 8, 0);
		nr += header.type == PMSCOPE_RECORD_COMPRESSED;
		at += header.size;
		at += header.type == PMSCOPE_RECORD_AUXTRACE ? 24 : 0;
	}
	EXPECT_EQ(at, end);
	EXPECT_GE(nr, 4U);
	pmscope_input_free(input);
	fake_sysfs_remove(dir);
}

TEST(compression_that_is_refused)
{
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH];
	struct pmscope_writer *w = writing_open(dir, path);

	EXPECT_EQ(pmscope_writer_compress(w, PMSCOPE_COMPRESS_FILE, 0),
		  -EINVAL);
	EXPECT_EQ(pmscope_writer_compress(w, PMSCOPE_COMPRESS_FILE, 23),
		  -EINVAL);
	EXPECT_TRUE(strstr(pmscope_writer_error(w), "must be 1 to 22"));
	EXPECT_EQ(pmscope_writer_compress(w, PMSCOPE_COMPRESS_FILE, 3), 0);
	EXPECT_EQ(pmscope_writer_compress(w, PMSCOPE_COMPRESS_FILE, 3),
		  -EINVAL);
	ASSERT_EQ(writing_begin(w), 0);
	EXPECT_EQ(pmscope_writer_compress(w, PMSCOPE_COMPRESS_FILE, 3),
		  -EINVAL);
	pmscope_writer_free(w);
	fake_sysfs_remove(dir);
}
KTAP_MAIN
