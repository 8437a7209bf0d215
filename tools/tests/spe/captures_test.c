// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces of real hardware, compared with other decoders. They are not part of
 * the sources: PMSCOPE_CAPTURES names their directory.
 */
#include "ktap.h"

#include <pmscope/input.h>
#include <pmscope/packet.h>
#include <pmscope/perfdata.h>
#include <pmscope/record.h>

#define NEXT_TO_THE_SOURCES "/../../../shared/captures"

static const char *captures(void)
{
	const char *given = getenv("PMSCOPE_CAPTURES");
	static char path[4096];

	if (given)
		return given;
	snprintf(path, sizeof(path), "%s%s", PMSCOPE_TESTS,
		 NEXT_TO_THE_SOURCES);
	return access(path, R_OK) ? NULL : path;
}

static struct pmscope_input *open_capture(const char *name)
{
	struct pmscope_input *input;
	char path[8192];

	snprintf(path, sizeof(path), "%s/%s", captures(), name);
	pmscope_input_open(path, &input);
	return input;
}

static int compare_line(const struct pmscope_input *trace, size_t at,
			const char *expected, size_t expected_length)
{
	const uint8_t *data = pmscope_input_data(trace);
	size_t size = pmscope_input_size(trace), length;
	char line[PMSCOPE_PACKET_LINE_MAX + 1], wanted[512] = "";
	int ret;

	ret = pmscope_packet_line(data + at, size - at, at, 0, line, &length);
	line[length] = '\0';
	if (expected_length < sizeof(wanted))
		memcpy(wanted, expected, expected_length);
	EXPECT_STREQ(line, wanted);
	return ret > 0 ? ret : 1;
}

/* @dump: what perf report -D printed for @name. */
static void compare_dump(const char *name, const char *dump)
{
	struct pmscope_input *trace = open_capture(name);
	struct pmscope_input *text = open_capture(dump);
	const char *line, *end;
	size_t at = 0;

	ASSERT_TRUE(trace && text);
	line = (const char *)pmscope_input_data(text);
	end = line + pmscope_input_size(text);
	while (line < end) {
		const char *next = memchr(line, '\n', end - line);

		next = next ? next + 1 : end;
		ASSERT_LT(at, pmscope_input_size(trace));
		at += compare_line(trace, at, line, next - line);
		line = next;
	}
	EXPECT_EQ(at, pmscope_input_size(trace));
	pmscope_input_free(trace);
	pmscope_input_free(text);
}

TEST(branches_with_and_without_timestamp)
{
	if (!captures())
		SKIP("no captures: set PMSCOPE_CAPTURES");
	compare_dump("arm-spe-parser/spe-b1-ts0.data",
		     "arm-spe-parser/spe-b1-ts0.perf61-D.txt");
	compare_dump("arm-spe-parser/spe-b1-ts1.data",
		     "arm-spe-parser/spe-b1-ts1.perf61-D.txt");
}

TEST(kunpeng_branch_misses)
{
	if (!captures())
		SKIP("no captures: set PMSCOPE_CAPTURES");
	compare_dump("lkml/yangjihong-2021-06-26.bin",
		     "lkml/yangjihong-2021-06-26.perf61-D.txt");
}

static size_t parse_hex(const char *hex, uint8_t *bytes)
{
	size_t n = 0;
	char *end;

	for (; *hex && *hex != '\t'; hex = end + (*end == ' '))
		bytes[n++] = strtoul(hex, &end, 16);
	return n;
}

/* A line of packets.tsv: bytes, a tab, the words. */
static void compare_vector(char *line)
{
	char *words = strchr(line, '\t'), text[PMSCOPE_PACKET_TEXT_MAX];
	struct pmscope_packet packet;
	uint8_t bytes[32];
	size_t size;

	ASSERT_TRUE(words);
	words[strcspn(words, "\n")] = '\0';
	size = parse_hex(line, bytes);
	ASSERT_EQ(pmscope_packet_decode(bytes, size, 0, &packet), (int)size);
	pmscope_packet_text(&packet, 0, text);
	EXPECT_STREQ(text, words + 1);
}

