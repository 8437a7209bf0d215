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
#define COUNTS(...)	CALL(put_counts, __VA_ARGS__)
#define REPORT(options) COMMAND("report " options)

/* 4 * 100, +- 1.96 * 100 * sqrt(4 * 0.99) */
SCENARIO(rows_tell_their_operations, COUNTED_ON(1), LOADS_ON(0),
	 COUNTS(0, 0, WHOLE), REPORT("--sort=op --format=jsonl"),
	 HAS("\"population\":100000,\"sampled\":0.01"),
	 HAS("\"operations\":400,\"error95\":390,"),
	 REPORT("--sort=op --format=csv"),
	 HAS(",events,sources,operations,error95\n"), HAS("=4,400,390\n"));

SCENARIO(not_where_none_were_counted, COUNTED_ON(0), LOADS_ON(0),
	 REPORT("--sort=op --format=jsonl"), LACKS("operations"),
	 REPORT("--sort=op --format=csv"), HAS(",events,sources\n"),
	 HAS("=4\n"));

/* Of two CPUs, with the counts of one, and who read the other's at last. */
#define ON_TWO(...)                                                         \
	COUNTED_ON(2), LOADS_ON(0), LOADS_ON(1), COUNTS(0, 0, __VA_ARGS__), \
		COUNTS(0, 0, __VA_ARGS__)
#define SECOND_READ_BY(cpu) COUNTS(1, 1, LOSSY), COUNTS(1, cpu, LOSSY)

/*
 * The second one lost nine of ten: 10 * 4 * 100, +- 1.96 * 1000 * sqrt(4 *
 * 0.99) What the first one sampled and did not count yet makes up for none of
 * it.
 */
SCENARIO(each_CPU_has_a_scale_of_its_own, ON_TWO(WHOLE), SECOND_READ_BY(1),
	 REPORT("--sort=cpu --format=csv"), HAS("\n0,4,0.5"),
	 HAS("=4,400,390\n"), REPORT("--sort=cpu --format=csv --threads=2"),
	 HAS("\n1,4,0.5"), HAS("=4,4000,3900\n"),
	 REPORT("--sort=op --format=jsonl"), HAS("\"lost_records\":36"),
	 HAS("\"operations\":4400,\"error95\":3920,"),
	 REPORT("--sort=cpu --format=csv --filter=cpu=1"), HAS("\n1,4,1.0"),
	 HAS("=4,4000,3900\n"), REPORT("--sort=cpu"),
	 HAS("# Of 200000 operations one in 100.0 was sampled; "
	     "36 records were lost\n"),
	 ANEW, ON_TWO(100000, 1000, 1), SECOND_READ_BY(1),
	 REPORT("--sort=op --format=jsonl"), HAS("\"lost_records\":36"),
	 HAS("\"operations\":4400,\"error95\":3920,"));

/* If another CPU read them too, or one has none, use the sum. */
SCENARIO(counts_that_are_not_of_one_CPU, ON_TWO(WHOLE), SECOND_READ_BY(0),
	 REPORT("--sort=cpu --format=csv"), HAS("=4,2200,"), LACKS("=4,400,"),
	 ANEW, ON_TWO(WHOLE), REPORT("--sort=cpu --format=csv --filter=cpu=1"),
	 HAS("\n1,4,1.0"), HAS("=4,400,390\n"));
