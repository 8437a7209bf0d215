// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples with the counts of a group: as read(2) of their event has them. */
#include "scenario.h"

#define OTHER_ID (PERFDATA_ID + 1) /* of no event */

#define TIMES_TOO                                             \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)
#define WITH_ID (PERF_FORMAT_GROUP | PERF_FORMAT_ID)
#define COUNTED (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ)

/*
 * Samples of @type have one, of @format: @nr @words. What is behind the sample
 * would do for the rest of it.
 */
#define SAMPLE_OF(type, format, nr, words)                                    \
	BARE, TYPE_IS(type), FORMAT_IS(format),                               \
		RECORD_OF(PERF_RECORD_SAMPLE, 0, nr, words),                  \
		RECORD(PMSCOPE_RECORD_FINISHED_ROUND, 0, 1, 1, 1, 1, 1, 1, 1, \
		       1)
#define SAMPLE(format, ...)                               \
	SAMPLE_OF(COUNTED, format, NR_WORDS(__VA_ARGS__), \
		  ((const uint64_t[]){__VA_ARGS__}))

STEP_OF(expect_count)
{
	const struct pmscope_count *count = &sc->s.counts[step->v[0]];

	ASSERT_LT(step->v[0], (uint64_t)sc->s.nr_counts);
	EXPECT_EQ(count->value, step->v[1]);
	EXPECT_EQ((uint64_t)count->attr, step->v[2]);
	if (step->v[3])
		EXPECT_EQ(count->id, step->v[3]);
}
#define COUNT(nr, value, attr, id) CALL(expect_count, nr, value, attr, id)
#define NO_EVENT		   ((uint64_t)-1)

SCENARIO(all_that_a_count_can_have,
	 SAMPLE(TIMES_TOO | PERF_FORMAT_ID | PERF_FORMAT_LOST,
		/* identifier, counts, time enabled and running */
		PERFDATA_ID, 2, 900, 800,
		/* value, identifier, lost samples */
		5000, PERFDATA_ID, 1, 6000, OTHER_ID, 2),
	 TAKE, IS(s.time_enabled, 900), IS(s.time_running, 800),
	 IS(s.nr_counts, 2), COUNT(0, 5000, 0, PERFDATA_ID),
	 COUNT(1, 6000, NO_EVENT, OTHER_ID));

SCENARIO(counts_without_identifiers,
	 SAMPLE(PERF_FORMAT_GROUP, PERFDATA_ID, 3, 50, 60, 70), TAKE,
	 IS(s.nr_counts, 3), COUNT(0, 50, NO_EVENT, 0),
	 COUNT(1, 60, NO_EVENT, 0), COUNT(2, 70, NO_EVENT, 0));

/* The sample is damaged, or belongs to another event. */
STEP_IS(expect_fault,
	EXPECT_EQ(!strstr(pmscope_recording_error(sc->r), "its group"),
		  step->v[0]));
#define NO_SAMPLE(other) \
	END, LOSS(other_samples, other), CALL(expect_fault, other)

/* Five words claim more counts than they hold; or none. */
TEST(counts_that_are_not_there)
{
	static const struct {
		uint64_t format, nr;
	} rows[] = {
		{0, 6},
		{PERF_FORMAT_ID, 3},
		{PERF_FORMAT_ID | PERF_FORMAT_LOST, 2},
		{0, UINT64_MAX / 8},
		{PERF_FORMAT_ID, UINT64_MAX},
		{PERF_FORMAT_ID, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		PLAY(SAMPLE(PERF_FORMAT_GROUP | rows[i].format, PERFDATA_ID,
			    rows[i].nr, 50, PERFDATA_ID, 60, PERFDATA_ID, 1),
		     NO_SAMPLE(false));
}

/* It ends before its counts begin, or does not have them. */
TEST(samples_without_a_group)
{
	static const uint64_t words[] = {PERFDATA_ID, 1, 50, PERFDATA_ID};

	for (size_t nr = 1; nr < 4; nr++)
		PLAY(SAMPLE_OF(PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_READ, WITH_ID,
			       nr, words),
		     NO_SAMPLE(false));
	PLAY(SAMPLE_OF(PERF_SAMPLE_IDENTIFIER, WITH_ID, 4, words),
	     NO_SAMPLE(true));
	PLAY(SAMPLE_OF(COUNTED, PERF_FORMAT_ID, 4, words), NO_SAMPLE(true));
}

/* Samples that have nothing but their counts. */
SCENARIO(a_group_of_no_thread_and_no_time,
	 SAMPLE(WITH_ID, PERFDATA_ID, 1, 5000, PERFDATA_ID), UNTIMED,
	 PID(PMSCOPE_NO_ID), TID(PMSCOPE_NO_ID), CPU_IS(PMSCOPE_NO_ID), END);

STEP_OF(take_run)
{
	struct pmscope_run run;

	ASSERT_EQ(pmscope_recording_next_run(sc->r, true, &run), 1);
	ASSERT_TRUE(run.group);
	pmscope_recording_run_sample(sc->r, &run, 3, &sc->s);
}

/* Whatever row is asked for. */
SCENARIO(a_group_is_the_sample_of_its_run,
	 SAMPLE(WITH_ID, PERFDATA_ID, 1, 5000, PERFDATA_ID), OPENED,
	 CALL(take_run), IS(s.kind, PMSCOPE_SAMPLE_GROUP), IS(s.nr_counts, 1),
	 COUNT(0, 5000, 0, 0));

static void put_pmu(struct bytes *mappings, uint32_t type, uint32_t length,
		    const char *name)
{
	char padded[64] = "";

	strcpy(padded, name);
	PUT(mappings, 4, type, length);
	bytes_add(mappings, padded, MIN(length, 64));
}

STEP_OF(expect_snapshot)
{
	ASSERT_TRUE(sc->s.counts);
	EXPECT_EQ(sc->s.is_snapshot, step->v[0]);
	EXPECT_EQ(sc->s.counts[0].is_snapshot, sc->s.is_snapshot);
}

/* Is a group of an event without a name, of type 10, one of pmu_snapshot? */
static void expect_is_snapshot(const struct bytes *mappings, bool wanted)
{
	PLAY(BARE, TYPE_IS(COUNTED), FORMAT_IS(WITH_ID),
	     RECORD(PERF_RECORD_SAMPLE, 0, PERFDATA_ID, 1, 50, PERFDATA_ID),
	     FEATURE(PMSCOPE_FEATURE_PMU_MAPPINGS, mappings), TAKE,
	     CALL(expect_snapshot, wanted));
}

/* Whatever name= says, this is their PMU. */
TEST(counters_of_pmu_snapshot_have_their_type)
{
	BYTES mappings = {};

	put(&mappings, 3, 4);
	put_pmu(&mappings, 10, 64, "pmu_snapshot_of_others");
	put_pmu(&mappings, 4, 64, "cpu");
	expect_is_snapshot(&mappings, false);
	put_pmu(&mappings, 10, 16, "pmu_snapshot");
	expect_is_snapshot(&mappings, true);
	bytes_fini(&mappings);
	put(&mappings, 2, 4);
	put_pmu(&mappings, 11, 16, "pmu_snapshot");
	expect_is_snapshot(&mappings, false);
	/* A name that is longer than what there is. */
	put_pmu(&mappings, 4, UINT32_MAX, "cpu");
	put_pmu(&mappings, 10, 16, "pmu_snapshot");
	expect_is_snapshot(&mappings, false);
}
