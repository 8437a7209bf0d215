// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples with call chains, and the callers that functions get from them. */
#include "scenario.h"

#define TYPE	    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CALLCHAIN)
#define KERNEL_CODE 0xffff800080001000
#define ADDRESS	    0x400100

#define CHAINS(type, with, ...)                                           \
	BARE, OPTIONS(.chains = (with), .no_trace = true), TYPE_IS(type), \
		RECORD(PERF_RECORD_SAMPLE, 0, PERFDATA_ID, ##__VA_ARGS__)

STEP_IS(expect_address, EXPECT_EQ(sc->s.chain[step->v[0]], step->v[1]));

SCENARIO(addresses_without_the_marks_between,
	 CHAINS(TYPE, true, 5, (uint64_t)PERF_CONTEXT_KERNEL, KERNEL_CODE,
		(uint64_t)PERF_CONTEXT_USER, ADDRESS, 0x400200),
	 TAKE, IS(s.kind, PMSCOPE_SAMPLE_CHAIN), IS(s.nr_chain, 3),
	 CALL(expect_address, 0, KERNEL_CODE), CALL(expect_address, 1, ADDRESS),
	 CALL(expect_address, 2, 0x400200), END, LOSS(other_samples, 0),
	 LOSS(unread_chains, 0));

/* The chain comes behind the values of a single counter. */
SCENARIO(chain_behind_a_count,
	 CHAINS(TYPE | PERF_SAMPLE_READ, true, 77, 1, ADDRESS), TAKE,
	 IS(s.nr_chain, 1), CALL(expect_address, 0, ADDRESS));

SCENARIO(chains_are_counted_unless_asked_for, CHAINS(TYPE, false, 1, ADDRESS),
	 END, LOSS(other_samples, 0), LOSS(unread_chains, 1));

/* What report and script say on standard error or in the head. */
TEST(report_tells_chains_from_other_samples)
{
	static const char chains[] =
		"2 call chains (record -g): the field 'callers' shows them\n";
	static const char others[] = "samples of other events";

	PLAY(CHAINS(TYPE, true, 1, ADDRESS),
	     RECORD(PERF_RECORD_SAMPLE, 0, PERFDATA_ID, 1, ADDRESS),
	     COMMAND("report 2>/dev/null"), HAS(chains), LACKS(others),
	     COMMAND("report --timeline 2>/dev/null"), HAS(chains),
	     COMMAND("script 2>&1 >/dev/null"), HAS(chains),
	     COMMAND("report --sort=callers 2>/dev/null"), LACKS(chains),
	     LACKS(others), COMMAND("report --format=jsonl 2>/dev/null"),
	     HAS("\"other_samples\":0,"), HAS("\"call_chains\":2"));
}

#define TICK(time, tid)                                                        \
	RECORD(PERF_RECORD_SAMPLE, 0, PERFDATA_ID, ADDRESS, (tid)*0x100000001, \
	       time, 1)

/* A clock tells where a thread was. */
SCENARIO(samples_of_a_clock, BARE, OPTIONS(.clocks = true),
	 APPLY(perfdata_use_cpu_clock), TICK(50, 7), NEXT(50), TID(7),
	 IS(s.kind, PMSCOPE_SAMPLE_CHAIN), IS(s.is_clock, true),
	 IS(s.ip, ADDRESS), IS(s.nr_chain, 1), CALL(expect_address, 0, ADDRESS),
	 END, LOSS(other_samples, 0), ANEW, BARE, APPLY(perfdata_use_cpu_clock),
	 TICK(50, 7), END, LOSS(other_samples, 1));

/* @nr of a thread */
STEP_OF(ticks)
{
	for (uint64_t i = 0; i < step->v[0]; i++) {
		BYTES body = {};

		PUT(&body, 8, PERFDATA_ID, ADDRESS, step->v[1] * 0x100000001,
		    10 + i, 1);
		put_record(&sc->b, PERF_RECORD_SAMPLE, 0, &body);
	}
}

/* Thread 7 has most of the samples, and thread 8 of the time. */
SCENARIO(rows_by_time, APPLY(perfdata_use_cpu_clock), COMM(1, 7, 7, "often"),
	 COMM(1, 8, 8, "slow"), CALL(ticks, 40, 7), CALL(ticks, 120, 8),
	 LOADS(200, 290, 10, 0, 7), LOAD(300, 0, 8),
	 COMMAND("report --sort=comm --format=csv"), HAS("\nslow,1,0.750000,"),
	 HAS("\noften,10,0.250000,"), COMMAND("report --sort=comm"),
	 HAS("a clock was sampled 160 times"), LACKS("time is not known"),
	 COMMAND("report --sort=comm --weight=cost --format=csv"),
	 LACKS("clock_samples"), COMMAND("report --sort=op --weight=time 2>&1"),
	 HAS("rows are ordered by cost"),
	 COMMAND("report --sort=comm "
		 "--filter=comm=slow --format=csv --weight=time"),
	 HAS("clock_samples"), LACKS("often"));

/* SPE records of thread 7 at one address */
STEP_OF(put_run)
{
	for (uint64_t time = step->v[1]; time <= step->v[2]; time += step->v[3])
		put_load_of(&sc->trace, 7, step->v[0], 0x9000, time);
}

STEP_IS(put_turns, for (uint64_t i = 0; i < 300; i++)
			   put_load_of(&sc->trace, 7, 0x10010 << i % 2, 0x9000,
				       100 + 10 * i))

#define SLOW(...)  CALL(put_run, 0x10010, __VA_ARGS__)
#define QUICK(...) CALL(put_run, 0x20010, __VA_ARGS__)
#define SWITCHES                                            \
	APPLY(perfdata_use_switches), COMM(1, 7, 7, "app"), \
		MAP(2, 7, 0x10000, "/slow"), MAP(3, 7, 0x20000, "/quick")
#define TRACE AREA(0, 0, 0, NO_TID)

/*
 * 1000 ns between samples of one file, 149 of the other, 1 between both, and 50
 * after the thread has run again.
 */
SCENARIO(rows_by_gaps, SWITCHES, SWITCH(1260, 0, 7, 7), SLOW(100, 1100, 10),
	 QUICK(1101, 1250, 1), QUICK(2000, 2050, 1), TRACE,
	 COMMAND("report --sort=dso --format=csv --threads=1"),
	 HAS("\n/slow,101,0.833750,"), HAS(",1000,0\n"),
	 HAS("\n/quick,201,0.166250,"), HAS(",199,0\n"),
	 COMMAND("report --sort=dso --threads=3"),
	 HAS("# Shares are of the time between samples of a thread, 0.00 us on "
	     "average, 0.001 ms in all, as no clock was recorded\n"),
	 HAS("83.38%   0.04%"), HAS("16.62%   0.04%"), LACKS("not known"),
	 COMMAND("report --sort=dso --filter=dso=/quick --format=csv"),
	 HAS("\n/quick,201,1.000000,"), HAS(",199,0\n"));

/* Those behind which the buffer was full, or of a thread that did not run */
SCENARIO(gaps_that_do_not_count, SWITCHES, SLOW(100, 1100, 10),
	 SLOW(5000, 5100, 1), TRACE,
	 SIDE(PERF_RECORD_AUX, 0, 2000, 7, 7, 0, 8, PERF_AUX_FLAG_TRUNCATED),
	 COMMAND("report --sort=dso --format=csv"), HAS(",1100,0\n"));

/* Rows that take turns share what is between them: nobody knows how. */
SCENARIO(rows_that_alternate, SWITCHES, CALL(put_turns), TRACE,
	 COMMAND("report --sort=dso"),
	 HAS("# No clock was recorded, and time is not known: rows with "
	     "100.0% of it take turns faster than samples, which come each "
	     "0.01 us on average\n"),
	 COMMAND("report --sort=dso --weight=time 2>&1"),
	 HAS("rows are ordered by cost"));

SCENARIO(without_a_clock_time_is_not_known, LOADS(200, 290, 10, 0, 7),
	 COMMAND("report"),
	 HAS("# No clock was recorded, so time is not known"));

/* More addresses than there are; or no number at all. */
TEST(damaged_chains)
{
	static const uint64_t numbers[] = {2, 3, UINT64_MAX / 8, UINT64_MAX};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		PLAY(CHAINS(TYPE, true, numbers[i], ADDRESS), END,
		     ERROR("lacks its call chain"));
	PLAY(CHAINS(TYPE, true), END, ERROR("lacks its call chain"));
}
