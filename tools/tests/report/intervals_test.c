// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings whose sampling interval changes: each sample stands for the
 * operations of the interval that it was taken with, on its CPU.
 */
#include "scenario.h"

#define FIRST  1024
#define SECOND 4096

STEP_OF(set_period)
{
	perfdata_attr(&sc->b)->sample_period = step->v[0];
	put_event_name(&sc->b, PERFDATA_ID, "arm_spe_0//");
}

STEP_IS(put_interval, interval_at(&sc->b, 0, step->v[0], step->v[1]));

#define ONE_INTERVAL                                   \
	CALL(set_period, FIRST), COMM(0, 10, 10, "a"), \
		LOADS(10, 50, 10, 0, 10), LOADS(11, 41, 10, 1, 10)
/* CPU 0 changes it after two samples. */
#define CHANGED ONE_INTERVAL, CALL(put_interval, SECOND, 25)

static uint32_t expected(const struct pmscope_sample *s)
{
	return !s->cpu && s->time > 25 ? SECOND : FIRST;
}

STEP_OF(expect_intervals)
{
	struct pmscope_intervals all;

	pmscope_recording_intervals(sc->r, &all);
	EXPECT_EQ(all.least, step->v[0]);
	EXPECT_EQ(all.most, step->v[1]);
	EXPECT_EQ(all.changes, step->v[2]);
}

STEP_OF(expect_samples)
{
	size_t nr = 0;

	for (; pmscope_recording_next(sc->r, &sc->s) == 1; nr++)
		EXPECT_EQ(sc->s.interval, expected(&sc->s));
	EXPECT_EQ(nr, 9);
}

SCENARIO(each_sample_has_the_interval_of_its_time_and_CPU, CHANGED, OPENED,
	 CALL(expect_samples), CALL(expect_intervals, FIRST, SECOND, 1));

STEP_OF(expect_runs)
{
	struct pmscope_run run;

	while (pmscope_recording_next_run(sc->r, false, &run) == 1)
		for (size_t row = run.first; row < run.end; row++) {
			pmscope_recording_run_sample(sc->r, &run, row, &sc->s);
			EXPECT_EQ(run.interval, expected(&sc->s));
		}
}

SCENARIO(runs_end_where_the_interval_changes, CHANGED, OPENED,
	 CALL(expect_runs));

#define ROWS                                             \
	HAS("\n0,5,0.777778,"), HAS("=5,14336,14190\n"), \
		HAS("\n1,4,0.222222,"), HAS("=4,4096,4012\n")

/* 2 * 1024 + 3 * 4096, +- 1.96 * sqrt(2 * 1024 * 1023 + 3 * 4096 * 4095) */
SCENARIO(rows_and_shares_are_of_operations, CHANGED,
	 COMMAND("report --sort=cpu --format=csv"), ROWS,
	 COMMAND("report --sort=cpu --format=csv --threads=2"), ROWS,
	 COMMAND("report --sort=cpu --format=jsonl"),
	 HAS("\"operations\":18432,\"sampled\":0.000488"),
	 COMMAND("report --sort=cpu --format=csv --filter=cpu=1"),
	 HAS("\n1,4,1.000000,"), COMMAND("report --sort=interval --format=csv"),
	 HAS("\n4096,3,0.666667,"), HAS("\n1024,6,0.333333,"),
	 COMMAND("report --sort=cpu"),
	 HAS("# The samples stand for 18432 operations"));

SCENARIO(one_interval_changes_nothing, ONE_INTERVAL,
	 COMMAND("report --sort=cpu --format=csv"), HAS("\n0,5,0.555556,"),
	 LACKS("operations"), COMMAND("script -F cpu,interval --format=csv"),
	 HAS("\n0,1024\n1,1024\n"));

SCENARIO(script_and_header_tell_the_interval, CHANGED,
	 COMMAND("script -F time,cpu,interval --format=csv"),
	 HAS("\n20,0,1024\n"), HAS("\n30,0,4096\n"), HAS("\n31,1,1024\n"),
	 COMMAND("report --header-only"),
	 HAS("interval 1024 operations at first, changed 1 times, "
	     "1024 to 4096"));

SCENARIO(exports_count_operations, CHANGED,
	 COMMAND("export --format=folded -o -"), HAS(" 18432\n"), ANEW,
	 ONE_INTERVAL, COMMAND("export --format=folded -o -"), HAS(" 9\n"));

/* The record of another event, or with a number that no interval has. */
SCENARIO(other_identifiers_are_no_intervals, CALL(set_period, FIRST),
	 CALL(put_interval, 0, 5), CALL(put_interval, UINT64_C(1) << 40, 6),
	 LOAD(10, 0, 10), NEXT(10), IS(s.interval, FIRST),
	 CALL(expect_intervals, FIRST, FIRST, 0));
