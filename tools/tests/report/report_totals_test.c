// SPDX-License-Identifier: GPL-2.0-or-later
/* report of a recording with what SPE counts of itself: operations of a row. */
#include "scenario.h"

#define NR_LOADS 4

/* One in a hundred operations was sampled, and none lost; or nine of ten. */
#define WHOLE 100000, 1000, NR_LOADS
#define LOSSY 100000, 1000, 10 * NR_LOADS

static uint64_t id_of(uint64_t cpu, unsigned int event)
{
	return 100 * (cpu + 1) + event;
}

STEP_OF(put_events)
{
	static const char *const names[] = {"pmu_snapshot/sample_pop/",
					    "pmu_snapshot/sample_feed/",
					    "pmu_snapshot/sample_filtrate/"};

	for (uint64_t cpu = 0; cpu < step->v[0]; cpu++)
		for (unsigned int i = 0; i < 3; i++)
			put_snapshot_event(&sc->b, id_of(cpu, i), 0x4000 + i,
					   names[i]);
}
#define COUNTED_ON(cpus) \
	PIPE, CALL(put_events, cpus), INFO(TYPE_ARM_SPE), CONV(0, 1, 0)
#define LOADS_ON(cpu) T_TIMES(1, NR_LOADS, 1), AREA(0, cpu, cpu, NO_TID)

/* Population, feed and filtrate of a CPU's SPE, as another CPU reads them. */
STEP_OF(put_counts)
{
	struct snapshot_value values[3];

	for (unsigned int i = 0; i < 3; i++)
		values[i] = (struct snapshot_value){id_of(step->v[0], i),
						    step->v[2 + i]};
	put_snapshot_group(&sc->b, step->v[1], 9, values, 3);
}
#define COUNTS(...) CALL(put_counts, __VA_ARGS__)

PLAIN_SCENARIO(rows_tell_their_operations, COUNTED_ON(1), LOADS_ON(0),
	       COUNTS(0, 0, WHOLE), RECOUNT);

SCENARIO(not_where_none_were_counted, COUNTED_ON(0), LOADS_ON(0),
	 COMMAND("report --format=jsonl"), LACKS("operations"),
	 COMMAND("report --format=csv"), HAS(",events,sources\n"));

/* Of two CPUs, with the counts of one, and who read the other's at last. */
#define ON_TWO(...)                                                         \
	COUNTED_ON(2), LOADS_ON(0), LOADS_ON(1), COUNTS(0, 0, __VA_ARGS__), \
		COUNTS(0, 0, __VA_ARGS__)
#define SECOND_READ_BY(cpu) COUNTS(1, 1, LOSSY), COUNTS(1, cpu, LOSSY)

/*
 * The second one lost nine of ten. What the first one sampled and did not
 * count yet makes up for none of it.
 */
PLAIN_SCENARIO(each_CPU_has_a_scale_of_its_own, ON_TWO(WHOLE),
	       SECOND_READ_BY(1), RECOUNT, ANEW, ON_TWO(100000, 1000, 1),
	       SECOND_READ_BY(1), RECOUNT);

/* If another CPU read them too, or one has none, use the sum. */
PLAIN_SCENARIO(counts_that_are_not_of_one_CPU, ON_TWO(WHOLE), SECOND_READ_BY(0),
	       RECOUNT, ANEW, ON_TWO(WHOLE), RECOUNT);
