// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader reads back what the writer writes. */
#include "session/records.h"
#include "writing.h"

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

static const struct pmscope_build_id build_id = {
	.name = "/bin/loop",
	.id = {1, 2, 3, 4},
	.size = 20,
};

static int tell_spe(struct pmscope_writer *w)
{
	struct pmscope_written_spe spe = {.size = sizeof(spe), .pmu_type = 21};

	return pmscope_writer_spe(w, &spe);
}

static const struct pmscope_written_trace trace = {
	.offset = 0x1000,
	.index = 1,
	.tid = -1,
	.cpu = 1,
	.data = {TRACE, &TRACE[15]},
	.part_size = {15, TRACE_SIZE - 15},
};

static int write_recording(struct pmscope_writer *w)
{
	static const unsigned int groups[] = {0, 1};
	char *argv[] = {(char *)"pmscope", (char *)"record", NULL};

	return writing_begin(w)
		       ?: facts_groups(w, groups, 2) ?: facts_system(w)
		       ?: facts_command(w, argv) ?: tell_spe(w)
		       ?: pmscope_writer_records(w, &comm, sizeof(comm))
		       ?: pmscope_writer_trace(w, &trace)
		       ?: pmscope_writer_build_ids(w, &build_id, 1)
		       ?: pmscope_writer_finish(w);
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

/* Programs and the library may have kernel headers of different age. */
static void check_newer_members(const struct pmscope_perfdata *reader)
{
	const void *attr = &pmscope_perfdata_attr(reader, 0)->attr;
	const uint64_t *config3 = attr + PMSCOPE_ATTR_SIZE_BASE;
	const uint64_t *config4 = attr + PMSCOPE_ATTR_SIZE_CONFIG3;

	EXPECT_EQ(offsetof(struct pmscope_perf_attr, name), 0u);
	EXPECT_EQ(*config3, 1u);
	EXPECT_EQ(*config4, 0u);
}

static void check_ids_and_data(const struct pmscope_perfdata *reader)
{
	const char *arch =
		pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_ARCH);
	uint64_t ids[3] = {0, 0, 99};
	const uint8_t *data;
	size_t size;

	EXPECT_EQ(pmscope_perfdata_ids(reader, 0, ids, 3), (size_t)2);
	EXPECT_EQ(ids[0], 40U);
	EXPECT_EQ(ids[1], 41U);
	EXPECT_EQ(pmscope_perfdata_ids(reader, 1, ids, 1), (size_t)2);
	EXPECT_EQ(ids[0], 42U);
	EXPECT_EQ(ids[1], 41U);
	EXPECT_EQ(ids[2], 99U);
	EXPECT_EQ(pmscope_perfdata_ids(reader, 1, NULL, 0), (size_t)2);
	EXPECT_EQ(pmscope_perfdata_ids(reader, 2, ids, 3), (size_t)0);
	data = pmscope_perfdata_feature_data(reader, PMSCOPE_FEATURE_ARCH,
					     &size);
	ASSERT_TRUE(data && size > 4 + strlen(arch));
	EXPECT_STREQ((const char *)data + 4, arch);
	EXPECT_TRUE(!pmscope_perfdata_feature_data(reader, 63, &size));
	EXPECT_EQ(size, (size_t)0);
	EXPECT_TRUE(!pmscope_perfdata_feature_data(reader, UINT_MAX, &size));
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
	check_newer_members(reader);
	EXPECT_EQ(pmscope_perfdata_attr_of_id(reader, 41), 0);
	EXPECT_EQ(pmscope_perfdata_attr_of_id(reader, 42), 1);
	check_ids_and_data(reader);
	EXPECT_TRUE(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_HOSTNAME));
	EXPECT_TRUE(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_ARCH));
	ASSERT_EQ(pmscope_perfdata_nr_build_ids(reader), (size_t)1);
	EXPECT_STREQ(pmscope_perfdata_build_id(reader, 0)->name, "/bin/loop");
	EXPECT_EQ(pmscope_perfdata_build_id(reader, 0)->size, 20);
	EXPECT_MEMEQ(pmscope_perfdata_build_id(reader, 0)->id, build_id.id, 20);
}

