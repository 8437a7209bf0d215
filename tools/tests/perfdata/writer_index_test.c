// SPDX-License-Identifier: GPL-2.0-or-later
/* The index of the trace, and what it costs in long recordings. */
#include "command.h"
#include "writing.h"

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
static const struct pmscope_input *write_traces(struct writing *t,
						unsigned int nr, bool finish)
{
	begin(t->w);
	EXPECT_EQ(put_traces(t->w, nr), 0);
	if (finish)
		return writing_back(t);
	pmscope_writer_free(t->w);
	t->w = NULL;
	pmscope_input_open(t->path, &t->input);
	return t->input;
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
	WRITING(t);
	const uint8_t *data;
	uint64_t told;
	size_t size;

	if (packed)
		EXPECT_EQ(pmscope_writer_compress(t.w, PMSCOPE_COMPRESS_FILE,
						  1),
			  0);
	ASSERT_TRUE(write_traces(&t, nr, true));
	data = pmscope_perfdata_feature_data(t.reader, PMSCOPE_FEATURE_AUXTRACE,
					     &size);
	ASSERT_EQ(size, 8 + (size_t)16 * nr);
	memcpy(&told, data, sizeof(told));
	EXPECT_EQ(told, (uint64_t)nr);
	expect_traces(t.input, data + sizeof(told), nr);
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

	for (int i = 0; i < 2; i++) {
		WRITING(t);

		ASSERT_TRUE(write_traces(&t, nrs[i], false));
		expect_traces(t.input, NULL, nrs[i]);
	}
}

/* Ten times the trace takes the same memory, which ASan does not count. */
PLAIN_TEST(memory_does_not_grow_with_the_trace)
{
	WRITING(t);
	size_t before;

	begin(t.w);
	EXPECT_EQ(put_traces(t.w, MANY), 0);
	before = memory_in_use();
	EXPECT_EQ(put_traces(t.w, LONG - MANY), 0);
	EXPECT_LE(memory_in_use(), before);
	EXPECT_EQ(pmscope_writer_finish(t.w), 0);
	EXPECT_LE(memory_in_use(), before + 4096);
}

/* No file for the index can be made: the recording goes on without. */
TEST(a_recording_does_not_fail_for_its_index)
{
	WRITING(t);
	struct rlimit limit, none;
	size_t size;

	begin(t.w);
	ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	EXPECT_EQ(put_traces(t.w, MANY), 0);
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ASSERT_TRUE(writing_back(&t));
	EXPECT_TRUE(!pmscope_perfdata_feature_data(
		t.reader, PMSCOPE_FEATURE_AUXTRACE, &size));
	expect_traces(t.input, NULL, MANY);
}
