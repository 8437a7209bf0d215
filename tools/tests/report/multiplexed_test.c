// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups that share the counters of their PMU with others. */
#include "bytes.h"
#include "command.h"
#include "ktap.h"

#include <string.h>

#define MS	  1000000
#define TEXT_SIZE 8192

#define SAMPLE_TYPE                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_READ)
#define READ_FORMAT                                           \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID)

/* At @ms: what the event had counted, and for how long until then. */
struct reading {
	uint64_t ms;
	uint64_t running;
	uint64_t value;
};

static void put_reading(struct bytes *b, const struct reading *r)
{
	BYTES body = {};

	put(&body, PERFDATA_ID, 8);
	PUT(&body, 4, 10, 10);
	put(&body, r->ms * MS, 8);
	put(&body, 0, 8); /* CPU */
	PUT(&body, 8, 1, r->ms * MS, r->running * MS, r->value, PERFDATA_ID);
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
}

/* The output of the command @arguments for the @nr readings. */
static const char *tell(const char *arguments, const struct reading *readings,
			size_t nr)
{
	static char text[TEXT_SIZE];
	BYTES b = {};

	perfdata_begin(&b);
	perfdata_set_sample_type(&b, SAMPLE_TYPE);
	perfdata_set_read_format(&b, READ_FORMAT);
	for (size_t i = 0; i < nr; i++)
		put_reading(&b, &readings[i]);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, arguments, text, sizeof(text)), 0);
	return text;
}

#define TELL(arguments, readings) \
	tell(arguments, readings, sizeof(readings) / sizeof((readings)[0]))

static const struct reading shared[] = {
	{1, 1, 0},
	{3, 1, 0}, /* it did not count: unknown */
	{5, 2, 100},
	{7, 3, 300},
};

TEST(counts_are_scaled_to_the_time_enabled)
{
	const char *text = TELL("report", shared);

	/* 100 and 200, each of half the time: 600 in 4 ms. */
	EXPECT_TRUE(strstr(text, "  600  "));
	EXPECT_TRUE(strstr(text, "  150000  "));
	EXPECT_TRUE(strstr(text, "  (33.33% of the time, scaled)\n"));
	text = TELL("report --format=jsonl", shared);
	EXPECT_TRUE(strstr(text, "\"count\":600,\"ns\":4000000,"
				 "\"enabled_ns\":6000000,"
				 "\"running_ns\":2000000}"));
}

TEST(slices_of_a_timeline_are_scaled)
{
	const char *text = TELL("report --timeline --limit=1", shared);

	EXPECT_TRUE(strstr(text, "  (33.33% of the time, scaled)\n"));
	text = TELL("report --timeline --limit=1 --format=csv", shared);
	EXPECT_TRUE(strstr(text, ",600.000000\n"));
}

TEST(counts_of_all_the_time_are_as_they_are)
{
	static const struct reading whole[] = {{1, 1, 0}, {3, 3, 500}};
	const char *text = TELL("report", whole);

	EXPECT_TRUE(strstr(text, "  500  "));
	EXPECT_TRUE(strstr(text, "  250000  "));
	EXPECT_FALSE(strstr(text, "scaled"));
}

TEST(script_tells_the_times)
{
	const char *text = TELL("script", shared);

	EXPECT_TRUE(strstr(text, "=300 (42.85% of the time)\n"));
	text = TELL("script --format=csv -F time_enabled,time_running", shared);
	EXPECT_TRUE(strstr(text, "\n7000000,3000000\n"));
}

KTAP_MAIN