static void check_file(const char *path)
{
	struct pmscope_perfdata *reader = NULL;
	struct pmscope_input *input;

	ASSERT_EQ(pmscope_input_open(path, &input), 0);
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
	WRITING(t);

	EXPECT_EQ(write_recording(t.w), 0);
	check_file(t.path);
}

TEST(a_pipe_is_read_back)
{
	struct pmscope_writer *w;
	FOLDER(f);
	int saved = dup(STDOUT_FILENO), fd;

	snprintf(f.path, sizeof(f.path), "%s/a.pipe", f.dir);
	fd = open(f.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_TRUE(fd >= 0 && saved >= 0);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	w = pmscope_writer_open("-");
	ASSERT_TRUE(w);
	EXPECT_EQ(write_recording(w), 0);
	pmscope_writer_free(w);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	check_file(f.path);
}

TEST(an_older_file_is_kept)
{
	struct pmscope_writer *w;
	FOLDER(f);
	char old[FAKE_SYSFS_PATH + 32];

	fake_sysfs_text(f.dir, "a.data", "precious");
	snprintf(old, sizeof(old), "%s.old", f.path);
	w = pmscope_writer_open(f.path);
	ASSERT_TRUE(w);
	pmscope_writer_free(w);
	EXPECT_EQ(access(old, F_OK), 0);
}

TEST(an_older_file_that_cannot_be_kept_stays)
{
	FOLDER(f);
	struct stat st;

	fake_sysfs_text(f.dir, "a.data", "precious");
	fake_sysfs_text(f.dir, "a.data.old/kept", "more so");
	EXPECT_TRUE(!pmscope_writer_open(f.path));
	EXPECT_EQ(errno, EEXIST);
	EXPECT_TRUE(!stat(f.path, &st) && st.st_size);
}

/* In another user's directory: what happens to "target"? */
static int open_through(const char *dir, const char *target)
{
	char link[WRITING_PATH];
	struct pmscope_writer *w;

	snprintf(link, sizeof(link), "%s/link", dir);
	unlink(link);
	if (symlink(target, link))
		return 0;
	w = pmscope_writer_open(link);
	if (w)
		pmscope_writer_free(w);
	return w ? 0 : errno;
}

TEST(links_are_not_followed)
{
	FOLDER(f);
	char old[WRITING_PATH];
	struct stat st;

	snprintf(f.path, sizeof(f.path), "%s/target", f.dir);
	EXPECT_EQ(open_through(f.dir, f.path), ELOOP);
	EXPECT_EQ(access(f.path, F_OK), -1);
	close(open(f.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0640));
	EXPECT_EQ(open_through(f.dir, f.path), ELOOP);
	EXPECT_TRUE(!stat(f.path, &st) && !st.st_size);
	fake_sysfs_text(f.dir, "target", "precious");
	EXPECT_EQ(open_through(f.dir, f.path), 0);
	EXPECT_TRUE(!stat(f.path, &st) && st.st_size);
	/* The link was the older file. */
	snprintf(old, sizeof(old), "%s/link.old", f.dir);
	EXPECT_TRUE(!lstat(old, &st) && S_ISLNK(st.st_mode));
	EXPECT_EQ(open_through(f.dir, "/dev/null"), 0);
}

static ino_t number_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

TEST(empty_files_of_two_names_are_replaced)
{
	FOLDER(f);
	char other[WRITING_PATH];
	struct stat st;
	ino_t number;

	snprintf(other, sizeof(other), "%s/other", f.dir);
	close(open(f.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	number = number_of(f.path);
	pmscope_writer_free(pmscope_writer_open(f.path));
	EXPECT_EQ(number_of(f.path), number);
	ASSERT_EQ(link(f.path, other), 0);
	pmscope_writer_free(pmscope_writer_open(f.path));
	EXPECT_NE(number_of(f.path), number);
	EXPECT_EQ(number_of(other), number);
	if (!getuid() && !chown(f.path, 65534, 65534)) {
		pmscope_writer_free(pmscope_writer_open(f.path));
		EXPECT_TRUE(!stat(f.path, &st) && !st.st_uid);
	}
}

TEST(a_file_that_cannot_be_made_is_refused)
{
	EXPECT_TRUE(!pmscope_writer_open("/nonexistent/a.data"));
	EXPECT_EQ(errno, ENOENT);
}

/* A device without room for a byte: nothing follows half a record. */
TEST(a_full_disk_is_reported)
{
	struct pmscope_writer *w;

	if (access("/dev/full", W_OK))
		SKIP("no /dev/full");
	w = pmscope_writer_open("/dev/full");
	ASSERT_TRUE(w);
	EXPECT_EQ(write_recording(w), -ENOSPC);
	EXPECT_STREQ(pmscope_writer_error(w), strerror(ENOSPC));
	EXPECT_EQ(pmscope_writer_records(w, &comm, sizeof(comm)), -ENOSPC);
	EXPECT_EQ(pmscope_writer_finish(w), -ENOSPC);
	/* The reason is kept, even after a later invalid call. */
	EXPECT_EQ(pmscope_writer_spe(w, NULL), -ENOSPC);
	EXPECT_EQ(pmscope_writer_string(w, PMSCOPE_FEATURE_NRCPUS, "4"),
		  -ENOSPC);
	EXPECT_STREQ(pmscope_writer_error(w), strerror(ENOSPC));
	pmscope_writer_free(w);
}

TEST(bytes_that_are_not_given_are_refused)
{
	struct pmscope_written_trace nothing = {
		.tid = -1, .data = {TRACE}, .part_size = {8, 8}};
	WRITING(t);
	uint64_t size;

	ASSERT_EQ(writing_begin(t.w), 0);
	size = pmscope_writer_size(t.w);
	EXPECT_EQ(pmscope_writer_spe(t.w, NULL), -EINVAL);
	EXPECT_EQ(pmscope_writer_size(t.w), size);
	ASSERT_EQ(tell_spe(t.w), 0);
	size = pmscope_writer_size(t.w);
	EXPECT_EQ(pmscope_writer_trace(t.w, &nothing), -EINVAL);
	nothing.data[1] = TRACE;
	nothing.cpu = -1; /* nor of a thread */
	EXPECT_EQ(pmscope_writer_trace(t.w, &nothing), -EINVAL);
	EXPECT_EQ(pmscope_writer_size(t.w), size);
	EXPECT_EQ(pmscope_writer_finish(t.w), 0);
}

/* A file that cannot seek gets the pipe format, whatever its name. */
TEST(a_fifo_is_a_pipe)
{
	FOLDER(f);
	uint8_t head[16], expected[16] = "PERFILE2\x10";
	struct pmscope_writer *w;
	int reader;

	snprintf(f.path, sizeof(f.path), "%s/a.fifo", f.dir);
	ASSERT_EQ(mkfifo(f.path, 0600), 0);
	reader = open(f.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	w = pmscope_writer_open(f.path);
	ASSERT_TRUE(reader >= 0 && w);
	EXPECT_EQ(write_recording(w), 0);
	EXPECT_EQ(read(reader, head, 16), (ssize_t)16);
	EXPECT_MEMEQ(head, expected, 16);
	pmscope_writer_free(w);
	close(reader);
}

TEST(calls_out_of_order_are_refused)
{
	WRITING(t);

	EXPECT_STREQ(pmscope_writer_error(t.w), "");
	EXPECT_EQ(pmscope_writer_records(t.w, &comm, sizeof(comm)), -EINVAL);
	EXPECT_STREQ(pmscope_writer_error(t.w), "the recording has not begun");
	EXPECT_EQ(pmscope_writer_finish(t.w), -EINVAL);
	EXPECT_EQ(tell_spe(t.w), -EINVAL);
	EXPECT_EQ(writing_begin(t.w), 0);
	EXPECT_EQ(writing_begin(t.w), -EINVAL);
	EXPECT_EQ(pmscope_writer_trace(t.w, &trace), -EINVAL);
	EXPECT_EQ(tell_spe(t.w), 0);
	EXPECT_EQ(tell_spe(t.w), -EINVAL);
	EXPECT_EQ(pmscope_writer_records(t.w, &comm, sizeof(comm)), 0);
	EXPECT_EQ(pmscope_writer_trace(t.w, &trace), 0);
	EXPECT_EQ(pmscope_writer_build_ids(t.w, &build_id, 1), 0);
	EXPECT_EQ(pmscope_writer_string(t.w, PMSCOPE_FEATURE_HOSTNAME, "h"), 0);
	EXPECT_EQ(pmscope_writer_string(t.w, PMSCOPE_FEATURE_ARCH, "a"), 0);
	EXPECT_EQ(pmscope_writer_finish(t.w), 0);
	EXPECT_EQ(pmscope_writer_finish(t.w), -EINVAL);
	EXPECT_EQ(pmscope_writer_trace(t.w, &trace), -EINVAL);
	pmscope_writer_free(t.w);
	t.w = NULL;
	/* Refused calls wrote nothing. */
	check_file(t.path);
}

/* A record whose header has @type and @size, but only @given bytes. */
static int give(struct pmscope_writer *w, uint32_t type, uint16_t size,
		size_t given)
{
	uint8_t bytes[64] = {};
	struct perf_event_header header = {.type = type, .size = size};

	memcpy(bytes, &header, sizeof(header));
	return pmscope_writer_records(w, bytes, given);
}

TEST(bytes_that_are_no_records_are_refused)
{
	WRITING(t);
	uint64_t size;

	ASSERT_EQ(writing_begin(t.w), 0);
	size = pmscope_writer_size(t.w);
	EXPECT_EQ(give(t.w, PERF_RECORD_COMM, 0, 32), -EINVAL);
	EXPECT_EQ(give(t.w, PERF_RECORD_COMM, 4, 32), -EINVAL);
	EXPECT_EQ(give(t.w, PERF_RECORD_COMM, 12, 12), -EINVAL);
	EXPECT_EQ(give(t.w, PERF_RECORD_COMM, 40, 32), -EINVAL);
	EXPECT_EQ(give(t.w, PERF_RECORD_COMM, 32, 40), -EINVAL);
	EXPECT_EQ(give(t.w, PERF_RECORD_COMM, 8, 7), -EINVAL);
	EXPECT_EQ(give(t.w, PMSCOPE_RECORD_AUXTRACE, 48, 48), -EINVAL);
	EXPECT_EQ(give(t.w, PMSCOPE_RECORD_AUXTRACE_INFO, 32, 32), -EINVAL);
	EXPECT_EQ(give(t.w, PMSCOPE_RECORD_HEADER_ATTR, 32, 32), -EINVAL);
	EXPECT_EQ(give(t.w, PMSCOPE_RECORD_HEADER_FEATURE, 32, 32), -EINVAL);
	EXPECT_EQ(give(t.w, PMSCOPE_RECORD_TRACING_DATA, 16, 16), -EINVAL);
	EXPECT_EQ(give(t.w, PMSCOPE_RECORD_COMPRESSED2, 32, 32), -EINVAL);
	EXPECT_STREQ(pmscope_writer_error(t.w),
		     "a record of type 83 cannot be given at byte 0 of 32");
	EXPECT_EQ(pmscope_writer_size(t.w), size);
	EXPECT_EQ(give(t.w, PMSCOPE_RECORD_FINISHED_ROUND, 8, 8), 0);
	EXPECT_EQ(pmscope_writer_size(t.w), size + 8);
}

TEST(features_that_are_somebody_elses_are_refused)
{
	WRITING(t);
	struct pmscope_build_id bad = build_id;

	ASSERT_EQ(writing_begin(t.w), 0);
	EXPECT_EQ(pmscope_writer_feature(t.w, 0, "", 1), -EINVAL);
	EXPECT_EQ(pmscope_writer_feature(t.w, 64, "", 1), -EINVAL);
	EXPECT_EQ(pmscope_writer_feature(t.w, PMSCOPE_FEATURE_AUXTRACE, "", 1),
		  -EINVAL);
	EXPECT_EQ(pmscope_writer_feature(t.w, PMSCOPE_FEATURE_BUILD_ID, "", 1),
		  -EINVAL);
	EXPECT_EQ(pmscope_writer_string(t.w, PMSCOPE_FEATURE_NRCPUS, "2"),
		  -EINVAL);
	bad.size = 21;
	EXPECT_EQ(pmscope_writer_build_ids(t.w, &bad, 1), -EINVAL);
	bad.size = 0;
	EXPECT_EQ(pmscope_writer_build_ids(t.w, &bad, 1), -EINVAL);
	EXPECT_EQ(pmscope_writer_build_ids(t.w, NULL, 0), 0);
}
