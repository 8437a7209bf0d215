// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups that share the counters of their PMU with others. */
#include "scenario.h"

#define MS 1000000

#define READING(ms, running, value)                                           \
	RECORD(PERF_RECORD_SAMPLE, 0, PERFDATA_ID, 10 | 10ULL << 32, (ms)*MS, \
	       0 /* CPU */, 1, (ms)*MS, (running)*MS, value, PERFDATA_ID)
#define GROUPS                                                                 \
	BARE,                                                                  \
		TYPE_IS(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |             \
			PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |                   \
			PERF_SAMPLE_READ),                                     \
		FORMAT_IS(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | \
			  PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID)
/* From 1 to 3 ms it did not count: unknown */
#define SHARED                                                          \
	GROUPS, READING(1, 1, 0), READING(3, 1, 0), READING(5, 2, 100), \
		READING(7, 3, 300)

/* 100 and 200, each of half the time: 600 in 4 ms. */
SCENARIO(counts_are_scaled_to_the_time_enabled, SHARED, COMMAND("report"),
	 HAS("  600  "), HAS("  150000  "),
	 HAS("  (33.33% of the time, scaled)\n"),
	 COMMAND("report --format=jsonl"),
	 HAS("\"count\":600,\"ns\":4000000,\"enabled_ns\":6000000,"
	     "\"running_ns\":2000000}"));

SCENARIO(slices_of_a_timeline_are_scaled, SHARED,
	 COMMAND("report --timeline --limit=1"),
	 HAS("  (33.33% of the time, scaled)\n"),
	 COMMAND("report --timeline --limit=1 --format=csv"),
	 HAS(",600.000000\n"));

SCENARIO(counts_of_all_the_time_are_as_they_are, GROUPS, READING(1, 1, 0),
	 READING(3, 3, 500), COMMAND("report"), HAS("  500  "),
	 HAS("  250000  "), LACKS("scaled"));

SCENARIO(script_tells_the_times, SHARED, COMMAND("script"),
	 HAS("=300 (42.85% of the time)\n"),
	 COMMAND("script --format=csv -F time_enabled,time_running"),
	 HAS("\n7000000,3000000\n"));
