// SPDX-License-Identifier: GPL-2.0-or-later
/* Events that the writer accepts, and how readers find their names. */
#include "writing.h"

/* Like a far newer kernel; no reader accepts a larger one. */
#define LARGEST_ATTR 65512

static void set_size_of_1(struct pmscope_written_event event[2], uint32_t size)
{
	static uint64_t words[LARGEST_ATTR / 8 + 1];
	struct perf_event_attr *attr = (struct perf_event_attr *)words;

	*attr = *event[1].attr;
	attr->size = size;
	event[1].attr = attr;
}

/* Two events, after that change of them. */
#define REFUSED_AFTER(...)                                               \
	do {                                                             \
		struct pmscope_written_event event[2];                   \
		struct perf_event_attr *attr = &writing_attrs[1].attr;   \
		WRITING(t);                                              \
                                                                         \
		writing_events(event);                                   \
		(void)attr;                                              \
		__VA_ARGS__;                                             \
		ASSERT_TRUE(t.w);                                        \
		EXPECT_EQ(pmscope_writer_begin(t.w, event, 2), -EINVAL); \
		EXPECT_EQ(pmscope_writer_size(t.w), 0U);                 \
		EXPECT_TRUE(*pmscope_writer_error(t.w));                 \
	} while (0)

TEST(events_that_no_reader_could_tell_apart_are_refused)
{
	REFUSED_AFTER(attr->sample_type = PERF_SAMPLE_TID,
		      writing_attrs[0].attr.sample_type = PERF_SAMPLE_TID);
	REFUSED_AFTER(event[1].ids = event[0].ids + 1, event[1].nr_ids = 1);
	REFUSED_AFTER(attr->size = 0);
	REFUSED_AFTER(attr->size = PERF_ATTR_SIZE_VER0 + 4);
	REFUSED_AFTER(set_size_of_1(event, LARGEST_ATTR + 8));
	REFUSED_AFTER(event[1].name = NULL);
	REFUSED_AFTER(event[1].ids = NULL);
	REFUSED_AFTER(attr->sample_id_all = 0);
	REFUSED_AFTER(attr->sample_type = PERF_SAMPLE_TID);
}

/* perf and the reader require it in the first event. */
TEST(an_id_of_0_is_the_first_events)
{
	static const uint64_t zero;

	REFUSED_AFTER(event[1].ids = &zero, event[1].nr_ids = 1);
}

/* Told of after @event: of the type of the first. */
static int tell_spe(const struct pmscope_written_event *event, size_t nr)
{
	const struct pmscope_written_spe spe = {
		.size = sizeof(spe), .pmu_type = writing_attrs[0].attr.type};
	WRITING(t);
	uint64_t size;
	int ret;

	EXPECT_EQ(pmscope_writer_begin(t.w, event, nr), 0);
	size = pmscope_writer_size(t.w);
	ret = pmscope_writer_spe(t.w, &spe);
	EXPECT_EQ(pmscope_writer_size(t.w) == size, ret < 0);
	EXPECT_EQ(!*pmscope_writer_error(t.w), !ret);
	EXPECT_EQ(pmscope_writer_finish(t.w), 0);
	return ret;
}

/* perf creates its own events from the ids of SPE's. */
TEST(an_event_of_spe_has_ids)
{
	struct pmscope_written_event event[2];

	writing_events(event);
	EXPECT_EQ(tell_spe(event, 2), 0);
	event[1].nr_ids = 0;
	EXPECT_EQ(tell_spe(event, 2), 0);
	event[0].nr_ids = 0;
	EXPECT_EQ(tell_spe(event, 2), -EINVAL);
	EXPECT_EQ(tell_spe(event, 1), -EINVAL);
}

