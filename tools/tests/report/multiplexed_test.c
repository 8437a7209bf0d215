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

PLAIN_SCENARIO(counts_are_scaled_to_the_time_enabled, SHARED, RECOUNT_COUNTERS);

PLAIN_SCENARIO(counts_of_all_the_time_are_as_they_are, GROUPS, READING(1, 1, 0),
	       READING(3, 3, 500), RECOUNT_COUNTERS);

SCENARIO(script_tells_the_times, SHARED, COMMAND("script"),
	 HAS("=300 (42.85% of the time)\n"),
	 COMMAND("script --format=csv -F time_enabled,time_running"),
	 HAS("\n7000000,3000000\n"));
