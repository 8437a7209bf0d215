// SPDX-License-Identifier: GPL-2.0-or-later
/* Trace that the records of a recording tell of, and that is not in it. */
#include "command.h"
#include "happening.h"
#include "ktap.h"

#include <string.h>

/* What AUX records and traces say of an area: from @begin on, bytes. */
struct part {
	uint64_t begin;
	uint64_t size;
	uint32_t cpu; /* that the record was written on */
	uint32_t tid;
};

static void put_told(struct bytes *b, const struct part *part, uint64_t flags)
{
	const struct where where = {part->tid, part->tid, 5, part->cpu};

	put_aux_at(b, part->begin, part->size, flags, &where);
}

/* Of a CPU's area without a thread, or of a thread's without a CPU. */
static void put_traced(struct bytes *b, const struct part *part, uint32_t index)
{
	struct bytes trace = {};

	while (trace.size < part->size)
		put_load(&trace, 0x5000, 0x9000, 10 + trace.size);
	put_auxtrace_at(b, part->begin, index, part->cpu, part->tid, &trace);
	bytes_fini(&trace);
}

/* A recording: all that is told of areas, and the trace of one. */
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

/* An area of which 256 bytes are told, and its trace up to @traced of them. */
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
	/* The driver goes on while perf reads. */
	EXPECT_EQ(missing_behind(320, 0), 0U);
}

/* perf record -S: an offset is where a snapshot ends. */
TEST(of_a_ring_nothing_is_missing)
{
	EXPECT_EQ(missing_behind(64, PERF_AUX_FLAG_OVERWRITE), 0U);
}

/* That it is cut is told, and where. */
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

/* perf read the records first, and the trace with more in it the next time. */
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

/* perf record --per-thread -p, of threads that move from CPU to CPU. */
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

/* Of CPU 1 all is told from @begin on, and nothing is in the file. */
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
	/* perf record --switch-output had put it into the file before. */
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

/* Damaged: what it tells of would end before it begins. */
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
