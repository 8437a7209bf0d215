// SPDX-License-Identifier: GPL-2.0-or-later
/* What the writer writes, the reader reads back. */
#include "perfdata/facts.h"
#include "perfdata/writer.h"
#include "session/tally.h"
#include "fake_sysfs.h"
#include "ktap.h"

#include <pmscope/input.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define TRACE	   "0123456789abcdefghij"
#define TRACE_SIZE 20

struct comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[8];
	/* sample_id: TID, TIME, CPU, IDENTIFIER */
	uint32_t id_pid, id_tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

static const struct comm comm = {
	.header = {.type = PERF_RECORD_COMM, .size = sizeof(comm)},
	.pid = 7,
	.tid = 8,
	.name = "loop",
	.id_pid = 7,
	.id_tid = 8,
	.time = 123456,
	.cpu = 3,
	.id = 43,
};

static uint64_t ids[2][2] = {{40, 41}, {42, 43}};

static const struct pmscope_build_id build_id = {
	.name = "/bin/loop",
	.id = {1, 2, 3, 4},
	.size = 20,
};

static void set_attrs(struct pmscope_written_attr attr[2])
{
	memset(attr, 0, 2 * sizeof(*attr));
	for (int i = 0; i < 2; i++) {
		attr[i].attr.attr.sample_type = PMSCOPE_TALLY_TIMED;
		attr[i].attr.attr.sample_id_all = 1;
		attr[i].id = ids[i];
		attr[i].nr_ids = 2;
	}
	attr[0].name = "arm_spe_0/inv_event_filter=1/";
	attr[0].attr.attr.type = 21;
	*pmscope_attr_config(&attr[0].attr, 3) = 1;
	attr[1].name = "dummy:u";
	attr[1].attr.attr.type = PERF_TYPE_SOFTWARE;
	attr[1].attr.attr.config = PERF_COUNT_SW_DUMMY;
	for (int i = 0; i < 2; i++)
		pmscope_attr_set_size(&attr[i].attr);
}

static int write_recording(struct pmscope_perfdata_writer *w)
{
	static const unsigned int groups[] = {0, 1};
	const void *part[2] = {TRACE, TRACE + 15};
	const size_t size[2] = {15, TRACE_SIZE - 15};
	const struct pmscope_written_auxtrace aux = {
		.size = TRACE_SIZE,
		.offset = 0x1000,
		.index = 1,
		.tid = -1,
		.cpu = 1,
	};
	char *argv[] = {(char *)"pmscope", (char *)"record", NULL};
	struct pmscope_written_attr attr[2];
	int ret;

	set_attrs(attr);
	ret = pmscope_writer_begin(w, attr, 2);
	if (!ret)
		ret = pmscope_facts_events(w, attr, groups, 2);
	if (!ret)
		ret = pmscope_facts_system(w);
	if (!ret)
		ret = pmscope_facts_command(w, argv);
	if (!ret)
		ret = pmscope_writer_records(w, &comm, sizeof(comm));
	if (!ret)
		ret = pmscope_writer_auxtrace(w, &aux, part, size);
	if (!ret)
		ret = pmscope_facts_build_ids(w, &build_id, 1);
	return ret ? ret : pmscope_writer_finish(w);
}

static void check_comm(struct pmscope_perfdata *reader)
{
	struct pmscope_perf_event event;
	int ret;

	while ((ret = pmscope_perfdata_next(reader, &event)) > 0 &&
	       event.type != PERF_RECORD_COMM)
		;
	ASSERT_EQ(ret, 1);
	EXPECT_EQ(event.attr, 1);
	EXPECT_EQ(event.id.time, 123456u);
	EXPECT_EQ(event.id.cpu, 3u);
	EXPECT_EQ(event.id.tid, 8u);
}

static void check_trace(struct pmscope_perfdata *reader)
{
	struct pmscope_perf_event event;

	ASSERT_EQ(pmscope_perfdata_next(reader, &event), 1);
	ASSERT_EQ(event.type, (uint32_t)PMSCOPE_RECORD_AUXTRACE);
	/* Padded to a multiple of eight. */
	ASSERT_EQ(event.payload_size, (size_t)24);
	EXPECT_MEMEQ(event.payload, TRACE "\0\0\0", 24);
}

