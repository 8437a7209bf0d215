// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Very many of one thing in a file of a few megabytes. If reading were
 * quadratic, a test here would take minutes.
 */
#include "happening.h"
#include "ktap.h"
#include "memory.h"

#include <time.h>

#define MANY 100000

TEST(areas_of_one_cpu_with_the_same_breaks)
{
	struct bytes b = {}, trace = {};
	const struct where where = at(1, 10, 10);
	struct pmscope_recording *r;
	struct pmscope_sample s;

	put_load(&trace, 0x5000, 0x9000, 10);
	begin(&b);
	perfdata_use_clockid(&b, CLOCK_MONOTONIC);
	for (uint32_t i = 0; i < 4 * MANY; i++)
		put_aux(&b, 0, PERF_AUX_FLAG_PARTIAL, &where);
	for (uint32_t i = 0; i < MANY; i++)
		put_auxtrace(&b, i, 0, NO_TID, &trace);
	r = open_bytes(&b);
	for (uint32_t i = 0; i < MANY; i++)
		expect_next(r, &s, 10);
	EXPECT_EQ(pmscope_recording_losses(r)->partial, 4U * MANY);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* The rows of each, with their batch, may be kept until they are printed. */
TEST(short_traces_have_small_batches_ahead)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options), .ahead = 1};
	struct bytes b = {}, trace = {};
	struct pmscope_recording *r;
	struct pmscope_run run;
	size_t ahead = 0, rows = 0;

	put_load(&trace, 0x5000, 0x9000, 10);
	begin(&b);
	for (uint32_t i = 0; i < 1000; i++)
		put_auxtrace(&b, 0, 0, NO_TID, &trace);
	perfdata_end(&b);
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, &options, &r), 0);
	while (pmscope_recording_next_run(r, true, &run) > 0) {
		rows += run.end - run.first;
		EXPECT_LE(run.batch->capacity, 256U);
		ahead += pmscope_recording_ahead(r);
	}
	EXPECT_EQ(rows, 1000U);
	EXPECT_GT(ahead, 900 * trace.size);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* The first rows of each area wait until the earliest is known. */
TEST(areas_with_few_rows_have_little_memory)
{
	struct bytes b = {}, trace = {};
	size_t before = memory_in_use();
	struct pmscope_recording *r;
	struct pmscope_sample s;

	put_load(&trace, 0x5000, 0x9000, 10);
	begin(&b);
	for (uint32_t i = 0; i < MANY; i++)
		put_auxtrace(&b, i, 0, NO_TID, &trace);
	r = open_bytes(&b);
	expect_next(r, &s, 10);
	before += b.capacity;
	EXPECT_LT(memory_in_use(), before + MANY * 1600U);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* A record that does not end, and then nothing of its area, again and again. */
TEST(empty_traces_behind_a_torn_record)
{
	struct bytes b = {}, trace = {}, nothing = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	put_load(&trace, 0x5000, 0x9000, 10);
	trace.size--;
	begin(&b);
	put_auxtrace_at(&b, 0, 0, 0, NO_TID, &trace);
	for (uint32_t i = 0; i < 8 * MANY; i++)
		put_auxtrace_at(&b, trace.size, 0, 0, NO_TID, &nothing);
	put(&nothing, 0, 1); /* the last byte of its time */
	put_auxtrace_at(&b, trace.size, 0, 0, NO_TID, &nothing);
	r = open_bytes(&b);
	expect_next(r, &s, 10);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	pmscope_recording_free(r);
	bytes_fini(&nothing);
	bytes_fini(&trace);
	bytes_fini(&b);
}

KTAP_MAIN
