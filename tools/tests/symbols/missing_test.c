// SPDX-License-Identifier: GPL-2.0-or-later
/* Trace data that a recording's AUX records mention, but which is not in it. */
#include "scenario.h"

STEP_OF(put_told)
{
	const struct where where = {step->v[3], step->v[3], 5, step->v[2]};

	put_aux_at(&sc->b, step->v[0], step->v[1], step->v[4], &where);
}
#define TOLD_WITH(begin, size, cpu, tid, flags) \
	CALL(put_told, begin, size, cpu, tid, flags)
#define TOLD(begin, size, cpu, tid) TOLD_WITH(begin, size, cpu, tid, 0)
/* Trace data: of a CPU without a thread, or of a thread without a CPU. */
#define TRACED(begin, size, index, cpu, tid) \
	T_TIMES(1, (size) / 64, 1), AREA(begin, index, cpu, tid)
#define OF_CPU_0(begin, size) TRACED(begin, size, 0, 0, NO_TID)
#define MISSING(bytes)	      ERROR(""), LOSS(missing_trace, bytes)

/* Records mention 256 bytes of an area; the trace has the first. */
#define OF_256(traced, flags)                                              \
	TOLD_WITH(0, 192, 0, 10, flags), TOLD_WITH(192, 64, 0, 11, flags), \
		OF_CPU_0(0, traced)

SCENARIO(trace_behind_the_last_is_missing, OF_256(64, 0), MISSING(192), ANEW,
	 OF_256(192, PERF_AUX_FLAG_TRUNCATED), MISSING(64), ANEW,
	 OF_256(256, 0), MISSING(0), ANEW,
	 /* The driver goes on writing while perf reads. */
	 OF_256(320, 0), MISSING(0));

/* perf record -S: an offset is the end of a snapshot. */
SCENARIO(of_a_ring_nothing_is_missing, OF_256(64, PERF_AUX_FLAG_OVERWRITE),
	 MISSING(0));

STEP_IS(cut_trace, sc->b.size -= 64);
STEP_IS(expect_an_error, EXPECT_TRUE(*pmscope_recording_error(sc->r)));

/* For a truncated file there is an error instead, with the position. */
SCENARIO(of_a_file_that_is_cut_the_error_tells, TOLD(0, 256, 0, 10),
	 OF_CPU_0(0, 128), CALL(cut_trace), OPENED, CALL(expect_an_error),
	 LOSS(missing_trace, 0));

/* perf may write a record before or after the trace data that it mentions. */
SCENARIO(the_order_in_the_file_does_not_matter, OF_CPU_0(0, 128),
	 TOLD(64, 128, 0, 10), OF_CPU_0(128, 64), TOLD(0, 64, 0, 10),
	 MISSING(0));

#define OF_THREADS(traced)                                             \
	TOLD(0, 640, 0, 10), TOLD(0, 64, 1, 11), TOLD(64, 128, 0, 11), \
		TRACED(0, 640, 0, NO_CPU, 10),                         \
		TRACED(0, traced, 1, NO_CPU, 11)

/* perf record --per-thread -p, with threads that move between CPUs. */
SCENARIO(areas_of_threads, OF_THREADS(192), MISSING(0), ANEW, OF_THREADS(128),
	 MISSING(64));

SCENARIO(an_area_without_trace, TOLD(0, 64, 0, 10), TOLD(0, 128, 1, 10),
	 OF_CPU_0(0, 64), MISSING(128), ANEW,
	 /* perf record --switch-output wrote the start to an earlier file. */
	 TOLD(0, 64, 0, 10), TOLD(4096, 128, 1, 10), OF_CPU_0(0, 64),
	 MISSING(0));

SCENARIO(what_the_file_before_has_is_not_missing, TOLD(64, 64, 0, 10),
	 TOLD(128, 64, 0, 10), OF_CPU_0(128, 64), MISSING(0));

SCENARIO(of_another_unit_nothing_is_missing, BARE, INFO(1) /* Intel PT */,
	 TOLD(0, 640, 0, 10), OF_CPU_0(0, 64), MISSING(0));

/* A damaged record, whose end would overflow. */
SCENARIO(an_end_behind_all_offsets_is_none, TOLD(UINT64_MAX - 63, 640, 0, 10),
	 OF_CPU_0(0, 64), MISSING(0));

SCENARIO(script_and_report_tell, TOLD(0, 704, 0, 10), OF_CPU_0(0, 64),
	 COMMAND("script 2>&1 >/dev/null"),
	 OUT("pmscope: 640 bytes of trace missing from the file\n"),
	 COMMAND("report --format=jsonl"), HAS("\"missing_trace\":640,"));
