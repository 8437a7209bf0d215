// SPDX-License-Identifier: GPL-2.0-or-later
/* Buckets and percentiles of `pmscope trace`. */
#include "ktap.h"
#include "trace/trace.h"

TEST(small_values_have_a_bucket_each)
{
	for (uint64_t value = 0; value < TRACE_EXACT; value++) {
		EXPECT_EQ(trace_bucket_of(value), value);
		EXPECT_EQ(trace_bucket_end(value), value);
	}
}

TEST(buckets_follow_each_other_without_gaps)
{
	for (uint32_t b = 0; b < trace_bucket_of(UINT64_MAX); b++) {
		uint64_t end = trace_bucket_end(b);

		ASSERT_EQ(trace_bucket_of(end), b);
		ASSERT_EQ(trace_bucket_of(end + 1), b + 1);
	}
	EXPECT_EQ(trace_bucket_end(trace_bucket_of(UINT64_MAX)), UINT64_MAX);
}

TEST(a_bucket_is_at_most_a_thirty_second_wide)
{
	for (uint64_t value = TRACE_EXACT; value < 1ULL << 62; value *= 3) {
		uint64_t end = trace_bucket_end(trace_bucket_of(value));

		EXPECT_GE(end, value);
		EXPECT_LE(end - value, value / 32);
	}
}

static void add_values(struct trace_row *row, uint64_t value, uint64_t count)
{
	ASSERT_EQ(trace_row_add(row, trace_bucket_of(value), count), 0);
	row->calls += count;
	row->min = MIN(row->min, value);
	row->max = MAX(row->max, value);
}

TEST(percentiles_are_values_that_came)
{
	struct trace_row row = {.min = UINT64_MAX};

	add_values(&row, 30, 9);
	add_values(&row, 10, 90);
	add_values(&row, 5000, 1);
	EXPECT_EQ(trace_percentile(&row, 50), 10);
	EXPECT_EQ(trace_percentile(&row, 90), 10);
	EXPECT_EQ(trace_percentile(&row, 99), 30);
	EXPECT_EQ(trace_percentile(&row, 100), 5000);
	free(row.bucket);
}

/* The same value repeatedly: every percentile equals it. */
TEST(equal_calls_have_equal_percentiles)
{
	struct trace_row row = {.min = UINT64_MAX};

	add_values(&row, 1001, 500);
	EXPECT_EQ(trace_percentile(&row, 1), 1001);
	EXPECT_EQ(trace_percentile(&row, 50), 1001);
	EXPECT_EQ(trace_percentile(&row, 99), 1001);
	free(row.bucket);
}

/* What trace prints of two rows. */
static void expect_printed(enum print_format format, bool threads,
			   const char *expected)
{
	struct trace_function functions[] = {{.name = "work"},
					     {.name = "_Z3a,bv"}};
	struct listed_event events[] = {{.name = "cycles"},
					{.name = "cpu/event=0x3,name=l1/"}};
	struct trace_count counts[] = {{trace_bucket_of(7), 2},
				       {trace_bucket_of(30), 1}};
	struct trace_row rows[] = {
		{.tid = 4711,
		 .comm = "a;b",
		 .calls = 3,
		 .sum = 44,
		 .min = 7,
		 .max = 30,
		 .bucket = counts,
		 .nr_buckets = 2},
		{.func = 1, .event = 1, .tid = 1, .comm = "sh"},
	};
	const struct trace_table table = {.row = rows, .nr = 2};
	const struct trace_plan plan = {.func = functions, .nr_funcs = 2};
	const struct event_list list = {.event = events, .nr = 2};
	char *text;
	size_t size;
	const struct trace_printer printer = {
		.out = open_memstream(&text, &size),
		.format = format,
		.separator = ",",
		.threads = threads,
		.plan = &plan,
		.events = &list,
	};

	EXPECT_EQ(trace_print(&printer, &table), 0);
	fclose(printer.out);
	EXPECT_STREQ(text, expected);
	free(text);
}

TEST(text_has_a_line_a_row)
{
	expect_printed(
		PRINT_TEXT, false,
		"#    calls            total           mean        min        "
		"p50        p90        p99        max  function, event\n"
		"         3               44           14.7          7         "
		" "
		"7         30         30         30  work cycles\n"
		"         0                0            0.0          0         "
		" "
		"0          0          0          0  _Z3a,bv "
		"cpu/event=0x3,name=l1/\n");
	expect_printed(
		PRINT_TEXT, true,
		"#    calls            total           mean        min        "
		"p50        p90        p99        max  thread, function, "
		"event\n"
		"         3               44           14.7          7         "
		" "
		"7         30         30         30  a;b/4711 work cycles\n"
		"         0                0            0.0          0         "
		" "
		"0          0          0          0  sh/1 _Z3a,bv "
		"cpu/event=0x3,name=l1/\n");
}

TEST(csv_quotes_what_has_a_separator)
{
	expect_printed(PRINT_CSV, false,
		       "function,event,calls,total,mean,min,p50,p90,p99,max\n"
		       "work,cycles,3,44,14.6667,7,7,30,30,30\n"
		       "\"_Z3a,bv\",\"cpu/event=0x3,name=l1/\",0,0,0.0000,0,"
		       "0,0,0,0\n");
	expect_printed(
		PRINT_CSV, true,
		"function,comm,tid,event,calls,total,mean,min,p50,p90,p99,max\n"
		"work,a;b,4711,cycles,3,44,14.6667,7,7,30,30,30\n"
		"\"_Z3a,bv\",sh,1,\"cpu/event=0x3,name=l1/\",0,0,0.0000,0,0,"
		"0,0,0\n");
}

CASE(json_has_an_object_a_row,
     expect_printed(PRINT_JSONL, true,
		    "{\"function\":\"work\",\"comm\":\"a;b\",\"tid\":4711,"
		    "\"event\":\"cycles\",\"calls\":3,\"total\":44,"
		    "\"mean\":14.6667,\"min\":7,\"p50\":7,\"p90\":30,"
		    "\"p99\":30,\"max\":30}\n"
		    "{\"function\":\"_Z3a,bv\",\"comm\":\"sh\",\"tid\":1,"
		    "\"event\":\"cpu/event=0x3,name=l1/\",\"calls\":0,"
		    "\"total\":0,\"mean\":0.0000,\"min\":0,\"p50\":0,"
		    "\"p90\":0,\"p99\":0,\"max\":0}\n"));

/*
 * dwarf_begin_elf() is another file's function, which this one only calls; the
 * sanitizers have none of this name.
 */
TEST(a_program_has_its_own_functions_only)
{
	static const char self[] = "/proc/self/exe";

	EXPECT_TRUE(trace_program_has(self, "main"));
	EXPECT_TRUE(trace_program_has(self, "add_values"));
	EXPECT_FALSE(trace_program_has(self, "dwarf_begin_elf"));
	EXPECT_FALSE(trace_program_has(self, "nosuch"));
	EXPECT_FALSE(trace_program_has("/dev/null", "main"));
	EXPECT_FALSE(trace_program_has("/nosuch", "main"));
}
