// SPDX-License-Identifier: GPL-2.0-or-later
/* When records are due that come before the first of their area with a time. */
#include "scenario.h"

/* Of two CPUs; thread 7 changes its name between their last records. */
#define TWO_CPUS                                                             \
	COMM(10, 7, 7, "before"), COMM(150, 7, 7, "behind"), LOAD(50, 1, 7), \
		LOAD(200, 1, 7)
/* @nr records of CPU 0 without a time are due with the next one. */
#define TWO_ROWS(nr)                                                   \
	NEXT(50), NAME("before"), CALL(expect_untimed, nr), NEXT(100), \
		NAME("before"), NEXT(200), NAME("behind"), END,        \
		LOSS(decode.records, (nr) + 3), LOSS(decode.cut_bytes, 0)

STEP_OF(expect_untimed)
{
	for (uint64_t i = 0; i < step->v[0]; i++) {
		ASSERT_EQ(pmscope_recording_next(sc->r, &sc->s), 1);
		ASSERT_EQ(sc->s.cpu, 0U);
		ASSERT_FALSE(sc->s.has_time);
	}
}

STEP_OF(put_untimeds)
{
	for (uint64_t i = 0; i < step->v[0]; i++)
		put_untimed(&sc->trace, 0x5000);
}

#define T_LOAD_OF_7 T_LOAD_OF(100, 7, 0x5000, 0x9000)

SCENARIO(the_first_trace_has_no_time, TWO_CPUS, T_UNTIMED,
	 AREA(0, 0, 0, NO_TID), LOAD(100, 0, 7), TWO_ROWS(1));

TEST(many_records_are_before_the_first_time)
{
	static const size_t many[] = {255, 256, 257, 3000};

	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		PLAY(TWO_CPUS, CALL(put_untimeds, many[i]), T_LOAD_OF_7,
		     AREA(0, 0, 0, NO_TID), TWO_ROWS(many[i]));
}

/* The record with the first time is in two traces, whichever bytes. */
TEST(the_first_time_is_torn)
{
	BYTES record = {}, area = {};

	put_load_of(&record, 7, 0x5000, 0x9000, 100);
	put_untimed(&area, 0x5000);
	put_untimed(&area, 0x5000);
	bytes_add(&area, record.data, record.size);
	for (size_t size = 1; size < record.size; size++)
		PLAY(TWO_CPUS, T_ALL(&area), PART(0, area.size - size),
		     PART(area.size - size, area.size), TWO_ROWS(2));
}

STEP_OF(expect_due)
{
	struct pmscope_run run;
	uint64_t due = 0;

	while (pmscope_recording_next_run(sc->r, false, &run) > 0) {
		EXPECT_EQ(run.due, due ? UINT64_MAX : 150);
		due = run.due;
	}
	EXPECT_EQ(due, UINT64_MAX);
}

/* Though it is the first in the file. */
SCENARIO(an_area_without_times_is_due_last, T_UNTIMED, AREA(0, 1, 1, NO_TID),
	 LOAD(150, 0, NO_TID), OPENED, CALL(expect_due));
