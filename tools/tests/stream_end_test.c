// SPDX-License-Identifier: GPL-2.0-or-later
/* What a stream's event says at the end, while tasks that have it exit. */
#include "fake_sysfs.h"
#include "ktap.h"
#include "session/recorder_priv.h"

#include <errno.h>
#include <linux/pmscope.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOST 5

static unsigned int exits;

/* As the kernel answers for a group that is being taken apart. */
ssize_t read(int fd, void *buf, size_t size)
{
	if (!exits)
		return syscall(SYS_read, fd, buf, size);
	exits--;
	errno = ECHILD;
	return -1;
}

/* A leader alone, whose descriptor gives nr, value, id, lost. */
static void make_event(struct pmscope_recorder *rec)
{
	static const uint64_t group[] = {1, 1234, 40, LOST};
	struct recorded_event *e = calloc(1, sizeof(*e));
	int ends[2];

	rec->event = e;
	ASSERT_TRUE(e != NULL);
	rec->nr_events = 1;
	e->stream = true;
	e->fd = malloc(sizeof(*e->fd));
	e->written.id = malloc(sizeof(*e->written.id));
	ASSERT_TRUE(e->fd && e->written.id);
	ASSERT_EQ(pipe(ends), 0);
	ASSERT_EQ(write(ends[1], group, sizeof(group)), (int)sizeof(group));
	close(ends[1]);
	e->fd[0] = ends[0];
	e->written.id[0] = group[2];
	e->nr_fds = e->written.nr_ids = 1;
	e->written.attr.attr.config = PMSCOPE_SNAPSHOT_SPE;
	e->written.attr.attr.sample_type = PMSCOPE_TALLY_TIMED;
	e->written.attr.attr.sample_id_all = 1;
	pmscope_recorder_stream_attrs(rec);
	pmscope_attr_set_size(&e->written.attr);
}

static void make_file(struct pmscope_recorder *rec, const char *folder)
{
	const struct written_event *w = &rec->event[0].written;
	const struct pmscope_written_event event = {
		.attr = &w->attr.attr,
		.name = "stream",
		.ids = w->id,
		.nr_ids = 1,
	};
	char path[FAKE_SYSFS_PATH + 16];

	snprintf(path, sizeof(path), "%s/perf.data", folder);
	rec->writer = pmscope_writer_open(path);
	ASSERT_TRUE(rec->writer != NULL);
	ASSERT_EQ(pmscope_writer_begin(rec->writer, &event, 1), 0);
}

TEST(the_end_of_a_stream_is_read_when_a_task_has_exited)
{
	struct pmscope_recorder *rec = calloc(1, sizeof(*rec));
	char folder[FAKE_SYSFS_PATH];

	ASSERT_TRUE(rec != NULL);
	fake_sysfs_make(folder);
	make_event(rec);
	make_file(rec, folder);
	exits = 3;
	EXPECT_EQ(pmscope_recorder_end_streams(rec), 0);
	EXPECT_EQ(exits, 0);
	EXPECT_EQ(pmscope_recorder_stats(rec)->samples, 1);
	EXPECT_EQ(pmscope_recorder_stats(rec)->lost, LOST);
	pmscope_recorder_free(rec);
	fake_sysfs_remove(folder);
}

KTAP_MAIN
