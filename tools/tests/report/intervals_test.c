// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings whose sampling interval changes: each sample stands for the
 * operations of the interval that it was taken with, on its CPU.
 */
#include "command.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <string.h>

#define FIRST	  1024
#define SECOND	  4096
#define TEXT_SIZE 8192

/* CPU 0 takes two samples, changes its interval and takes three; CPU 1 four. */
static void put_both(struct bytes *b, bool changes)
{
	begin(b);
	perfdata_set_period(b, FIRST);
	put_event_name(b, PERFDATA_ID, "arm_spe_0//");
	comm_at(b, 0, "a", 0, 10, 10);
	for (uint64_t time = 10; time <= 50; time += 10)
		load_at(b, 0, 10, 0x5010, time);
	if (changes)
		interval_at(b, 0, SECOND, 25);
	for (uint64_t time = 11; time <= 41; time += 10)
		load_at(b, 1, 10, 0x6010, time);
	perfdata_end(b);
}

static void print(char *text, bool changes, const char *arguments)
{
	BYTES b = {};

	put_both(&b, changes);
	EXPECT_EQ(command_pmscope_text(&b, arguments, text, TEXT_SIZE), 0);
}

static uint32_t expected(const struct pmscope_sample *s)
{
	return !s->cpu && s->time > 25 ? SECOND : FIRST;
}

TEST(each_sample_has_the_interval_of_its_time_and_CPU)
{
	struct pmscope_intervals all;
	struct pmscope_recording *r;
	struct pmscope_sample s;
	BYTES b = {};
	size_t nr = 0;

	put_both(&b, true);
	r = open_bytes(&b);
	for (; pmscope_recording_next(r, &s) == 1; nr++)
		EXPECT_EQ(s.interval, expected(&s));
	EXPECT_EQ(nr, 9);
	pmscope_recording_intervals(r, &all);
	EXPECT_EQ(all.least, FIRST);
	EXPECT_EQ(all.most, SECOND);
	EXPECT_EQ(all.changes, 1);
	pmscope_recording_free(r);
}

TEST(runs_end_where_the_interval_changes)
{
	struct pmscope_recording *r;
	struct pmscope_run run;
	struct pmscope_sample s;
	BYTES b = {};

	put_both(&b, true);
	r = open_bytes(&b);
	while (pmscope_recording_next_run(r, false, &run) == 1)
		for (size_t row = run.first; row < run.end; row++) {
			pmscope_recording_run_sample(r, &run, row, &s);
			EXPECT_EQ(run.interval, expected(&s));
		}
	pmscope_recording_free(r);
}

/* 2 * 1024 + 3 * 4096, +- 1.96 * sqrt(2 * 1024 * 1023 + 3 * 4096 * 4095) */
TEST(rows_and_shares_are_of_operations)
{
	static const char *const threads[] = {"", "--threads=2"};
	char text[TEXT_SIZE], arguments[128];

	for (size_t i = 0; i < 2; i++) {
		snprintf(arguments, sizeof(arguments),
			 "report --sort=cpu --format=csv %s", threads[i]);
		print(text, true, arguments);
		EXPECT_TRUE(strstr(text, "\n0,5,0.777778,"));
		EXPECT_TRUE(strstr(text, "=5,14336,14190\n"));
		EXPECT_TRUE(strstr(text, "\n1,4,0.222222,"));
		EXPECT_TRUE(strstr(text, "=4,4096,4012\n"));
	}
	print(text, true, "report --sort=cpu --format=jsonl");
	EXPECT_TRUE(strstr(text, "\"operations\":18432,\"sampled\":0.000488"));
	print(text, true, "report --sort=cpu --format=csv --filter=cpu=1");
	EXPECT_TRUE(strstr(text, "\n1,4,1.000000,"));
	print(text, true, "report --sort=interval --format=csv");
	EXPECT_TRUE(strstr(text, "\n4096,3,0.666667,"));
	EXPECT_TRUE(strstr(text, "\n1024,6,0.333333,"));
	print(text, true, "report --sort=cpu");
	EXPECT_TRUE(strstr(text, "# The samples stand for 18432 operations"));
}

TEST(one_interval_changes_nothing)
{
	char text[TEXT_SIZE];

	print(text, false, "report --sort=cpu --format=csv");
	EXPECT_TRUE(strstr(text, "\n0,5,0.555556,"));
	EXPECT_FALSE(strstr(text, "operations"));
	print(text, false, "script -F cpu,interval --format=csv");
	EXPECT_TRUE(strstr(text, "\n0,1024\n1,1024\n"));
}

TEST(script_and_header_tell_the_interval)
{
	char text[TEXT_SIZE];

	print(text, true, "script -F time,cpu,interval --format=csv");
	EXPECT_TRUE(strstr(text, "\n20,0,1024\n"));
	EXPECT_TRUE(strstr(text, "\n30,0,4096\n"));
	EXPECT_TRUE(strstr(text, "\n31,1,1024\n"));
	print(text, true, "report --header-only");
	EXPECT_TRUE(strstr(text, "interval 1024 operations at first, changed "
				 "1 times, 1024 to 4096"));
}

TEST(exports_count_operations)
{
	char text[TEXT_SIZE];

	print(text, true, "export --format=folded -o -");
	EXPECT_TRUE(strstr(text, " 18432\n"));
	print(text, false, "export --format=folded -o -");
	EXPECT_TRUE(strstr(text, " 9\n"));
}

/* The record of another event, or with a number that no interval has. */
TEST(other_identifiers_are_no_intervals)
{
	struct pmscope_intervals all;
	struct pmscope_recording *r;
	struct pmscope_sample s;
	BYTES b = {};

	begin(&b);
	perfdata_set_period(&b, FIRST);
	interval_at(&b, 0, 0, 5);
	interval_at(&b, 0, UINT64_C(1) << 40, 6);
	load_at(&b, 0, 10, 0x5010, 10);
	r = open_bytes(&b);
	expect_next(r, &s, 10);
	EXPECT_EQ(s.interval, FIRST);
	pmscope_recording_intervals(r, &all);
	EXPECT_EQ(all.changes, 0);
	pmscope_recording_free(r);
}

KTAP_MAIN
