// SPDX-License-Identifier: GPL-2.0-or-later
/* report --timeline: slices of the time, counts shared among them, phases. */
#include "scenario.h"

#include <pmscope/packet.h>

#define MS	 1000000
#define MAX_ROWS 64

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

/* The rows of the CSV that have samples. */
static struct row {
	unsigned int phase;
	uint64_t time, duration, samples;
	double latency, count;
} rows[MAX_ROWS];
static size_t nr_rows;
static uint64_t all_samples, all_time;
static double all_counts;

STEP_OF(read_rows)
{
	nr_rows = all_samples = all_time = 0;
	all_counts = 0;
	for (const char *at = sc->out; at && nr_rows < MAX_ROWS;
	     at = (at = strchr(at, '\n')) ? at + 1 : NULL) {
		struct row *row = &rows[nr_rows];

		if (sscanf(at, "%u,%lu,%lu,%lu,%*u,%lf,,%lf", &row->phase,
			   &row->time, &row->duration, &row->samples,
			   &row->latency, &row->count) != 6)
			continue;
		if (step->v[0])
			EXPECT_EQ(row->time, all_time);
		all_time += row->duration;
		all_samples += row->samples;
		all_counts += row->count;
		nr_rows++;
	}
	EXPECT_GE(nr_rows, step->v[1]);
	EXPECT_LE(nr_rows, step->v[2]);
}
/* At least @least and at most @most of them, one behind the other. */
#define ROWS(options, least, most)                          \
	COMMAND("report --timeline --format=csv " options), \
		CALL(read_rows, true, least, most)

STEP_OF(expect_all)
{
	EXPECT_EQ(all_samples, 2200U);
	EXPECT_TRUE(all_counts > 16999 && all_counts < 17001);
	for (size_t i = 0; i < nr_rows; i++)
		EXPECT_TRUE(!rows[i].samples || rows[i].latency == 9);
}

SCENARIO(all_is_in_some_slice, RECORDED, ROWS("--limit=16", 9, 16),
	 CALL(expect_all));

STEP_OF(expect_part)
{
	EXPECT_EQ(all_samples, step->v[0]);
	EXPECT_TRUE(all_counts > step->v[1] - 20. &&
		    all_counts < step->v[1] + 20.);
}

#define CHOSEN(time, samples, counts)                                      \
	COMMAND("report --timeline --format=csv --limit=16 --time=" time), \
		CALL(read_rows, false, 8, 17),                             \
		CALL(expect_part, samples, counts)

/* Of a count whose time is partly chosen, the part that is. */
SCENARIO(chosen_times_have_their_part_of_counts, RECORDED,
	 CHOSEN("0.001,0.003", 1101, 500 + 8000),
	 CHOSEN("0.001,0.002", 1001, 500), CHOSEN("0.0025,0.0029", 41, 3200));

/* A load each microsecond, and its AUX record and a count each millisecond. */
#define AHEAD (UINT64_C(1000000) * 1000 * MS)
#define ONE_MS(nr)                                           \
	T_TIMES(((nr)-1) * MS + 1000, (nr)*MS - 1000, 1000), \
		AUX_PART(AHEAD + (nr)*MS, 10),               \
		GROUP(10, AHEAD + (nr)*MS, 100 + (nr)*1000)

STEP_OF(expect_both)
{
	for (size_t i = 0; i + 1 < nr_rows; i++) {
		EXPECT_GT(rows[i].samples, 0U);
		EXPECT_GT(rows[i].count, 0.0);
	}
}

/*
 * All but the SPE records is timed by another clock, which is days ahead:
 * counts are in the slices of their samples.
 */
SCENARIO(groups_that_are_timed_by_another_clock, BEGIN, CLOCK(CLOCK_BOOTTIME),
	 ITRACE(AHEAD, 0, 10, 10), GROUP(10, AHEAD, 100), ONE_MS(1), ONE_MS(2),
	 ONE_MS(3), ONE_MS(4), COMMAND("report --timeline --format=csv"),
	 CALL(read_rows, false, 11, MAX_ROWS), CALL(expect_both));

STEP_IS(expect_all_samples, EXPECT_EQ(all_samples, 2200U));

/* All of it is in the slices, however many there are. */
TEST(no_more_rows_than_asked_for)
{
	char command[64];

	for (size_t most = 1; most <= 17; most++) {
		snprintf(command, sizeof(command),
			 "report --timeline --format=csv --limit=%zu", most);
		PLAY(RECORDED, COMMAND(command),
		     CALL(read_rows, true, most / 2 + 1, most),
		     CALL(expect_all_samples));
	}
}

#define WITHOUT(time) T_PACKET(PMSCOPE_PACKET_EVENTS, 0, 1, 2), T_TIME(time)

SCENARIO(text_says_how_many_latencies_a_mean_is_of, BEGIN, T_LOAD(10),
	 WITHOUT(20), WITHOUT(30), AREA(0, 0, 0, NO_TID),
	 COMMAND("report --timeline"),
	 HAS("  Samples    Timed Mean cyc    IPC"),
	 HAS("        3        1      9.0      -"));

