// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples with the counts of a group: as read(2) of their event has them. */
#include "happening.h"
#include "ktap.h"

#include <pmscope/perfdata.h>

#include <string.h>

#define OTHER_ID (PERFDATA_ID + 1) /* of no event */

#define TIMES                                                 \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

/*
 * Samples of @type have one, of @format: @nr @words. What is behind the sample
 * would do for the rest of it.
 */
static struct pmscope_recording *open_sample(struct bytes *b, uint64_t type,
					     uint64_t format,
					     const uint64_t *words, size_t nr)
{
	struct bytes body = {};

	perfdata_begin(b);
	perfdata_set_sample_type(b, type);
	perfdata_set_read_format(b, format);
	for (size_t i = 0; i < nr; i++)
		put(&body, words[i], 8);
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
	body.size = 0;
	for (size_t i = 0; i < 8; i++)
		put(&body, 1, 8);
	put_record(b, PMSCOPE_RECORD_FINISHED_ROUND, 0, &body);
	bytes_fini(&body);
	return open_bytes(b);
}

#define OPEN_READ(b, format, words)                                       \
	open_sample(b, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ, format, \
		    words, sizeof(words) / sizeof((words)[0]))

TEST(all_that_a_count_can_have)
{
	static const uint64_t words[] = {
		/* identifier, counts, time enabled and running */
		PERFDATA_ID, 2, 900, 800,
		/* value, identifier, lost samples */
		5000, PERFDATA_ID, 1, 6000, OTHER_ID, 2};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	r = OPEN_READ(&b, TIMES | PERF_FORMAT_ID | PERF_FORMAT_LOST, words);
	ASSERT_EQ(pmscope_recording_next(r, &s), 1);
	EXPECT_EQ(s.time_enabled, 900U);
	EXPECT_EQ(s.time_running, 800U);
	ASSERT_EQ(s.nr_counts, 2U);
	EXPECT_EQ(s.counts[0].value, 5000U);
	EXPECT_EQ(s.counts[0].id, (uint64_t)PERFDATA_ID);
	EXPECT_EQ(s.counts[0].attr, 0);
	EXPECT_EQ(s.counts[1].value, 6000U);
	EXPECT_EQ(s.counts[1].id, (uint64_t)OTHER_ID);
	EXPECT_EQ(s.counts[1].attr, -1);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(counts_without_identifiers)
{
	static const uint64_t words[] = {PERFDATA_ID, 3, 50, 60, 70};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	r = OPEN_READ(&b, PERF_FORMAT_GROUP, words);
	ASSERT_EQ(pmscope_recording_next(r, &s), 1);
	ASSERT_EQ(s.nr_counts, 3U);
	for (uint64_t i = 0; i < 3; i++) {
		EXPECT_EQ(s.counts[i].value, 50 + 10 * i);
		EXPECT_EQ(s.counts[i].attr, -1);
	}
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* It belongs to another event, or is damaged. */
static void expect_no_sample(struct pmscope_recording *r, struct bytes *b,
			     bool other)
{
	struct pmscope_sample s;

	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->other_samples, other ? 1U : 0U);
	EXPECT_EQ(!strstr(pmscope_recording_error(r), "its group"), other);
	pmscope_recording_free(r);
	bytes_fini(b);
	*b = (struct bytes){};
}

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
	struct bytes b = {};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t words[] = {PERFDATA_ID, rows[i].nr,  50, PERFDATA_ID,
				    60,		 PERFDATA_ID, 1};

		expect_no_sample(OPEN_READ(&b,
					   PERF_FORMAT_GROUP | rows[i].format,
					   words),
				 &b, false);
	}
}

/* It ends before its counts begin, or does not have them. */
TEST(samples_without_a_group)
{
	static const uint64_t words[] = {PERFDATA_ID, 1, 50, PERFDATA_ID};
	static const uint64_t group = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	struct bytes b = {};

	for (size_t nr = 1; nr < 4; nr++)
		expect_no_sample(
			open_sample(&b, PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_READ,
				    group, words, nr),
			&b, false);
	expect_no_sample(open_sample(&b, PERF_SAMPLE_IDENTIFIER, group, words,
				     4),
			 &b, true);
	expect_no_sample(OPEN_READ(&b, PERF_FORMAT_ID, words), &b, true);
}