static void check_rest(struct pmscope_perfdata *reader)
{
	struct pmscope_perf_event event;
	int ret;

	while ((ret = pmscope_perfdata_next(reader, &event)) > 0)
		;
	EXPECT_EQ(ret, 0);
	EXPECT_STREQ(pmscope_perfdata_error(reader), "");
	ASSERT_EQ(pmscope_perfdata_nr_attrs(reader), (size_t)2);
	EXPECT_STREQ(pmscope_perfdata_attr(reader, 0)->name,
		     "arm_spe_0/inv_event_filter=1/");
	EXPECT_STREQ(pmscope_perfdata_attr(reader, 1)->name, "dummy:u");
	EXPECT_EQ(pmscope_perfdata_attr_of_id(reader, 41), 0);
	EXPECT_EQ(pmscope_perfdata_attr_of_id(reader, 42), 1);
	EXPECT_TRUE(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_HOSTNAME));
	EXPECT_TRUE(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_ARCH));
	ASSERT_EQ(pmscope_perfdata_nr_build_ids(reader), (size_t)1);
	EXPECT_STREQ(pmscope_perfdata_build_id(reader, 0)->name, "/bin/loop");
	EXPECT_EQ(pmscope_perfdata_build_id(reader, 0)->size, 20);
	EXPECT_MEMEQ(pmscope_perfdata_build_id(reader, 0)->id, build_id.id, 20);
}

static void check_file(const char *path)
{
	struct pmscope_input *input = pmscope_input_open(path);
	struct pmscope_perfdata *reader = NULL;

	ASSERT_TRUE(input);
	ASSERT_EQ(pmscope_perfdata_open(pmscope_input_data(input),
					pmscope_input_size(input), &reader),
		  0);
	check_comm(reader);
	check_trace(reader);
	check_rest(reader);
	pmscope_perfdata_free(reader);
	pmscope_input_free(input);
}

TEST(a_file_is_read_back)
{
	struct pmscope_perfdata_writer *w;
	struct pmscope_error err;
	char dir[FAKE_SYSFS_PATH], path[FAKE_SYSFS_PATH + 16];

	fake_sysfs_make(dir);
	snprintf(path, sizeof(path), "%s/a.data", dir);
	ASSERT_EQ(pmscope_writer_open(&w, path, &err), 0);
	EXPECT_EQ(write_recording(w), 0);
	pmscope_writer_free(w);
	check_file(path);
	fake_sysfs_remove(dir);
}

TEST(a_pipe_is_read_back)
{
	struct pmscope_perfdata_writer *w;
	struct pmscope_error err;
	char dir[FAKE_SYSFS_PATH], path[FAKE_SYSFS_PATH + 16];
	int saved = dup(STDOUT_FILENO), fd;

	fake_sysfs_make(dir);
	snprintf(path, sizeof(path), "%s/a.pipe", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_TRUE(fd >= 0 && saved >= 0);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	ASSERT_EQ(pmscope_writer_open(&w, "-", &err), 0);
	EXPECT_EQ(write_recording(w), 0);
	pmscope_writer_free(w);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	check_file(path);
	fake_sysfs_remove(dir);
}

TEST(an_older_file_is_kept)
{
	struct pmscope_perfdata_writer *w;
	struct pmscope_error err;
	char dir[FAKE_SYSFS_PATH], path[FAKE_SYSFS_PATH + 16];
	char old[FAKE_SYSFS_PATH + 32];

	fake_sysfs_make(dir);
	fake_sysfs_text(dir, "a.data", "precious");
	snprintf(path, sizeof(path), "%s/a.data", dir);
	snprintf(old, sizeof(old), "%s.old", path);
	ASSERT_EQ(pmscope_writer_open(&w, path, &err), 0);
	pmscope_writer_free(w);
	EXPECT_EQ(access(old, F_OK), 0);
	fake_sysfs_remove(dir);
}

TEST(a_file_that_cannot_be_made_is_named)
{
	struct pmscope_perfdata_writer *w;
	struct pmscope_error err;

	EXPECT_EQ(pmscope_writer_open(&w, "/nonexistent/a.data", &err),
		  -ENOENT);
	EXPECT_TRUE(strstr(err.text, "/nonexistent/a.data"));
}

/* A device without room for a byte. */
TEST(a_full_disk_is_reported)
{
	struct pmscope_perfdata_writer *w;
	struct pmscope_error err;

	if (access("/dev/full", W_OK))
		SKIP("no /dev/full");
	ASSERT_EQ(pmscope_writer_open(&w, "/dev/full", &err), 0);
	EXPECT_EQ(write_recording(w), -ENOSPC);
	pmscope_writer_free(w);
}

KTAP_MAIN