STEP_OF(expect_rates)
{
	for (size_t i = 0; i < nr_rows; i++) {
		uint64_t end = rows[i].time + rows[i].duration;
		double wanted =
			rows[i].duration * (end <= 2 * MS ? 0.5 : 8.0) / 1000;

		/* But for the slice both rates are in. */
		if (end <= 2 * MS || rows[i].time >= 2 * MS)
			EXPECT_TRUE(rows[i].count > wanted - 1 &&
				    rows[i].count < wanted + 1);
	}
}

SCENARIO(counts_are_shared_by_time, RECORDED, ROWS("--limit=16", 9, 16),
	 CALL(expect_rates));

STEP_IS(expect_3000, EXPECT_TRUE(all_counts > 2999 && all_counts < 3001));

/*
 * Two alternating threads: one counts 2000, the other 1000. The sum is read at
 * the end.
 */
SCENARIO(threads_count_for_themselves, BEGIN, APPLY(perfdata_inherit),
	 GROUP(10, 0, 5000), GROUP(11, 1 * MS, 100), GROUP(10, 2 * MS, 6000),
	 GROUP(11, 3 * MS, 1100), GROUP(10, 4 * MS, 7000),
	 GROUP(NO_TID, 4 * MS, 8100), SOME_LOADS, ROWS("--limit=16", 1, 16),
	 CALL(expect_3000));

/* Cycles of threads, by what each inherited. */
#define OF_THREADS \
	BEGIN, APPLY(perfdata_inherit), EVENT_NAME(PERFDATA_ID, "cycles")

/* 2000 in 4 ms of one thread, 1000 in 2 ms of the other. */
SCENARIO(rates_are_those_of_one_thread, OF_THREADS, GROUP(10, 0, 5000),
	 GROUP(11, 1 * MS, 100), GROUP(11, 3 * MS, 1100),
	 GROUP(10, 4 * MS, 7000), COMMAND("report"),
	 HAS("Per second       Event\n"), HAS(" of each CPU or thread\n"),
	 HAS("4  3000                 500000 "));

/* A thread ends, and another gets its number: 1000 in 1 ms, 3000 in 3 ms. */
SCENARIO(rates_of_threads_with_one_number, OF_THREADS, GROUP(10, 0, 5000),
	 GROUP(10, 1 * MS, 6000), GROUP(10, 2 * MS, 100),
	 GROUP(10, 5 * MS, 3100), COMMAND("report"),
	 HAS("4  4000                 1000000 "));

/* As the timeline has it. */
SCENARIO(rates_of_events_without_a_name, BEGIN, GROUP(10, 0, 100),
	 GROUP(10, 2 * MS, 1100), COMMAND("report"),
	 HAS("2  1000                 500000 "), HAS(" event 0\n"),
	 COMMAND("report --timeline"), HAS(": event 0\n"));

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

/* A group without events of pmu_snapshot is not a snapshot, but is shown. */
SCENARIO(groups_are_no_snapshots, RECORDED, COMMAND("report"),
	 HAS(": 2200 SPE samples, 0 snapshots, "
	     "3 other groups of counters\n"),
	 COMMAND("report --format=jsonl"), HAS("\"snapshots\":0,\"groups\":3,"),
	 COMMAND("report --timeline --limit=4 --format=jsonl"),
	 HAS("\"snapshots\":0,\"groups\":3,"));

/* In the middle; the slice with the change may be its own phase. */
STEP_OF(expect_change)
{
	ASSERT_TRUE(nr_rows);
	EXPECT_EQ(rows[0].phase, 1U);
	for (size_t i = 0; i < nr_rows; i++) {
		if (rows[i].time + rows[i].duration <= 2 * MS)
			EXPECT_EQ(rows[i].phase, 1U);
		else
			EXPECT_TRUE(rows[i].phase > 1);
	}
	EXPECT_TRUE(rows[nr_rows - 1].phase <= 3);
}
#define CHANGE ROWS("--limit=32", 17, 32), CALL(expect_change)

SCENARIO(phases_end_where_the_mix_changes, RECORDED, CHANGE);

/* A record each microsecond, of 40 cycles in the first half, then of 400. */
STEP_OF(put_slower)
{
	for (uint64_t time = 0; time < 4 * MS; time += 1000) {
		put_packet(&sc->trace, PMSCOPE_PACKET_COUNTER,
			   PMSCOPE_COUNTER_TOTAL, 2, time < 2 * MS ? 40 : 400);
		put_timestamp(&sc->trace, time);
	}
}

SCENARIO(phases_end_where_the_latency_changes, BEGIN, GROUP(10, 0, 100),
	 GROUP(10, 4 * MS, 100 + 4000), CALL(put_slower), AREA(0, 0, 0, NO_TID),
	 CHANGE);

#define SLICES(limit)                                               \
	COMMAND("report --timeline --format=jsonl --limit=" limit), \
		HAS("\"samples\":2,"), HAS("\"type\":\"slice\"")

/* From the first time there is to the last. */
SCENARIO(all_of_the_time_in_few_slices, BEGIN, T_LOAD(1), T_LOAD(UINT64_MAX),
	 AREA(0, 0, 0, NO_TID), SLICES("1"), SLICES("2"), SLICES("3"));

SCENARIO(filtered_samples_are_not_counted, RECORDED,
	 ROWS("--filter=lat'>=10'", 0, 0));
