// SPDX-License-Identifier: GPL-2.0-or-later
/* Trace data that a recording's AUX records mention, but which is not in it. */
#include "command.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <string.h>

/* A range of an AUX area, for an AUX record or for trace data. */
struct part {
	uint64_t begin;
	uint64_t size;
	uint32_t cpu; /* where the record was written */
	uint32_t tid;
};

static void put_told(struct bytes *b, const struct part *part, uint64_t flags)
{
	const struct where where = {part->tid, part->tid, 5, part->cpu};

	put_aux_at(b, part->begin, part->size, flags, &where);
}

/* Adds trace data: of a CPU without a thread, or of a thread without a CPU. */
static void put_traced(struct bytes *b, const struct part *part, uint32_t index)
{
	struct bytes trace = {};

	while (trace.size < part->size)
		put_load(&trace, 0x5000, 0x9000, 10 + trace.size);
	put_auxtrace_at(b, part->begin, index, part->cpu, part->tid, &trace);
	bytes_fini(&trace);
}

/* Writes AUX records for @told, and trace data for @trace. */
static void put_recording(struct bytes *b, const struct part *told, size_t nr,
			  uint64_t flags, const struct part *trace)
{
	begin(b);
	for (size_t i = 0; i < nr; i++)
		put_told(b, &told[i], flags);
	put_traced(b, trace, 0);
}

static uint64_t missing_of(struct bytes *b)
{
	struct pmscope_recording *r = open_bytes(b);
	uint64_t missing = pmscope_recording_losses(r)->missing_trace;

	EXPECT_STREQ(pmscope_recording_error(r), "");
	pmscope_recording_free(r);
	bytes_fini(b);
	return missing;
}

/* Records mention 256 bytes of an area; the trace has the first @traced. */
static uint64_t missing_behind(uint64_t traced, uint64_t flags)
{
	static const struct part told[] = {{0, 192, 0, 10}, {192, 64, 0, 11}};
	const struct part trace = {0, traced, 0, NO_TID};
	struct bytes b = {};

	put_recording(&b, told, 2, flags, &trace);
	return missing_of(&b);
}

TEST(trace_behind_the_last_is_missing)
{
	EXPECT_EQ(missing_behind(64, 0), 192U);
	EXPECT_EQ(missing_behind(192, PERF_AUX_FLAG_TRUNCATED), 64U);
	EXPECT_EQ(missing_behind(256, 0), 0U);
	/* The driver goes on writing while perf reads. */
	EXPECT_EQ(missing_behind(320, 0), 0U);
}

/* perf record -S: an offset is the end of a snapshot. */
TEST(of_a_ring_nothing_is_missing)
{
	EXPECT_EQ(missing_behind(64, PERF_AUX_FLAG_OVERWRITE), 0U);
}

/* For a truncated file there is an error instead, with the position. */
TEST(of_a_file_that_is_cut_the_error_tells)
{
	static const struct part told = {0, 256, 0, 10};
	static const struct part trace = {0, 128, 0, NO_TID};
	struct pmscope_recording *r;
	struct bytes b = {};

	put_recording(&b, &told, 1, 0, &trace);
	b.size -= 64;
	r = open_bytes(&b);
	EXPECT_TRUE(*pmscope_recording_error(r));
	EXPECT_EQ(pmscope_recording_losses(r)->missing_trace, 0U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* perf may write a record before or after the trace data that it mentions. */
TEST(the_order_in_the_file_does_not_matter)
{
	static const struct part told[] = {{0, 64, 0, 10}, {64, 128, 0, 10}};
	static const struct part trace[] = {{0, 128, 0, NO_TID},
					    {128, 64, 0, NO_TID}};
	struct bytes b = {};

	begin(&b);
	put_traced(&b, &trace[0], 0);
	put_told(&b, &told[1], 0);
	put_traced(&b, &trace[1], 0);
	put_told(&b, &told[0], 0);
	EXPECT_EQ(missing_of(&b), 0U);
}

/* perf record --per-thread -p, with threads that move between CPUs. */
static uint64_t missing_of_threads(uint64_t traced)
{
	static const struct part told[] = {
		{0, 640, 0, 10}, {0, 64, 1, 11}, {64, 128, 0, 11}};
	const struct part trace[] = {{0, 640, NO_CPU, 10},
				     {0, traced, NO_CPU, 11}};
	struct bytes b = {};

	begin(&b);
	for (size_t i = 0; i < 3; i++)
		put_told(&b, &told[i], 0);
	for (size_t i = 0; i < 2; i++)
		put_traced(&b, &trace[i], i);
	return missing_of(&b);
}

TEST(areas_of_threads)
{
	EXPECT_EQ(missing_of_threads(192), 0U);
	EXPECT_EQ(missing_of_threads(128), 64U);
}

/*
 * The records of CPU 1 start at offset @begins; the file has none of its trace.
 */
static uint64_t missing_of_all(uint64_t begins)
{
	const struct part told[] = {{0, 64, 0, 10}, {begins, 128, 1, 10}};
	static const struct part trace = {0, 64, 0, NO_TID};
	struct bytes b = {};

	put_recording(&b, told, 2, 0, &trace);
	return missing_of(&b);
}

TEST(an_area_without_trace)
{
	EXPECT_EQ(missing_of_all(0), 128U);
	/* perf record --switch-output wrote the start to an earlier file. */
	EXPECT_EQ(missing_of_all(4096), 0U);
}

TEST(what_the_file_before_has_is_not_missing)
{
	static const struct part told[] = {{64, 64, 0, 10}, {128, 64, 0, 10}};
	static const struct part trace = {128, 64, 0, NO_TID};
	struct bytes b = {};

	put_recording(&b, told, 2, 0, &trace);
	EXPECT_EQ(missing_of(&b), 0U);
}

TEST(of_another_unit_nothing_is_missing)
{
	static const struct part told = {0, 640, 0, 10};
	static const struct part trace = {0, 64, 0, NO_TID};
	struct bytes b = {};

	perfdata_begin(&b);
	put_auxtrace_info(&b, 1); /* Intel PT */
	put_told(&b, &told, 0);
	put_traced(&b, &trace, 0);
	EXPECT_EQ(missing_of(&b), 0U);
}

/* A damaged record, whose end would overflow. */
TEST(an_end_behind_all_offsets_is_none)
{
	static const struct part told = {UINT64_MAX - 63, 640, 0, 10};
	static const struct part trace = {0, 64, 0, NO_TID};
	struct bytes b = {};

	put_recording(&b, &told, 1, 0, &trace);
	EXPECT_EQ(missing_of(&b), 0U);
}

TEST(script_and_report_tell)
{
	static const struct part told = {0, 704, 0, 10};
	static const struct part trace = {0, 64, 0, NO_TID};
	struct bytes b = {};
	char text[4096];

	put_recording(&b, &told, 1, 0, &trace);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, "script 2>&1 >/dev/null", text,
				       sizeof(text)),
		  0);
	EXPECT_STREQ(text, "pmscope: 640 bytes of trace missing from the "
			   "file\n");
	EXPECT_EQ(command_pmscope_text(&b, "report --format=jsonl", text,
				       sizeof(text)),
		  0);
	EXPECT_TRUE(strstr(text, "\"missing_trace\":640,"));
	bytes_fini(&b);
}

KTAP_MAIN
