// SPDX-License-Identifier: GPL-2.0-or-later
/* When records are due that come before the first of their area with a time. */
#include "happening.h"
#include "ktap.h"

/* Of two CPUs; thread 7 changes its name between their last records. */
struct two {
	struct bytes file;
	struct bytes area; /* of CPU 0, before its records with times */
	struct pmscope_recording *recording;
};

static void begin_two(struct two *two)
{
	*two = (struct two){};
	begin(&two->file);
	comm_at(&two->file, 0, "before", 10, 7, 7);
	comm_at(&two->file, 0, "behind", 150, 7, 7);
	load_at(&two->file, 1, 7, 0x5000, 50);
	load_at(&two->file, 1, 7, 0x5000, 200);
}

static void expect_named(struct two *two, uint64_t time, const char *comm)
{
	struct pmscope_sample s;

	expect_next(two->recording, &s, time);
	EXPECT_STREQ(s.comm, comm);
}

/* @nr records of CPU 0 without a time are due with the next one. */
static void expect_two(struct two *two, size_t nr)
{
	const struct pmscope_losses *losses;
	struct pmscope_sample s;

	two->recording = open_bytes(&two->file);
	losses = pmscope_recording_losses(two->recording);
	expect_named(two, 50, "before");
	for (size_t i = 0; i < nr; i++) {
		ASSERT_EQ(pmscope_recording_next(two->recording, &s), 1);
		ASSERT_EQ(s.cpu, 0U);
		ASSERT_FALSE(s.has_time);
	}
	expect_named(two, 100, "before");
	expect_named(two, 200, "behind");
	EXPECT_EQ(pmscope_recording_next(two->recording, &s), 0);
	EXPECT_EQ(losses->decode.records, nr + 3);
	EXPECT_EQ(losses->decode.cut_bytes, 0U);
	pmscope_recording_free(two->recording);
	bytes_fini(&two->area);
	bytes_fini(&two->file);
}

TEST(the_first_trace_has_no_time)
{
	struct two two;

	begin_two(&two);
	put_untimed(&two.area, 0x5000);
	put_auxtrace(&two.file, 0, 0, NO_TID, &two.area);
	load_at(&two.file, 0, 7, 0x5000, 100);
	expect_two(&two, 1);
}

TEST(many_records_are_before_the_first_time)
{
	static const size_t many[] = {255, 256, 257, 3000};

	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		struct two two;

		begin_two(&two);
		for (size_t k = 0; k < many[i]; k++)
			put_untimed(&two.area, 0x5000);
		put_load_of(&two.area, 7, 0x5000, 0x9000, 100);
		put_auxtrace(&two.file, 0, 0, NO_TID, &two.area);
		expect_two(&two, many[i]);
	}
}

/* The record with the first time is in two traces, whichever bytes. */
TEST(the_first_time_is_torn)
{
	struct bytes record = {};

	put_load_of(&record, 7, 0x5000, 0x9000, 100);
	for (size_t size = 1; size < record.size; size++) {
		struct two two;

		begin_two(&two);
		put_untimed(&two.area, 0x5000);
		put_untimed(&two.area, 0x5000);
		bytes_add(&two.area, record.data, record.size);
		put_auxtrace_part(&two.file, 0, &two.area, 0,
				  two.area.size - size);
		put_auxtrace_part(&two.file, 0, &two.area, two.area.size - size,
				  two.area.size);
		expect_two(&two, 2);
	}
	bytes_fini(&record);
}

/* Though it is the first in the file. */
TEST(an_area_without_times_is_due_last)
{
	struct bytes trace = {}, b = {};
	struct pmscope_recording *r;
	struct pmscope_run run;
	uint64_t due = 0;

	begin(&b);
	put_untimed(&trace, 0x5000);
	put_auxtrace(&b, 1, 1, NO_TID, &trace);
	load_at(&b, 0, NO_TID, 0x5000, 150);
	r = open_bytes(&b);
	while (pmscope_recording_next_run(r, false, &run) > 0) {
		EXPECT_EQ(run.due, due ? UINT64_MAX : 150);
		due = run.due;
	}
	EXPECT_EQ(due, UINT64_MAX);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

KTAP_MAIN
