// SPDX-License-Identifier: GPL-2.0-or-later
/* Traces that Android's simpleperf compressed separately. */
#include "bytes.h"
#include "ktap.h"
#include "random.h"

#include <pmscope/recording.h>

#include <stdlib.h>
#include <string.h>
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

static void put_packed_trace(struct bytes *b, uint32_t cpu,
			     const struct bytes *trace)
{
	struct bytes packed = {};

	put_packed(&packed, trace);
	put_auxtrace(b, cpu, cpu, 77, &packed);
	bytes_fini(&packed);
}

static void begin(struct bytes *b)
{
	perfdata_begin(b);
	put_time_conv(b, 0, 1, 0);
}

static struct pmscope_recording *open_bytes(const struct bytes *b)
{
	struct pmscope_recording *r;

	if (pmscope_recording_open(b->data, b->size, NULL, &r))
		abort();
	return r;
}

/* Like the end of simpleperf's files, with more in it than is read. */
static void end(struct bytes *b)
{
	struct bytes info = {};

	perfdata_end(b);
	bytes_add(&info, "clockid\0perf", 13);
	perfdata_put_feature(b, FEATURE_META_INFO, &info);
	bytes_fini(&info);
}

/* Records from @first on, one tick apart. */
static void expect_loads(struct pmscope_recording *r, uint64_t first, size_t nr)
{
	struct pmscope_run run;
	size_t found = 0;

	while (pmscope_recording_next_run(r, true, &run) > 0)
		for (size_t i = run.first; i < run.end; i++, found++)
			EXPECT_EQ(run.batch->timestamp[i], first + found);
	EXPECT_EQ(found, nr);
}

static void expect_error(const struct pmscope_recording *r, const char *error)
{
	const char *found = pmscope_recording_error(r);

	if (!strstr(found, error))
		printf("# %s\n", found);
	EXPECT_TRUE(strstr(found, error) != NULL);
	EXPECT_EQ(!*error, !*found);
}

/* Two CPUs; the first one's trace is in two frames and two AUXTRACE records. */
static void make_packed(struct bytes *b)
{
	struct bytes trace = {}, packed = {};

	begin(b);
	put_loads(&trace, 1, MANY);
	put_packed(&packed, &trace);
	trace.size = 0;
	put_loads(&trace, MANY + 1, 10);
	put_packed(&packed, &trace);
	put_auxtrace(b, 0, 0, 77, &packed);
	trace.size = 0;
	put_loads(&trace, MANY + 11, 10);
	put_packed_trace(b, 1, &trace);
	trace.size = 0;
	put_loads(&trace, MANY + 21, 10);
	put_packed_trace(b, 0, &trace);
	end(b);
	bytes_fini(&packed);
	bytes_fini(&trace);
}

TEST(traces_that_are_compressed)
{
	struct pmscope_recording *r;
	struct bytes b = {};

	make_packed(&b);
	r = open_bytes(&b);
	expect_loads(r, 1, MANY + 30);
	expect_error(r, "");
	pmscope_recording_free(r);
	bytes_fini(&b);
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
	struct bytes b = {}, packed = {};
	struct pmscope_recording *r;
	struct pmscope_trace found;

	put_odd_blocks(&packed, (1U << 20) + 500);
	begin(&b);
	put_auxtrace(&b, 0, 0, 77, &packed);
	end(&b);
	r = open_bytes(&b);
	ASSERT_TRUE(pmscope_recording_trace(r, 0, &found));
	EXPECT_EQ(found.size, (1U << 20) + 500U);
	pmscope_recording_free(r);
	bytes_fini(&packed);
	bytes_fini(&b);
}

/* The caller gets the decompressed data and its size. */
TEST(bytes_of_a_compressed_trace)
{
	struct pmscope_recording *r;
	struct pmscope_trace found;
	struct bytes b = {}, trace = {};

	put_loads(&trace, 1, 100);
	begin(&b);
	put_packed_trace(&b, 0, &trace);
	end(&b);
	r = open_bytes(&b);
	ASSERT_TRUE(pmscope_recording_trace(r, 0, &found));
	ASSERT_EQ(found.size, trace.size);
	EXPECT_EQ(memcmp(found.data, trace.data, trace.size), 0);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* For perf's own files, whose traces are never compressed. */
TEST(what_only_begins_as_a_compressed_one)
{
	struct pmscope_recording *r;
	struct bytes b = {}, trace = {};
	struct pmscope_run run;

	put_loads(&trace, 1, 100);
	begin(&b);
	put_packed_trace(&b, 0, &trace);
	perfdata_end(&b);
	r = open_bytes(&b);
	while (pmscope_recording_next_run(r, true, &run) > 0)
		;
	EXPECT_GT(pmscope_recording_losses(r)->decode.bad_bytes, 0U);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

static void expect_damage(struct bytes *packed, const char *error, size_t nr)
{
	struct pmscope_recording *r;
	struct bytes b = {}, trace = {};

	begin(&b);
	put_auxtrace(&b, 0, 0, 77, packed);
	put_loads(&trace, 1, nr);
	put_packed_trace(&b, 1, &trace);
	end(&b);
	r = open_bytes(&b);
	expect_error(r, error);
	expect_loads(r, 1, nr);
	pmscope_recording_free(r);
	packed->size = 0;
	bytes_fini(&trace);
	bytes_fini(&b);
}

TEST(traces_beside_a_damaged_one)
{
	struct bytes packed = {}, trace = {};

	put_zeros(&trace, (size_t)64 << 20);
	put_packed(&packed, &trace);
	expect_damage(&packed, "expand to more than 100 times their size", 10);
	trace.size = 0;
	put_loads(&trace, 1, 1);
	put_packed(&packed, &trace);
	memset(packed.data + 4, 0xff, packed.size - 4);
	expect_damage(&packed, "compressed trace: ", 10);
	bytes_fini(&packed);
	bytes_fini(&trace);
}

/* Each of them would pass. */
TEST(compressed_traces_are_bounded_together)
{
	struct bytes b = {}, trace = {};
	struct pmscope_trace found;
	struct pmscope_recording *r;
	size_t size = 0;

	put_zeros(&trace, (size_t)8 << 20);
	begin(&b);
	for (uint32_t i = 0; i < 20; i++)
		put_packed_trace(&b, i, &trace);
	end(&b);
	r = open_bytes(&b);
	expect_error(r, "expand to more than 100 times their size");
	for (size_t i = 0; pmscope_recording_trace(r, i, &found); i++)
		size += found.size;
	EXPECT_EQ(size, (size_t)32 << 20);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

/*
 * Everything else of the recording is there, and the lack of room is reported.
 */
TEST(traces_that_there_is_no_room_for)
{
	struct pmscope_recording *r;
	struct bytes b = {}, trace = {};

	put_loads(&trace, 1, 10);
	begin(&b);
	put_packed_trace(&b, 0, &trace);
	put_packed_trace(&b, 0, &trace);
	put_auxtrace(&b, 1, 1, 77, &trace);
	end(&b);
	setenv("TMPDIR", "/nowhere", 1);
	r = open_bytes(&b);
	unsetenv("TMPDIR");
	expect_error(r, "no room in TMPDIR for a compressed trace: "
			"No such file or directory");
	expect_loads(r, 1, 10);
	pmscope_recording_free(r);
	bytes_fini(&trace);
	bytes_fini(&b);
}

KTAP_MAIN
