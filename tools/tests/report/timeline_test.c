// SPDX-License-Identifier: GPL-2.0-or-later
/* report --timeline: slices of the time, counts shared among them, phases. */
#include "scenario.h"

#define MS 1000000

STEP_OF(put_group)
{
	BYTES body = {};

	put(&body, PERFDATA_ID, 8);
	PUT(&body, 4, 10, step->v[0]);
	PUT(&body, 8, step->v[1], 0, 1, step->v[2], PERFDATA_ID);
	put_record(&sc->b, PERF_RECORD_SAMPLE, 0, &body);
}
#define GROUP(tid, time, value) CALL(put_group, tid, time, value)

#define BEGIN \
	BARE, APPLY(perfdata_read_groups), INFO(TYPE_ARM_SPE), CONV(0, 1, 0)

/* 4 ms: in the first half a load each microsecond, then one each ten. */
#define SOME_LOADS                                                        \
	T_TIMES(0, 2 * MS - 1, 1000), T_TIMES(2 * MS, 4 * MS - 1, 10000), \
		AREA(0, 0, 0, NO_TID)
/* Counts, too: one each two microseconds, then eight each microsecond. */
#define RECORDED                                                 \
	BEGIN, GROUP(10, 0, 100), GROUP(10, 2 * MS, 100 + 1000), \
		GROUP(10, 4 * MS, 100 + 1000 + 16000), SOME_LOADS

PLAIN_SCENARIO(slices_and_phases_of_rates, RECORDED, RECOUNT_COUNTERS);

#define CHOSEN(time, words)                                               \
	COMMAND("report --timeline --format=csv --limit=1 --time=" time), \
		HAS(words)

/* Of a count whose time is partly chosen, the part that is. */
SCENARIO(chosen_times_have_their_part_of_counts, RECORDED,
	 CHOSEN("0.001,0.003", ",1101,1101,9.000,,8500.000000\n"),
	 CHOSEN("0.001,0.002", ",1001,1001,9.000,,500.000000\n"),
	 CHOSEN("0.0025,0.0029", ",41,41,9.000,,3200.000000\n"));

/* A load each microsecond, and its AUX record and a count each millisecond. */
#define AHEAD (UINT64_C(1000000) * 1000 * MS)
#define ONE_MS(nr)                                           \
	T_TIMES(((nr)-1) * MS + 1000, (nr)*MS - 1000, 1000), \
		AUX_PART(AHEAD + (nr)*MS, 10),               \
		GROUP(10, AHEAD + (nr)*MS, 100 + (nr)*1000)

/*
 * All but the SPE records is timed by another clock, which is days ahead:
 * counts are in the slices of their samples.
 */
SCENARIO(groups_that_are_timed_by_another_clock, BEGIN, CLOCK(CLOCK_BOOTTIME),
	 ITRACE(AHEAD, 0, 10, 10), GROUP(10, AHEAD, 100), ONE_MS(1), ONE_MS(2),
	 ONE_MS(3), ONE_MS(4),
	 COMMAND("report --timeline --format=csv --limit=4"),
	 OUT("phase,time,duration,samples,lat_samples,lat_mean,ipc,event 0\n"
	     "1,1000,1024000,1023,1023,9.000,,1024.000000\n"
	     "1,1025000,1024000,1023,1023,9.000,,1024.000000\n"
	     "1,2049000,1024000,1023,1023,9.000,,1024.000000\n"
	     "1,3073000,928000,927,927,9.000,,928.000000\n"));

#define OF_THREADS \
	BEGIN, APPLY(perfdata_inherit), EVENT_NAME(PERFDATA_ID, "cycles")

/* Two alternating threads; the sum is read at the end. */
PLAIN_SCENARIO(threads_count_for_themselves, OF_THREADS, GROUP(10, 0, 5000),
	       GROUP(11, 1 * MS, 100), GROUP(10, 2 * MS, 6000),
	       GROUP(11, 3 * MS, 1100), GROUP(10, 4 * MS, 7000),
	       GROUP(NO_TID, 4 * MS, 8100), SOME_LOADS, RECOUNT_COUNTERS);

