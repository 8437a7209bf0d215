// SPDX-License-Identifier: GPL-2.0-or-later
/* The index of the trace, and what it costs in long recordings. */
#include "base/sanitized.h"
#include "ktap.h"
#include "memory.h"
#include "writing.h"

#include <pmscope/input.h>
#include <pmscope/perfdata.h>

#include <string.h>
#include <sys/resource.h>

#define FEW  3	   /* no power of two */
#define MANY 20001 /* more than memory holds */
#define LONG (10 * MANY)

static void begin(struct pmscope_writer *w)
{
	static const struct pmscope_written_spe spe = {.size = sizeof(spe),
						       .pmu_type = 21};

	EXPECT_EQ(writing_begin(w), 0);
	EXPECT_EQ(pmscope_writer_spe(w, &spe), 0);
}

static int put_traces(struct pmscope_writer *w, unsigned int nr)
{
	static const struct pmscope_written_trace trace = {
		.tid = -1,
		.data = {"01234567"},
		.part_size = {8},
	};
	int ret = 0;

	for (unsigned int i = 0; i < nr && !ret; i++)
		ret = pmscope_writer_trace(w, &trace);
	return ret;
}

/* An unfinished file too: everything in it counts as records. */
static struct pmscope_input *write_traces(const char *path,
					  struct pmscope_writer *w,
					  unsigned int nr, bool finish)
{
	begin(w);
	EXPECT_EQ(put_traces(w, nr), 0);
	if (finish)
		EXPECT_EQ(pmscope_writer_finish(w), 0);
	pmscope_writer_free(w);
	return pmscope_input_open(path);
}

/* The features in @index: offset and size of each, but for NULL. */
static void expect_traces(const struct pmscope_input *input,
			  const uint8_t *index, unsigned int nr)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	unsigned int found = 0, wrong = 0;

	ASSERT_EQ(pmscope_perfdata_open(pmscope_input_data(input),
					pmscope_input_size(input), &reader),
		  0);
	while (pmscope_perfdata_next(reader, &event) > 0) {
		uint64_t place[2];

		if (event.type != PMSCOPE_RECORD_AUXTRACE)
			continue;
		if (index && found < nr) {
			memcpy(place, index + found * sizeof(place),
			       sizeof(place));
			wrong += place[0] != event.offset ||
				 place[1] != 8 + event.size;
		}
		found++;
	}
	EXPECT_EQ(found, nr);
	EXPECT_EQ(wrong, 0U);
	pmscope_perfdata_free(reader);
}

static void expect_index(unsigned int nr, bool packed)
{
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH];
	struct pmscope_writer *w = writing_open(dir, path);
	struct pmscope_perfdata *reader;
	struct pmscope_input *input;
	const uint8_t *data;
	uint64_t told;
	size_t size;

	ASSERT_TRUE(w);
	if (packed)
		EXPECT_EQ(pmscope_writer_compress(w, PMSCOPE_COMPRESS_FILE, 1),
			  0);
	input = write_traces(path, w, nr, true);
	ASSERT_TRUE(input);
	reader = writing_read(input);
	data = pmscope_perfdata_feature_data(reader, PMSCOPE_FEATURE_AUXTRACE,
					     &size);
	ASSERT_EQ(size, 8 + (size_t)16 * nr);
	memcpy(&told, data, sizeof(told));
	EXPECT_EQ(told, (uint64_t)nr);
	expect_traces(input, data + sizeof(told), nr);
	pmscope_perfdata_free(reader);
	pmscope_input_free(input);
	fake_sysfs_remove(dir);
}

/* perf inject and others find them by this. */
TEST(the_index_of_a_file_has_each_trace)
{
	expect_index(FEW, false);
	expect_index(FEW, true);
}

TEST(the_index_of_a_long_recording_has_each_trace)
{
	expect_index(4096, false);
	expect_index(2 * 4096, false);
	expect_index(MANY, false);
	expect_index(MANY, true);
}

/* The writer was killed: the existing data can be read. */
TEST(a_file_that_was_not_finished_has_its_traces)
{
	static const unsigned int nrs[] = {FEW, MANY};
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH];

	for (int i = 0; i < 2; i++) {
		struct pmscope_writer *w = writing_open(dir, path);
		struct pmscope_input *input;

		ASSERT_TRUE(w);
		input = write_traces(path, w, nrs[i], false);
		ASSERT_TRUE(input);
		expect_traces(input, NULL, nrs[i]);
		pmscope_input_free(input);
		fake_sysfs_remove(dir);
	}
}

/* Ten times the trace takes the same memory. */
TEST(memory_does_not_grow_with_the_trace)
{
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH];
	struct pmscope_writer *w;
	size_t before;

	if (SANITIZED)
		SKIP("the sanitizer's malloc() does not count");
	w = writing_open(dir, path);
	ASSERT_TRUE(w);
	begin(w);
	EXPECT_EQ(put_traces(w, MANY), 0);
	before = memory_in_use();
	EXPECT_EQ(put_traces(w, LONG - MANY), 0);
	EXPECT_LE(memory_in_use(), before);
	EXPECT_EQ(pmscope_writer_finish(w), 0);
	EXPECT_LE(memory_in_use(), before + 4096);
	pmscope_writer_free(w);
	fake_sysfs_remove(dir);
}

/* No file for the index can be made: the recording goes on without. */
TEST(a_recording_does_not_fail_for_its_index)
{
	char dir[FAKE_SYSFS_PATH], path[WRITING_PATH];
	struct pmscope_writer *w = writing_open(dir, path);
	struct rlimit limit, none;
	struct pmscope_perfdata *reader;
	struct pmscope_input *input;
	size_t size;

	ASSERT_TRUE(w);
	begin(w);
	ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	EXPECT_EQ(put_traces(w, MANY), 0);
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	input = writing_finish(w, path);
	ASSERT_TRUE(input);
	reader = writing_read(input);
	EXPECT_TRUE(!pmscope_perfdata_feature_data(
		reader, PMSCOPE_FEATURE_AUXTRACE, &size));
	expect_traces(input, NULL, MANY);
	pmscope_perfdata_free(reader);
	pmscope_input_free(input);
	fake_sysfs_remove(dir);
}

KTAP_MAIN
