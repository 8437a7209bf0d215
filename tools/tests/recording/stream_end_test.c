// SPDX-License-Identifier: GPL-2.0-or-later
/* The final losses and counts of a stream's event, while its tasks exit. */
#include "fake_sysfs.h"
#include "session/recorder_priv.h"

#include <pmscope/input.h>
#include <pmscope/recording.h>

#include <sys/syscall.h>

#define LOST 5
#define CPU  3

/* The next reads fail; ECHILD is for a group that is being taken apart. */
static unsigned int failing;
static int failure;

ssize_t read(int fd, void *buf, size_t size)
{
	if (!failing)
		return syscall(SYS_read, fd, buf, size);
	failing--;
	errno = failure;
	return -1;
}

/* A leader alone, whose descriptor gives nr, value, id, lost. */
static void make_event(struct recorder *rec)
{
	static const uint64_t group[] = {1, 1234, 40, LOST};
	struct recorded_event *e = calloc(1, sizeof(*e));
	int ends[2];

	rec->event = e;
	ASSERT_TRUE(e != NULL);
	rec->nr_events = 1;
	e->stream = true;
	e->written.name = "stream";
	e->fd = malloc(sizeof(*e->fd));
	e->cpu = malloc(sizeof(*e->cpu));
	e->written.id = malloc(sizeof(*e->written.id));
	ASSERT_TRUE(e->fd && e->cpu && e->written.id);
	ASSERT_EQ(pipe(ends), 0);
	ASSERT_EQ(write(ends[1], group, sizeof(group)), (int)sizeof(group));
	close(ends[1]);
	e->fd[0] = ends[0];
	e->cpu[0] = CPU;
	e->written.id[0] = group[2];
	e->nr_fds = e->written.nr_ids = 1;
	e->written.attr.attr.config = PMSCOPE_SNAPSHOT_SPE;
	e->written.attr.attr.sample_type = PMSCOPE_TALLY_TIMED;
	e->written.attr.attr.sample_id_all = 1;
	recorder_stream_attrs(rec);
	attr_set_size(&e->written.attr);
}

static void make_file(struct recorder *rec, const char *folder)
{
	const struct written_event *w = &rec->event[0].written;
	const struct pmscope_written_event event = {
		.attr = &w->attr.attr,
		.name = w->name,
		.ids = w->id,
		.nr_ids = 1,
	};
	const struct perf_event_header round = {
		.type = PMSCOPE_RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};
	char path[FAKE_SYSFS_PATH + 16];

	snprintf(path, sizeof(path), "%s/perf.data", folder);
	rec->writer = pmscope_writer_open(path);
	ASSERT_TRUE(rec->writer != NULL);
	ASSERT_EQ(pmscope_writer_begin(rec->writer, &event, 1), 0);
	ASSERT_EQ(pmscope_writer_records(rec->writer, &round, sizeof(round)),
		  0);
}

static struct recorder *make_recorder(char folder[FAKE_SYSFS_PATH])
{
	struct recorder *rec = calloc(1, sizeof(*rec));

	fake_sysfs_make(folder);
	if (rec) {
		make_event(rec);
		make_file(rec, folder);
	}
	return rec;
}

TEST(the_end_of_a_stream_is_read_when_a_task_has_exited)
{
	char folder[FAKE_SYSFS_PATH];
	struct recorder *rec = make_recorder(folder);
	struct pmscope_error err = {};

	ASSERT_TRUE(rec != NULL);
	failing = 3;
	failure = ECHILD;
	EXPECT_EQ(recorder_end_streams(rec, &err), 0);
	EXPECT_EQ(failing, 0);
	EXPECT_STREQ(err.text, "");
	EXPECT_EQ(recorder_stats(rec)->samples, 1);
	EXPECT_EQ(recorder_stats(rec)->lost, LOST);
	recorder_free(rec);
	fake_sysfs_remove(folder);
}

/* The file is complete; both must be ended. */
static void open_file(const char *folder, struct pmscope_input **input,
		      struct pmscope_recording **recording)
{
	char path[FAKE_SYSFS_PATH + 16];

	snprintf(path, sizeof(path), "%s/perf.data", folder);
	ASSERT_EQ(pmscope_input_open(path, input), 0);
	ASSERT_EQ(pmscope_recording_open(pmscope_input_data(*input),
					 pmscope_input_size(*input), NULL,
					 recording),
		  0);
	EXPECT_STREQ(pmscope_recording_error(*recording), "");
}

TEST(the_last_counts_are_of_a_CPU_and_of_no_thread)
{
	char folder[FAKE_SYSFS_PATH];
	struct recorder *rec = make_recorder(folder);
	struct pmscope_recording *recording = NULL;
	struct pmscope_input *input;
	struct pmscope_error err = {};
	struct pmscope_sample sample;

	ASSERT_TRUE(rec != NULL);
	EXPECT_EQ(recorder_finish(rec, &err), 0);
	recorder_free(rec);
	open_file(folder, &input, &recording);
	ASSERT_EQ(pmscope_recording_next(recording, &sample), 1);
	EXPECT_EQ(sample.cpu, (uint32_t)CPU);
	EXPECT_EQ(sample.tid, PMSCOPE_NO_ID);
	EXPECT_EQ(sample.counts[0].value, 1234U);
	pmscope_recording_free(recording);
	pmscope_input_free(input);
	fake_sysfs_remove(folder);
}

/* Otherwise the recording is complete, and the error is reported. */
TEST(an_end_that_cannot_be_read_is_reported)
{
	char folder[FAKE_SYSFS_PATH];
	struct recorder *rec = make_recorder(folder);
	struct pmscope_recording *recording = NULL;
	struct pmscope_input *input;
	struct pmscope_error err = {};

	ASSERT_TRUE(rec != NULL);
	failing = 1;
	failure = ENODEV;
	EXPECT_EQ(recorder_finish(rec, &err), -ENODEV);
	EXPECT_STREQ(err.text, "event 'stream': cannot read its losses and "
			       "last counts: No such device");
	recorder_free(rec);
	open_file(folder, &input, &recording);
	pmscope_recording_free(recording);
	pmscope_input_free(input);
	fake_sysfs_remove(folder);
}
