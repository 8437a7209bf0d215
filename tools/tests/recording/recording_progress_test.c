// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader of a recording gets a callback after each 64 MiB or so, whatever
 * they contain, to release memory.
 */
#include "recording_fixture.h"

#define MIB   ((size_t)1 << 20)
#define WHOLE (130 * MIB)

static void count(void *context)
{
	(*(unsigned int *)context)++;
}

static void *map_or_abort(void *at, size_t size, int flags, int fd)
{
	void *memory = mmap(at, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

/* One MiB of memory repeated, filled with the pattern. */
static uint8_t *repeated(const char *pattern)
{
	uint8_t *all =
		map_or_abort(NULL, WHOLE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int fd = memfd_create("repeated", 0);

	if (fd < 0 || ftruncate(fd, MIB))
		abort();
	for (size_t at = 0; at < WHOLE; at += MIB)
		map_or_abort(all + at, MIB, MAP_SHARED | MAP_FIXED, fd);
	close(fd);
	for (size_t at = 0; at < MIB; at += 2)
		memcpy(all + at, pattern, 2);
	return all;
}

/* Nothing in it closes a record. */
static void expect_progress(const char *pattern)
{
	unsigned int calls = 0;
	const struct pmscope_recording_options options = {
		.size = sizeof(options),
		.raw = true,
		.progress = count,
		.context = &calls,
	};
	uint8_t *data = repeated(pattern);
	struct pmscope_recording *r;
	struct pmscope_sample s;

	ASSERT_EQ(pmscope_recording_open(data, WHOLE, &options, &r), 0);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->decode.bytes, WHOLE);
	EXPECT_GT(calls, 1U);
	pmscope_recording_free(r);
	munmap(data, WHOLE);
}

PLAIN_CASE(much_padding, expect_progress("\x00\x00"));
PLAIN_CASE(much_damage, expect_progress("\xff\xff"));

PLAIN_TEST(a_record_without_an_end)
{
	expect_progress("\x43\x08"); /* data sources */
}

static void put_trace(struct bytes *b, uint64_t offset,
		      const struct bytes *trace)
{
	put_auxtrace_at(b, offset, 0, 0, NO_TID, trace);
}

/* Its first two bytes are in their own trace. */
TEST(a_torn_record_without_an_end)
{
	unsigned int calls = 0;
	const struct pmscope_recording_options options = {
		.size = sizeof(options), .progress = count, .context = &calls};
	BYTES b = {}, area = {};
	struct pmscope_recording *r;
	struct pmscope_sample s;

	put_zeros(&area, WHOLE);
	area.data[0] = 0x43; /* a data source, and then padding */
	begin(&b);
	put_auxtrace_part(&b, 0, &area, 0, 2);
	put_auxtrace_part(&b, 0, &area, 2, area.size);
	perfdata_end(&b);
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, &options, &r), 0);
	calls = 0;
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_GT(calls, 1U);
	EXPECT_EQ(pmscope_recording_losses(r)->decode.cut_bytes, WHOLE);
	pmscope_recording_free(r);
}

/* Two equal ones of 64 MiB each; they were searched, and compared. */
static void expect_compared(uint64_t offset, uint64_t flags)
{
	const struct where where = at(1, 10, 10);
	unsigned int calls = 0;
	const struct pmscope_recording_options options = {
		.size = sizeof(options), .progress = count, .context = &calls};
	BYTES b = {}, trace = {};
	struct pmscope_recording *r;

	put_zeros(&trace, 32 * MIB);
	begin(&b);
	put_aux(&b, 0, flags, &where);
	put_trace(&b, 0, &trace);
	put_trace(&b, offset, &trace);
	perfdata_end(&b);
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, &options, &r), 0);
	EXPECT_EQ(calls, 2U);
	pmscope_recording_free(r);
}

CASE(traces_that_are_there_twice, expect_compared(0, 0));

CASE(snapshots_that_have_the_same,
     expect_compared(32 * MIB, PERF_AUX_FLAG_OVERWRITE));
