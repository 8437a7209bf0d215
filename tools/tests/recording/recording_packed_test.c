// SPDX-License-Identifier: GPL-2.0-or-later
/* Traces that Android's simpleperf compressed separately. */
#include "scenario.h"

#include <zstd.h>

#define FEATURE_META_INFO 129
#define MANY		  50000 /* records: more bytes than are unpacked at once */

/* @nr records of a CPU, each later than the one before. */
static void put_loads(struct bytes *b, uint64_t first, size_t nr)
{
	uint64_t seed = first;

	for (size_t i = 0; i < nr; i++)
		put_load(b, 0x5000, random_below(&seed, 1U << 30), first + i);
}

/* Adds a frame to the trace of the next AREA(): of such records, or zeros. */
STEP_OF(pack_loads)
{
	BYTES plain = {};

	put_loads(&plain, step->v[0], step->v[1]);
	put_packed(&sc->trace, &plain);
}

STEP_OF(pack_zeros)
{
	BYTES plain = {};

	put_zeros(&plain, step->v[0]);
	put_packed(&sc->trace, &plain);
}

#define SIMPLEPERF	  BARE, CONV(0, 1, 0)
#define PACKED(first, nr) CALL(pack_loads, first, nr)
#define OF_CPU(cpu)	  AREA(0, cpu, cpu, 77)
/* Like the end of simpleperf's files, with more in it than is read. */
#define META_INFO                                         \
	FEATURE(FEATURE_META_INFO,                        \
		(&(const struct bytes){.data = meta_info, \
				       .size = sizeof(meta_info)}))
static uint8_t meta_info[] = "clockid\0perf";

STEP_OF(expect_loads)
{
	struct pmscope_run run;
	size_t found = 0;

	while (pmscope_recording_next_run(sc->r, true, &run) > 0)
		for (size_t i = run.first; i < run.end; i++, found++)
			EXPECT_EQ(run.batch->timestamp[i], step->v[0] + found);
	EXPECT_EQ(found, step->v[1]);
}
#define ALL_LOADS(first, nr) CALL(expect_loads, first, nr)

/* Two CPUs; the first one's trace is in two frames and two AUXTRACE records. */
SCENARIO(traces_that_are_compressed, SIMPLEPERF, PACKED(1, MANY),
	 PACKED(MANY + 1, 10), OF_CPU(0), PACKED(MANY + 11, 10), OF_CPU(1),
	 PACKED(MANY + 21, 10), OF_CPU(0), META_INFO, OPENED,
	 ALL_LOADS(1, MANY + 30), ERROR(""));

STEP_OF(expect_trace)
{
	const struct bytes *trace = step->data;
	struct pmscope_trace found;

	ASSERT_TRUE(pmscope_recording_trace(sc->r, 0, &found));
	ASSERT_EQ(found.size, step->v[0]);
	if (trace)
		EXPECT_EQ(memcmp(found.data, trace->data, trace->size), 0);
}

/* @size zeros, 1000 in the first block; the frame does not end. */
static void put_odd_blocks(struct bytes *packed, size_t size)
{
	ZSTD_CCtx *stream = ZSTD_createCCtx();
	ZSTD_outBuffer to = {malloc(4096), 4096, 0};
	ZSTD_inBuffer from = {calloc(1, size), 1000, 0};

	EXPECT_EQ(ZSTD_compressStream2(stream, &to, &from, ZSTD_e_flush), 0U);
	from.size = size;
	EXPECT_EQ(ZSTD_compressStream2(stream, &to, &from, ZSTD_e_flush), 0U);
	bytes_add(packed, to.dst, to.pos);
	free((void *)from.src);
	free(to.dst);
	ZSTD_freeCCtx(stream);
}

/* Its last bytes arrive after all compressed data was consumed. */
TEST(trace_that_ends_behind_what_is_unpacked_at_once)
{
	BYTES packed = {};

	put_odd_blocks(&packed, (1U << 20) + 500);
	PLAY(SIMPLEPERF, T_ALL(&packed), OF_CPU(0), META_INFO, OPENED,
	     CALL(expect_trace, (1U << 20) + 500));
}

/* The caller gets the decompressed data and its size. */
TEST(bytes_of_a_compressed_trace)
{
	BYTES trace = {};

	put_loads(&trace, 1, 100);
	PLAY(SIMPLEPERF, PACKED(1, 100), OF_CPU(0), META_INFO, OPENED,
	     TELL_OF(expect_trace, NULL, &trace, trace.size));
}

STEP_OF(expect_bad_bytes)
{
	struct pmscope_run run;

	while (pmscope_recording_next_run(sc->r, true, &run) > 0)
		;
	EXPECT_GT(pmscope_recording_losses(sc->r)->decode.bad_bytes, 0U);
}

/* For perf's own files, whose traces are never compressed. */
SCENARIO(what_only_begins_as_a_compressed_one, SIMPLEPERF, PACKED(1, 100),
	 OF_CPU(0), OPENED, CALL(expect_bad_bytes));

STEP_IS(damage, memset(sc->trace.data + 4, 0xff, sc->trace.size - 4));

#define BOMB "expand to more than 100 times their size"

SCENARIO(traces_beside_a_damaged_one, SIMPLEPERF, CALL(pack_zeros, 64 << 20),
	 OF_CPU(0), PACKED(1, 10), OF_CPU(1), META_INFO, ERROR(BOMB),
	 ALL_LOADS(1, 10), ANEW, SIMPLEPERF, PACKED(1, 1), CALL(damage),
	 OF_CPU(0), PACKED(1, 10), OF_CPU(1), META_INFO,
	 ERROR("compressed trace: "), ALL_LOADS(1, 10));

STEP_OF(put_bombs)
{
	pack_zeros(sc, &(const struct step){.v = {8 << 20}});
	for (uint32_t i = 0; i < step->v[0]; i++)
		put_auxtrace(&sc->b, i, i, 77, &sc->trace);
}

STEP_OF(expect_unpacked)
{
	struct pmscope_trace found;
	size_t size = 0;

	for (size_t i = 0; pmscope_recording_trace(sc->r, i, &found); i++)
		size += found.size;
	EXPECT_EQ(size, step->v[0]);
}

/* Each of them would pass. */
SCENARIO(compressed_traces_are_bounded_together, SIMPLEPERF,
	 CALL(put_bombs, 20), META_INFO, ERROR(BOMB),
	 CALL(expect_unpacked, 32 << 20));

STEP_OF(open_without_room)
{
	setenv("TMPDIR", "/nowhere", 1);
	step_opened(sc, step);
	unsetenv("TMPDIR");
}

/*
 * Everything else of the recording is there, and the lack of room is reported.
 */
TEST(traces_that_there_is_no_room_for)
{
	BYTES trace = {};

	put_loads(&trace, 1, 10);
	PLAY(SIMPLEPERF, PACKED(1, 10), OF_CPU(0), PACKED(1, 10), OF_CPU(0),
	     T_ALL(&trace), OF_CPU(1), META_INFO, CALL(open_without_room),
	     ERROR("no room in TMPDIR for a compressed trace: "
		   "No such file or directory"),
	     ALL_LOADS(1, 10));
}