/* For these and the recorded one: records name their event. */
TEST(records_beside_spe_have_ids)
{
	static const struct {
		uint64_t sample_type;
		bool sample_id_all;
		int ret;
	} cases[] = {
		{PERF_SAMPLE_TID | PERF_SAMPLE_ID, true, 0},
		{PERF_SAMPLE_TID | PERF_SAMPLE_IDENTIFIER, true, 0},
		{PERF_SAMPLE_TID, true, -EINVAL},
		{PERF_SAMPLE_TID | PERF_SAMPLE_IDENTIFIER, false, -EINVAL},
	};
	struct pmscope_written_event event[2];

	writing_events(event);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_event_attr *attr = &writing_attrs[0].attr;

		attr->sample_type = cases[i].sample_type;
		attr->sample_id_all = cases[i].sample_id_all;
		EXPECT_EQ(tell_spe(event, 1), cases[i].ret);
	}
}

static struct pmscope_writer *open_pipe(int ends[2])
{
	char path[32];

	/* With room for all that is written before anybody reads. */
	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, 1 << 17) < 0)
		return NULL;
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	return pmscope_writer_open(path);
}

static void write_recording(struct pmscope_writer *w,
			    const struct pmscope_written_event *event,
			    size_t nr)
{
	const struct perf_event_header round = {
		.type = PMSCOPE_RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};

	EXPECT_EQ(pmscope_writer_begin(w, event, nr), 0);
	EXPECT_EQ(pmscope_writer_records(w, &round, sizeof(round)), 0);
	EXPECT_EQ(pmscope_writer_finish(w), 0);
}

static void expect_names_in(const char *path,
			    const struct pmscope_written_event *event,
			    size_t nr)
{
	struct pmscope_perfdata *reader;
	struct pmscope_input *input;

	ASSERT_EQ(pmscope_input_open(path, &input), 0);
	reader = writing_read(input);
	EXPECT_STREQ(pmscope_perfdata_error(reader), "");
	ASSERT_EQ(pmscope_perfdata_nr_attrs(reader), nr);
	for (size_t i = 0; i < nr; i++)
		EXPECT_STREQ(pmscope_perfdata_attr(reader, i)->name ?: "",
			     event[i].name);
	pmscope_perfdata_free(reader);
	pmscope_input_free(input);
}

static void expect_names_in_file(const struct pmscope_written_event *event,
				 size_t nr)
{
	WRITING(t);

	write_recording(t.w, event, nr);
	expect_names_in(t.path, event, nr);
}

static void expect_names_in_pipe(const struct pmscope_written_event *event,
				 size_t nr)
{
	struct pmscope_writer *w;
	char path[32];
	int ends[2];

	w = open_pipe(ends);
	ASSERT_TRUE(w);
	write_recording(w, event, nr);
	pmscope_writer_free(w);
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	expect_names_in(path, event, nr);
	close(ends[0]);
}

TEST(the_largest_attr_is_read_back)
{
	struct pmscope_written_event event[2];

	writing_events(event);
	set_size_of_1(event, LARGEST_ATTR);
	expect_names_in_file(event, 2);
}

/* In a pipe only ids tell whose a name is. */
TEST(an_event_without_ids_keeps_its_name)
{
	for (unsigned int without = 0; without < 4; without++) {
		struct pmscope_written_event event[2];

		writing_events(event);
		for (int i = 0; i < 2; i++)
			if (without & 1U << i)
				event[i].nr_ids = 0;
		for (size_t nr = 1; nr <= 2; nr++) {
			expect_names_in_file(event, nr);
			expect_names_in_pipe(event, nr);
		}
	}
}

/* All are in one record then. */
TEST(names_that_have_no_room_in_a_pipe_are_refused)
{
	static uint64_t ids[8150];
	struct pmscope_written_event event[2];
	struct pmscope_writer *w;
	int ends[2];

	for (size_t i = 0; i < 8150; i++)
		ids[i] = 100 + i;
	writing_events(event);
	event[0].ids = ids;
	event[0].nr_ids = 8150;
	event[1].nr_ids = 0;
	w = open_pipe(ends);
	ASSERT_TRUE(w);
	EXPECT_EQ(pmscope_writer_begin(w, event, 2), -E2BIG);
	EXPECT_EQ(pmscope_writer_size(w), 0U);
	writing_events(event);
	EXPECT_EQ(pmscope_writer_begin(w, event, 2), 0);
	pmscope_writer_free(w);
	close(ends[0]);
	close(ends[1]);
}
