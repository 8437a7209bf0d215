// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings that the writer compresses: records, and whole files. */
#include "container.h"
#include "writing.h"

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
	BYTES records = {};

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
}

static struct seen read_file(const char *path)
{
	struct pmscope_input *input;
	BYTES b = {};
	struct seen seen = {};

	EXPECT_EQ(pmscope_input_open(path, &input), 0);
	if (!input)
		return seen;
	EXPECT_STREQ(pmscope_input_error(input), "");
	bytes_add(&b, pmscope_input_data(input), pmscope_input_size(input));
	seen = read_all(&b);
	pmscope_input_free(input);
	return seen;
}

/* @level 0: not compressed. Returns the size of the file. */
static size_t check(unsigned int nr, enum pmscope_compression what, int level,
		    bool finish)
{
	WRITING(t);
	struct stat st = {};
	struct seen seen;

	if (level)
		EXPECT_EQ(pmscope_writer_compress(t.w, what, level), 0);
	write_rounds(t.w, nr);
	if (finish)
		EXPECT_EQ(pmscope_writer_finish(t.w), 0);
	EXPECT_STREQ(pmscope_writer_error(t.w), "");
	EXPECT_EQ(stat(t.path, &st), 0);
	EXPECT_EQ(pmscope_writer_size(t.w), (uint64_t)st.st_size);
	seen = read_file(t.path);
	EXPECT_EQ(seen.comms, 2 * nr);
	EXPECT_EQ(seen.auxtraces, 1U);
	EXPECT_EQ(seen.payload, 24U);
	EXPECT_EQ(*seen.error == '\0', finish);
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
CASE(compression_without_an_end,
     check(3000, PMSCOPE_COMPRESS_RECORDS, 1, false));

/* The size of each record is a multiple of 8, as readers expect. */
TEST(compressed_records_are_aligned)
{
	WRITING(t);
	const uint8_t *data;
	size_t at, end;
	unsigned int nr = 0;

	EXPECT_EQ(pmscope_writer_compress(t.w, PMSCOPE_COMPRESS_RECORDS, 1), 0);
	write_rounds(t.w, 5000);
	ASSERT_TRUE(writing_back(&t));
	data = pmscope_input_data(t.input);
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
}

TEST(compression_that_is_refused)
{
	WRITING(t);

	EXPECT_EQ(pmscope_writer_compress(t.w, PMSCOPE_COMPRESS_FILE, 0),
		  -EINVAL);
	EXPECT_EQ(pmscope_writer_compress(t.w, PMSCOPE_COMPRESS_FILE, 23),
		  -EINVAL);
	EXPECT_TRUE(strstr(pmscope_writer_error(t.w), "must be 1 to 22"));
	EXPECT_EQ(pmscope_writer_compress(t.w, PMSCOPE_COMPRESS_FILE, 3), 0);
	EXPECT_EQ(pmscope_writer_compress(t.w, PMSCOPE_COMPRESS_FILE, 3),
		  -EINVAL);
	ASSERT_EQ(writing_begin(t.w), 0);
	EXPECT_EQ(pmscope_writer_compress(t.w, PMSCOPE_COMPRESS_FILE, 3),
		  -EINVAL);
}

/* Records and trace until that fails. Returns how many records were written. */
static unsigned int write_until_full(struct pmscope_writer *w)
{
	static const char bytes[5000];
	const struct pmscope_written_trace piece = {
		.tid = -1,
		.cpu = 1,
		.data = {bytes, bytes + 1001},
		.part_size = {1001, sizeof(bytes) - 1001},
	};
	struct pmscope_written_spe spe = {.size = sizeof(spe), .pmu_type = 21};
	unsigned int done = 0;
	BYTES records = {};

	put_some(&records, 77);
	EXPECT_EQ(writing_begin(w), 0);
	EXPECT_EQ(pmscope_writer_string(w, PMSCOPE_FEATURE_HOSTNAME, "here"),
		  0);
	EXPECT_EQ(pmscope_writer_spe(w, &spe), 0);
	while (!pmscope_writer_records(w, records.data, records.size)) {
		done += 77;
		if (pmscope_writer_trace(w, &piece))
			break;
	}
	EXPECT_EQ(pmscope_writer_finish(w), -EFBIG);
	EXPECT_STREQ(pmscope_writer_error(w), strerror(EFBIG));
	return done;
}

static void check_cut(rlim_t limit, int level)
{
	struct rlimit before, now;
	WRITING(t);
	unsigned int done;
	struct seen seen;

	if (level)
		EXPECT_EQ(pmscope_writer_compress(t.w, PMSCOPE_COMPRESS_RECORDS,
						  level),
			  0);
	EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	now = (struct rlimit){limit, before.rlim_max};
	EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
	done = write_until_full(t.w);
	EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	EXPECT_LE(pmscope_writer_size(t.w), (uint64_t)limit);
	/* Each KiB has a place where it can be cut. */
	if (!level)
		EXPECT_GE(pmscope_writer_size(t.w) + 1200, (uint64_t)limit);
	pmscope_writer_free(t.w);
	t.w = NULL;
	seen = read_file(t.path);
	EXPECT_STREQ(seen.error, "");
	EXPECT_LE(seen.comms, done + 77);
	if (!level)
		EXPECT_GE(seen.comms + 20, done);
	EXPECT_EQ(pmscope_input_open(t.path, &t.input), 0);
	t.reader = writing_read(t.input);
	EXPECT_STREQ(pmscope_perfdata_feature(t.reader,
					      PMSCOPE_FEATURE_HOSTNAME),
		     "here");
}

/* Each is whole: with its features, up to a record or a part of the trace. */
TEST(a_file_that_cannot_grow_is_cut)
{
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t limit = 6000; limit < 40000; limit += 331)
		check_cut(limit, 0);
	for (rlim_t limit = 13000; limit < 40000; limit += 1331)
		check_cut(limit, 1);
}
