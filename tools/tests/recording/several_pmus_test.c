// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One recording of different CPUs, each kind with its own SPE PMU: the meaning
 * of a code depends on the CPU, even if two records are equal otherwise.
 */
#include "scenario.h"

#define RECORDS	      64
#define USER_PC	      (UINT64_C(1) << 63 | 0x5000)
#define MIDR_N1	      0x410fd0c0
#define MIDR_HIP12    0x480fd060
#define PMU_OF_LITTLE 10
#define PMU_OF_BIG    11

/* From source 8, and with an event that has a name on a Neoverse N1. */
static void put_load_with_event(struct bytes *b, uint64_t time)
{
	PUT_ADDRESS(b, PC, USER_PC);
	PUT_CONTEXT(b, 0, 10);
	PUT_OPERATION(b, LOAD_STORE, 0);
	PUT_EVENTS(b, 2, 1 << 12);
	PUT_SOURCE(b, 1, 8);
	put_timestamp(b, time);
}

STEP_OF(put_loads)
{
	for (uint64_t t = step->v[0]; t <= step->v[1]; t += step->v[2])
		put_load_with_event(&sc->trace, t);
}

static const uint64_t cpus[][4] = {{0, MIDR_N1, PMU_OF_LITTLE},
				   {4, MIDR_HIP12, PMU_OF_BIG}};

/* The same thread and code, by turns on both. */
#define TWO_PMUS                                                       \
	BARE, INFO_V2(cpus, 2, 3), CONV(0, 1, 0),                      \
		CALL(put_loads, 2, RECORDS, 2), AREA(0, 0, 0, NO_TID), \
		CALL(put_loads, 1, RECORDS, 2), AREA(0, 1, 4, NO_TID)

TEST(script_names_sources_by_the_cpu)
{
	static const char *const forms[][3] = {
		{"script", "[0] ", "[4] "},
		{"script --format=jsonl", "\"cpu\":0,", "\"cpu\":4,"},
		{"script --format=csv -F cpu,source,source_name", "0,8,L2\n",
		 "4,8,local memory\n"},
		{"script --format=csv", ",8,L2,", ",8,local memory,"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		PLAY(TWO_PMUS, COMMAND(forms[i][0]), TIMES(RECORDS / 2, "L2"),
		     TIMES(RECORDS / 2, "local memory"),
		     TIMES(RECORDS / 2, forms[i][1]),
		     TIMES(RECORDS / 2, forms[i][2]));
}

SCENARIO(report_has_a_row_for_each_meaning, TWO_PMUS,
	 COMMAND("report --sort=source --format=csv"), TIMES(1, "\nL2,32,0.5"),
	 TIMES(1, "\nlocal memory,32,0.5"),
	 /* Within one row, too, with the shares of its sources. */
	 COMMAND("report --sort=tid --format=csv"), TIMES(1, "\n10,64,1.0"),
	 TIMES(1, "L2=32"), TIMES(1, "local memory=32"));

/* Whichever CPU is the last: a count is of both, so it has no name of one. */
SCENARIO(report_counts_events_by_a_name_for_all, TWO_PMUS,
	 COMMAND("report --sort=cpu --format=csv"), TIMES(0, "LATE-PREFETCH"),
	 TIMES(2, "IMPDEF:12=32"), COMMAND("report --sort=tid --format=csv"),
	 TIMES(0, "LATE-PREFETCH"), TIMES(1, "IMPDEF:12=64"),
	 COMMAND("report --sort=tid --format=csv --filter=cpu=0"),
	 TIMES(1, "IMPDEF:12=32"));

SCENARIO(filters_know_the_cpu, TWO_PMUS,
	 COMMAND("script --format=csv -F cpu --filter=source=L2 2>&1"),
	 TIMES(RECORDS / 2, "\n0"), TIMES(0, "\n4"),
	 TIMES(1, "32 samples filtered out"));

#define MANY 16

STEP_OF(put_many)
{
	for (uint64_t i = 0; i < step->v[0]; i++) {
		put_load_with_event(&sc->trace, i + 1);
		put_auxtrace(&sc->b, i, i, NO_TID, &sc->trace);
		sc->trace.size = 0;
	}
}

/* A remembered record does not apply to another CPU's. */
TEST(the_only_record_of_each_cpu)
{
	uint64_t many[MANY][4];

	for (uint64_t i = 0; i < MANY; i++) {
		memcpy(many[i], cpus[i == MANY - 1], sizeof(many[i]));
		many[i][0] = i;
	}
	PLAY(BARE, INFO_V2(many, MANY, 3), CONV(0, 1, 0), CALL(put_many, MANY),
	     COMMAND("script --format=csv"), TIMES(MANY - 1, "L2"),
	     TIMES(MANY - 1, "LATE-PREFETCH"), TIMES(1, "IMPDEF:12"));
}
