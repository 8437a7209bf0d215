// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of a recording: of each event, and instructions per cycle. */
#include "scenario.h"

#define MS	     1000000
#define CPU_CYCLES   0x11
#define INST_RETIRED 0x08
#define LD_RETIRED   0x06

STEP_OF(put_event)
{
	if (!sc->b.size)
		bytes_add(&sc->b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	put_snapshot_event(&sc->b, step->v[0], step->v[1], step->text);
}
#define SNAPSHOT_EVENT(id, config, name) CALL_SAY(put_event, name, id, config)
#define EVENTS                                                                 \
	RAW, SNAPSHOT_EVENT(1, CPU_CYCLES, "pmu_snapshot/cpu_cycles/"),        \
		SNAPSHOT_EVENT(2, INST_RETIRED, "pmu_snapshot/inst_retired/"), \
		SNAPSHOT_EVENT(3, CPU_CYCLES, "pmu_snapshot/cpu_cycles/"),     \
		SNAPSHOT_EVENT(4, LD_RETIRED, "pmu_snapshot/ld_retired/")

/*
 * So many snapshots, a millisecond apart, of events and what each counts
 * between two of them.
 */
STEP_OF(put_snapshots)
{
	for (unsigned int i = 0; i < step->v[0]; i++) {
		struct snapshot_value values[3];
		size_t nr = 0;

		for (; nr < 3 && step->v[1 + 2 * nr]; nr++)
			values[nr] = (struct snapshot_value){
				step->v[1 + 2 * nr],
				1000 + i * step->v[2 + 2 * nr]};
		put_snapshot_group(&sc->b, 0, i * MS, values, nr);
	}
}
#define SNAPSHOTS(nr, ...) CALL(put_snapshots, nr, __VA_ARGS__)

PLAIN_SCENARIO(instructions_a_cycle_in_any_order, EVENTS,
	       SNAPSHOTS(5, 4, 7, 1, 400, 2, 200), RECOUNT_COUNTERS, ANEW,
	       EVENTS, SNAPSHOTS(5, 4, 7, 2, 200, 1, 400), RECOUNT_COUNTERS);

/* The time selects groups of script; report has no counts of a part. */
SCENARIO(a_filter_and_groups, EVENTS, SNAPSHOTS(5, 1, 400, 2, 200),
	 COMMAND("script -F time,counts --time=0.001,0.003"),
	 OUT("1000000 pmu_snapshot/cpu_cycles/=1400 "
	     "pmu_snapshot/inst_retired/=1200\n"
	     "2000000 pmu_snapshot/cpu_cycles/=1800 "
	     "pmu_snapshot/inst_retired/=1400\n"
	     "3000000 pmu_snapshot/cpu_cycles/=2200 "
	     "pmu_snapshot/inst_retired/=1600\n"),
	 COMMAND("script -F time --filter='comm=a'"), TIMES(5, "\n"),
	 COMMAND("report"), LACKS("whole recording"),
	 COMMAND("report --time=0.001,0.003"),
	 HAS("# Groups are of the whole recording, not only of what the filter "
	     "lets pass\n"));

PLAIN_SCENARIO(no_instructions_are_a_ratio_too, EVENTS,
	       SNAPSHOTS(5, 1, 400, 2, 0), RECOUNT_COUNTERS);

PLAIN_SCENARIO(without_both_there_is_no_ratio, EVENTS,
	       SNAPSHOTS(5, 1, 400, 4, 100), RECOUNT_COUNTERS, ANEW, EVENTS,
	       SNAPSHOTS(5, 4, 400, 2, 100), RECOUNT_COUNTERS, ANEW, EVENTS,
	       SNAPSHOTS(5, 1, 0, 2, 100), RECOUNT_COUNTERS);

/* Each is a row, none is counted twice. */
PLAIN_SCENARIO(an_event_twice_in_a_group, EVENTS,
	       SNAPSHOTS(5, 1, 400, 3, 400, 2, 200), RECOUNT_COUNTERS);

#define STALLS                                                           \
	RAW, SNAPSHOT_EVENT(1, CPU_CYCLES, "pmu_snapshot/cpu_cycles/"),  \
		SNAPSHOT_EVENT(2, 0x23, "pmu_snapshot/stall_frontend/"), \
		SNAPSHOT_EVENT(3, 0x24, "pmu_snapshot/stall_backend/")

/* A CPU that counts none knows nothing of them. */
SCENARIO(cycles_that_were_lost, STALLS,
	 SNAPSHOTS(5, 1, 400000, 2, 40000, 3, 200000), COMMAND("report"),
	 HAS("# Of 1.6 M cycles 60.0% were lost: in 50.0% the back end could "
	     "take no operation, in 10.0% the front end had none.\n"),
	 COMMAND("report --filter=cpu=0"), LACKS("were lost"), ANEW, STALLS,
	 SNAPSHOTS(5, 1, 400000, 2, 0, 3, 0), COMMAND("report"),
	 LACKS("were lost"), ANEW, STALLS, SNAPSHOTS(5, 1, 400000, 3, 40000),
	 COMMAND("report"), LACKS("were lost"));

STEP_OF(put_zero_group)
{
	static const struct snapshot_value values[] = {
		{1, 0}, {2, 0}, {3, 0}, {4, 0}};

	put_snapshot_group(&sc->b, 0, MS, values, 4);
}

/* Whatever else is called so. */
SCENARIO(names_of_columns_are_not_the_same, RAW,
	 SNAPSHOT_EVENT(1, LD_RETIRED, "a"),
	 SNAPSHOT_EVENT(2, LD_RETIRED, "a #2"),
	 SNAPSHOT_EVENT(3, LD_RETIRED, "a"),
	 SNAPSHOT_EVENT(4, LD_RETIRED, "samples"), CALL(put_zero_group),
	 COMMAND("report --timeline --format=csv"),
	 HAS("ipc,a,a #2,a #3,samples #2\n"));

/* The group that loads are counted in is there for longer. */
PLAIN_SCENARIO(an_event_in_each_of_two_groups, EVENTS,
	       SNAPSHOTS(5, 1, 400, 2, 200), SNAPSHOTS(9, 3, 900, 4, 10),
	       RECOUNT_COUNTERS);

/* One in 32 time slices. */
PLAIN_SCENARIO(rare_events_are_in_the_slices, EVENTS, SNAPSHOTS(2, 4, 1),
	       RECOUNT_COUNTERS);

/* Groups took turns on the counters of their PMU. */
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
