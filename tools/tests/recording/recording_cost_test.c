// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Very many of one thing in a file of a few megabytes. If reading were
 * quadratic, a test here would take minutes.
 */
#include "command.h"
#include "scenario.h"

#define MANY 100000

STEP_OF(put_breaks)
{
	const struct where where = at(1, 10, 10);

	perfdata_use_clockid(&sc->b, CLOCK_MONOTONIC);
	for (uint32_t i = 0; i < step->v[0]; i++)
		put_aux(&sc->b, 0, PERF_AUX_FLAG_PARTIAL, &where);
}

/* Areas of CPU 0, each with the record: of one number, or each of its own. */
STEP_OF(put_areas)
{
	sc->version = memory_in_use();
	put_load(&sc->trace, 0x5000, 0x9000, 10);
	for (uint64_t i = 0; i < step->v[0]; i++)
		put_auxtrace(&sc->b, step->v[1] ? i : 0, 0, NO_TID, &sc->trace);
}

SCENARIO(areas_of_one_cpu_with_the_same_breaks, CALL(put_breaks, 4 * MANY),
	 CALL(put_areas, MANY, true), NEXTS_AT(10, MANY),
	 LOSS(partial, 4 * MANY));

STEP_OF(expect_small)
{
	struct pmscope_run run;
	size_t ahead = 0, rows = 0;

	while (pmscope_recording_next_run(sc->r, true, &run) > 0) {
		rows += run.end - run.first;
		EXPECT_LE(run.batch->capacity, 256U);
		ahead += pmscope_recording_ahead(sc->r);
	}
	EXPECT_EQ(rows, step->v[0]);
	EXPECT_GT(ahead, 900 * sc->trace.size);
}

/* The rows of each, with their batch, may be kept until they are printed. */
SCENARIO(short_traces_have_small_batches_ahead, OPTIONS(.ahead = 1),
	 CALL(put_areas, 1000), OPENED, CALL(expect_small, 1000));

STEP_IS(expect_memory,
	EXPECT_LT(memory_in_use(), sc->version + sc->b.capacity + step->v[0]));

/* The first rows of each area wait until the earliest is known. */
SCENARIO(areas_with_few_rows_have_little_memory, CALL(put_areas, MANY, true),
	 NEXT(10), CALL(expect_memory, MANY * 1600));

STEP_OF(put_empty)
{
	struct bytes *trace = &sc->trace, nothing = {};

	put_load(trace, 0x5000, 0x9000, 10);
	trace->size--;
	put_auxtrace_at(&sc->b, 0, 0, 0, NO_TID, trace);
	for (uint32_t i = 0; i < step->v[0]; i++)
		put_auxtrace_at(&sc->b, trace->size, 0, 0, NO_TID, &nothing);
	put(&nothing, 0, 1); /* the last byte of its time */
	put_auxtrace_at(&sc->b, trace->size, 0, 0, NO_TID, &nothing);
	bytes_fini(&nothing);
}

/* A record that does not end, and then nothing of its area, again and again. */
SCENARIO(empty_traces_behind_a_torn_record, CALL(put_empty, 8 * MANY), NEXT(10),
	 END);