/* 2000 in 4 ms of one thread, 1000 in 2 ms of the other. */
PLAIN_SCENARIO(rates_are_those_of_one_thread, OF_THREADS, GROUP(10, 0, 5000),
	       GROUP(11, 1 * MS, 100), GROUP(11, 3 * MS, 1100),
	       GROUP(10, 4 * MS, 7000), COMMAND("report"),
	       HAS("Per second       Event\n"), HAS(" of each CPU or thread\n"),
	       RECOUNT_COUNTERS);

/* A thread ends, and another gets its number: 1000 in 1 ms, 3000 in 3 ms. */
PLAIN_SCENARIO(rates_of_threads_with_one_number, OF_THREADS, GROUP(10, 0, 5000),
	       GROUP(10, 1 * MS, 6000), GROUP(10, 2 * MS, 100),
	       GROUP(10, 5 * MS, 3100), RECOUNT_COUNTERS);

PLAIN_SCENARIO(rates_of_events_without_a_name, BEGIN, GROUP(10, 0, 100),
	       GROUP(10, 2 * MS, 1100), RECOUNT_COUNTERS);

STEP_OF(put_events)
{
	const struct perf_event_attr attr = {
		.size = PERF_ATTR_SIZE_VER5,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	BYTES group = {};

	bytes_add(&sc->b, "PERFILE2", 8);
	put(&sc->b, 16, 8);
	PUT(&group, 8, 1, MS, step->v[0]);
	for (uint64_t id = 1; id <= step->v[0]; id++) {
		BYTES event = {};

		bytes_add(&event, &attr, PERF_ATTR_SIZE_VER5);
		put(&event, id, 8);
		put_record(&sc->b, PMSCOPE_RECORD_HEADER_ATTR, 0, &event);
		PUT(&group, 8, 1000, id);
	}
	put_record(&sc->b, PERF_RECORD_SAMPLE, 0, &group);
}
#define EVENTS(nr) RAW, CALL(put_events, nr)

SCENARIO(events_that_there_is_no_room_for, EVENTS(64), COMMAND("report 2>&1"),
	 LACKS(": groups of more than 64 events"), ANEW, EVENTS(65),
	 COMMAND("report 2>&1"), HAS(": groups of more than 64 events"), ANEW,
	 EVENTS(16), COMMAND("report --timeline 2>&1"),
	 LACKS(": groups of more than 16 events"), ANEW, EVENTS(17),
	 COMMAND("report --timeline 2>&1"),
	 HAS(": groups of more than 16 events"));

/* A record each microsecond, of 40 cycles in the first half, then of 400. */
STEP_OF(put_slower)
{
	for (uint64_t time = 0; time < 4 * MS; time += 1000) {
		PUT_COUNTER(&sc->trace, TOTAL, time < 2 * MS ? 40 : 400);
		put_timestamp(&sc->trace, time);
	}
}

PLAIN_SCENARIO(phases_end_where_the_latency_changes, BEGIN, GROUP(10, 0, 100),
	       GROUP(10, 4 * MS, 100 + 4000), CALL(put_slower),
	       AREA(0, 0, 0, NO_TID), RECOUNT_COUNTERS);

#define SLICES(limit)                                               \
	COMMAND("report --timeline --format=jsonl --limit=" limit), \
		HAS("\"samples\":2,"), HAS("\"type\":\"slice\"")

/* From the first time there is to the last. */
SCENARIO(all_of_the_time_in_few_slices, BEGIN, T_LOAD(1), T_LOAD(UINT64_MAX),
	 AREA(0, 0, 0, NO_TID), SLICES("1"), SLICES("2"), SLICES("3"));