/* Samples that have nothing but their counts. */
TEST(a_group_of_no_thread_and_no_time)
{
	static const uint64_t words[] = {PERFDATA_ID, 1, 5000, PERFDATA_ID};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	r = OPEN_READ(&b, PERF_FORMAT_GROUP | PERF_FORMAT_ID, words);
	ASSERT_EQ(pmscope_recording_next(r, &s), 1);
	EXPECT_FALSE(s.has_time);
	EXPECT_EQ(s.pid, PMSCOPE_NO_ID);
	EXPECT_EQ(s.tid, PMSCOPE_NO_ID);
	EXPECT_EQ(s.cpu, PMSCOPE_NO_ID);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* Whatever row is asked for. */
TEST(a_group_is_the_sample_of_its_run)
{
	static const uint64_t words[] = {PERFDATA_ID, 1, 5000, PERFDATA_ID};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct pmscope_run run;
	struct bytes b = {};

	r = OPEN_READ(&b, PERF_FORMAT_GROUP | PERF_FORMAT_ID, words);
	ASSERT_EQ(pmscope_recording_next_run(r, true, &run), 1);
	ASSERT_TRUE(run.group);
	pmscope_recording_run_sample(r, &run, 3, &s);
	EXPECT_EQ(s.kind, PMSCOPE_SAMPLE_GROUP);
	ASSERT_EQ(s.nr_counts, 1U);
	EXPECT_EQ(s.counts[0].value, 5000U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

static void put_pmu(struct bytes *mappings, uint32_t type, uint32_t length,
		    const char *name)
{
	char padded[64] = "";

	strcpy(padded, name);
	put(mappings, type, 4);
	put(mappings, length, 4);
	bytes_add(mappings, padded, length < 64 ? length : 64);
}

/* Is a group of an event without a name, of type 10, one of pmu_snapshot? */
static bool is_snapshot(const struct bytes *mappings)
{
	static const uint64_t words[] = {PERFDATA_ID, 1, 50, PERFDATA_ID};
	struct bytes b = {}, body = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	perfdata_begin(&b);
	perfdata_set_sample_type(&b, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ);
	perfdata_set_read_format(&b, PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	for (size_t i = 0; i < 4; i++)
		put(&body, words[i], 8);
	put_record(&b, PERF_RECORD_SAMPLE, 0, &body);
	perfdata_end(&b);
	perfdata_put_feature(&b, PMSCOPE_FEATURE_PMU_MAPPINGS, mappings);
	s.is_snapshot = false;
	if (!pmscope_recording_open(b.data, b.size, NULL, &r)) {
		EXPECT_EQ(pmscope_recording_next(r, &s), 1);
		EXPECT_EQ(s.counts[0].is_snapshot, s.is_snapshot);
		pmscope_recording_free(r);
	}
	bytes_fini(&body);
	bytes_fini(&b);
	return s.is_snapshot;
}

/* Whatever name= says, this is their PMU. */
TEST(counters_of_pmu_snapshot_have_their_type)
{
	struct bytes mappings = {};

	put(&mappings, 3, 4);
	put_pmu(&mappings, 10, 64, "pmu_snapshot_of_others");
	put_pmu(&mappings, 4, 64, "cpu");
	EXPECT_FALSE(is_snapshot(&mappings));
	put_pmu(&mappings, 10, 16, "pmu_snapshot");
	EXPECT_TRUE(is_snapshot(&mappings));
	bytes_fini(&mappings);
	put(&mappings, 2, 4);
	put_pmu(&mappings, 11, 16, "pmu_snapshot");
	EXPECT_FALSE(is_snapshot(&mappings));
	/* A name that is longer than what there is. */
	put_pmu(&mappings, 4, UINT32_MAX, "cpu");
	put_pmu(&mappings, 10, 16, "pmu_snapshot");
	EXPECT_FALSE(is_snapshot(&mappings));
	bytes_fini(&mappings);
}

KTAP_MAIN
