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

/* In total, and in the only slice, followed by @slice. */
#define HALF(slice)                                                  \
	COMMAND("report"), HAS("# 0.500 instructions per cycle\n"),  \
		COMMAND("report --timeline --limit=1 --format=csv"), \
		HAS(",0,0,,0.500000," slice)

SCENARIO(instructions_a_cycle_in_any_order, EVENTS,
	 SNAPSHOTS(5, 4, 7, 1, 400, 2, 200), HALF(""), ANEW, EVENTS,
	 SNAPSHOTS(5, 4, 7, 2, 200, 1, 400), HALF(""));

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

/* Behind the words, or nowhere if there are none. */
STEP_OF(expect_ipc)
{
	const char *line = strstr(sc->out, "{\"type\":\"ipc\"");

	EXPECT_TRUE(step->text ? line && strstr(line, step->text) : !line);
}
#define IPC(words) \
	COMMAND("report --format=jsonl"), CALL_SAY(expect_ipc, words, 0)

SCENARIO(no_instructions_are_a_ratio_too, EVENTS, SNAPSHOTS(5, 1, 400, 2, 0),
	 IPC("\"value\":0.000000}"));

SCENARIO(without_both_there_is_no_ratio, EVENTS, SNAPSHOTS(5, 1, 400, 4, 100),
	 IPC(NULL), ANEW, EVENTS, SNAPSHOTS(5, 4, 400, 2, 100), IPC(NULL), ANEW,
	 EVENTS, SNAPSHOTS(5, 1, 0, 2, 100), IPC(NULL));

/* Each is a row, none is counted twice. */
SCENARIO(an_event_twice_in_a_group, EVENTS,
	 SNAPSHOTS(5, 1, 400, 3, 400, 2, 200), COMMAND("report"),
	 HAS("# 0.500 instructions per cycle\n"), TIMES(2, "5  1600 "),
	 COMMAND("report --timeline --limit=1 --format=jsonl"),
	 HAS("\"ipc\":0.500000,"), HAS("\"pmu_snapshot/cpu_cycles/\":1600.0"),
	 HAS("\"pmu_snapshot/cpu_cycles/ #2\":1600.0"));

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

STEP_OF(put_many_events)
{
	struct snapshot_value values[32];

	bytes_add(&sc->b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	for (uint64_t id = 0; id < 32; id++)
		put_snapshot_event(&sc->b, id,
				   id == 30   ? CPU_CYCLES
				   : id == 31 ? INST_RETIRED
					      : LD_RETIRED,
				   "pmu_snapshot/e/");
	for (uint64_t i = 0; i < 3; i++) {
		for (uint64_t id = 0; id < 32; id++)
			values[id] = (struct snapshot_value){
				id, i * (id == 30 ? 400 : 200)};
		put_snapshot_group(&sc->b, 0, i * MS, values, 32);
	}
}

/* A timeline has columns for at most 16. */
SCENARIO(cycles_of_a_group_with_many_events, RAW, CALL(put_many_events),
	 COMMAND("report --timeline --limit=1 --format=csv"),
	 HAS(",0,0,,0.500000,400.0"));

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
SCENARIO(an_event_in_each_of_two_groups, EVENTS, SNAPSHOTS(5, 1, 400, 2, 200),
	 SNAPSHOTS(9, 3, 900, 4, 10), HALF("1600.0"));

STEP_OF(expect_one_load)
{
	double sum = 0;

	for (const char *at = sc->out; (at = strstr(at, "ld_retired/\":"));) {
		at += strlen("ld_retired/\":");
		sum += strtod(at, NULL);
	}
	EXPECT_TRUE(sum > 0.999 && sum < 1.001);
}

/* One in 32 time slices. */
SCENARIO(rare_events_are_in_the_slices, EVENTS, SNAPSHOTS(2, 4, 1),
	 COMMAND("report --timeline --limit=32 --format=jsonl"),
	 CALL(expect_one_load));