TEST(packet_vectors)
{
	char path[8192], line[512];
	unsigned int vectors = 0;
	FILE *file;

	if (!captures())
		SKIP("no captures: set PMSCOPE_CAPTURES");
	snprintf(path, sizeof(path), "%s/arm-spe-parser/packets.tsv",
		 captures());
	file = fopen(path, "r");
	ASSERT_TRUE(file);
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		compare_vector(line);
		vectors++;
	}
	fclose(file);
	EXPECT_EQ(vectors, 20U);
}

TEST(records_of_kunpeng)
{
	struct pmscope_decode_stats stats = {};
	struct pmscope_input *trace;
	struct pmscope_batch *batch;

	if (!captures())
		SKIP("no captures: set PMSCOPE_CAPTURES");
	batch = pmscope_batch_new(64);
	ASSERT_TRUE(batch);
	trace = open_capture("lkml/yangjihong-2021-06-26.bin");
	ASSERT_TRUE(trace);
	pmscope_decode(pmscope_input_data(trace), pmscope_input_size(trace), 0,
		       PMSCOPE_DECODE_LAST, batch, &stats);
	ASSERT_EQ(batch->count, 16U);
	EXPECT_EQ(pmscope_code_address(batch->pc[0]), 0xffffb7ee29f38200);
	EXPECT_EQ(pmscope_code_address(batch->pc[6]), 0x0000fffd6cfd8c2cU);
	EXPECT_EQ(batch->timestamp[15], 7969191809760U);
	EXPECT_EQ(stats.bad_bytes + stats.cut_bytes, 0U);
	pmscope_input_free(trace);
	pmscope_batch_free(batch);
}

#define NR_TYPES 96

static void count_types(const char *name, unsigned int *counts)
{
	struct pmscope_perfdata *reader = NULL;
	struct pmscope_perf_event event;
	struct pmscope_input *input;

	memset(counts, 0, NR_TYPES * sizeof(*counts));
	input = open_capture(name);
	ASSERT_TRUE(input);
	ASSERT_EQ(pmscope_perfdata_open(pmscope_input_data(input),
					pmscope_input_size(input), &reader),
		  0);
	while (pmscope_perfdata_next(reader, &event) > 0)
		if (event.type < NR_TYPES)
			counts[event.type]++;
	EXPECT_STREQ(pmscope_perfdata_error(reader), "");
	EXPECT_STREQ(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_ARCH),
		     "x86_64");
	pmscope_perfdata_free(reader);
	pmscope_input_free(input);
}

/* Counts as perf report -D has them. */
TEST(container_of_an_aux_recording)
{
	unsigned int counts[NR_TYPES];

	if (!captures())
		SKIP("no captures: set PMSCOPE_CAPTURES");
	count_types("perf-container/quipper-perf.data.intel_pt-4.14", counts);
	EXPECT_EQ(counts[PERF_RECORD_MMAP], 56U);
	EXPECT_EQ(counts[PERF_RECORD_MMAP2], 10U);
	EXPECT_EQ(counts[PERF_RECORD_COMM], 3U);
	EXPECT_EQ(counts[PERF_RECORD_EXIT], 1U);
	EXPECT_EQ(counts[PERF_RECORD_SAMPLE], 15U);
	EXPECT_EQ(counts[PERF_RECORD_AUX], 10U);
	EXPECT_EQ(counts[PERF_RECORD_ITRACE_START], 2U);
	EXPECT_EQ(counts[PERF_RECORD_SWITCH_CPU_WIDE], 152U);
	EXPECT_EQ(counts[PMSCOPE_RECORD_AUXTRACE], 2U);
	EXPECT_EQ(counts[PMSCOPE_RECORD_TIME_CONV], 1U);
}

/* The same recording as written, and in COMPRESSED2 records. */
TEST(container_compressed_and_not)
{
	unsigned int plain[NR_TYPES], packed[NR_TYPES];

	if (!captures())
		SKIP("no captures: set PMSCOPE_CAPTURES");
	count_types("perf-container/mstange-sleep.data", plain);
	count_types("perf-container/mstange-sleep.compressed2.data", packed);
	EXPECT_EQ(packed[PERF_RECORD_SAMPLE], 7U);
	for (unsigned int type = 0; type < NR_TYPES; type++)
		EXPECT_EQ(plain[type], packed[type]);
}
