// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts about the recorded machine and its files, as written. */
#include "perfdata/writer.h"
#include "writing.h"

#include <pmscope/recording.h>

/* In the record that has the build-id of @name; misc of perf_event_header. */
static unsigned int cpumode_of(const struct pmscope_input *input,
			       const char *name)
{
	const uint8_t *data = pmscope_input_data(input), *at;
	const size_t before = sizeof(struct perf_event_header) + 4 + 24;
	struct perf_event_header header;

	at = memmem(data, pmscope_input_size(input), name, strlen(name) + 1);
	if (!at || at < data + before)
		return 0;
	memcpy(&header, at - before, sizeof(header));
	return header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

TEST(build_ids_say_what_is_the_kernels)
{
	static const struct {
		const char *name;
		unsigned int cpumode;
	} files[] = {
		{"[kernel.kallsyms]", PERF_RECORD_MISC_KERNEL},
		{"[kernel.vmlinux]", PERF_RECORD_MISC_KERNEL},
		{"/lib/a.ko", PERF_RECORD_MISC_KERNEL},
		{"/lib/b.ko.xz", PERF_RECORD_MISC_KERNEL},
		{"[a_b]", PERF_RECORD_MISC_KERNEL},
		{"[vdso]", PERF_RECORD_MISC_USER},
		{"/lib/a.ko/c", PERF_RECORD_MISC_USER},
	};
	struct pmscope_build_id all[7];
	WRITING(t);

	ASSERT_EQ(writing_begin(t.w), 0);
	for (int i = 0; i < 7; i++) {
		all[i] = (struct pmscope_build_id){.name = files[i].name,
						   .size = 20};
	}
	EXPECT_EQ(pmscope_writer_build_ids(t.w, all, 7), 0);
	ASSERT_TRUE(writing_back(&t));
	for (int i = 0; i < 7; i++)
		EXPECT_EQ(cpumode_of(t.input, files[i].name), files[i].cpumode);
}

/* Between the records they are read, too, and each record is aligned. */
TEST(build_ids_while_the_recording_goes_on)
{
	const struct pmscope_build_id ids[] = {
		{.name = "/bin/a", .id = {1}, .size = 20},
		{.name = "/bin/of/another/length", .id = {2}, .size = 16}};
	WRITING(t);

	EXPECT_EQ(writer_build_ids(t.w, ids, 1), -EINVAL);
	ASSERT_EQ(writing_begin(t.w), 0);
	EXPECT_EQ(writer_build_ids(t.w, ids, 2), 0);
	EXPECT_EQ(writer_build_ids(t.w, ids, 0), 0);
	EXPECT_EQ(pmscope_writer_size(t.w) % 8, 0U);
	EXPECT_EQ(pmscope_writer_build_ids(t.w, ids, 1), 0);
	ASSERT_TRUE(writing_back(&t));
	ASSERT_EQ(pmscope_perfdata_nr_build_ids(t.reader), (size_t)3);
	for (int i = 0; i < 3; i++) {
		const struct pmscope_build_id *id =
			pmscope_perfdata_build_id(t.reader, i);

		/* The feature is read first. */
		EXPECT_STREQ(id->name, ids[i == 2].name);
		EXPECT_EQ(id->id[0], ids[i == 2].id[0]);
		EXPECT_EQ(id->size, ids[i == 2].size);
	}
}

TEST(more_cpus_than_a_record_holds_are_refused)
{
	static struct pmscope_written_cpu cpus[PMSCOPE_WRITER_CPUS_MAX + 1];
	static const uint64_t filters[PMSCOPE_WRITER_CPUS_MAX] = {8};
	WRITING(t);
	struct pmscope_written_spe spe = {.size = sizeof(spe), .cpus = cpus};

	ASSERT_EQ(writing_begin(t.w), 0);
	for (uint32_t i = 0; i <= PMSCOPE_WRITER_CPUS_MAX; i++)
		cpus[i] = (struct pmscope_written_cpu){1 + i % 2, i, 21};
	spe.nr_cpus = PMSCOPE_WRITER_CPUS_MAX + 1;
	EXPECT_EQ(pmscope_writer_spe(t.w, &spe), -E2BIG);
	spe.nr_cpus = PMSCOPE_WRITER_FILTERED_CPUS_MAX + 1;
	spe.event_filters = filters;
	EXPECT_EQ(pmscope_writer_spe(t.w, &spe), -E2BIG);
	spe.event_filters = NULL;
	spe.nr_cpus = PMSCOPE_WRITER_CPUS_MAX;
	EXPECT_EQ(pmscope_writer_spe(t.w, &spe), 0);
}

/* Like a copy of a recording, also if the CPUs are alike. */
static void expect_filters(uint64_t midr, const uint64_t filters[2])
{
	struct pmscope_written_cpu cpus[] = {{0x410fd8f0, 0, 21},
					     {midr, 3, 22}};
	struct pmscope_written_spe spe = {.size = sizeof(spe),
					  .pmu_type = 21,
					  .cpus = cpus,
					  .nr_cpus = 2,
					  .event_filters = filters};
	WRITING(t);
	struct pmscope_recording *r = NULL;

	ASSERT_EQ(writing_begin(t.w), 0);
	EXPECT_EQ(pmscope_writer_spe(t.w, &spe), 0);
	ASSERT_TRUE(writing_back(&t));
	ASSERT_EQ(pmscope_recording_open(pmscope_input_data(t.input),
					 pmscope_input_size(t.input), NULL, &r),
		  0);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(pmscope_recording_event_filter(r, cpus[i].cpu),
			  filters[i]);
	pmscope_recording_free(r);
}

TEST(the_event_filter_of_each_cpu_is_read_back)
{
	expect_filters(0x480fd060, (uint64_t[]){0x6f8ea, 0});
	expect_filters(0x410fd8f0, (uint64_t[]){0x6f8ea, 0x8});
	expect_filters(0x410fd8f0, (uint64_t[]){0, 0});
}

TEST(every_text_is_read_back)
{
	static const enum pmscope_perf_feature texts[] = {
		PMSCOPE_FEATURE_HOSTNAME, PMSCOPE_FEATURE_OSRELEASE,
		PMSCOPE_FEATURE_VERSION,  PMSCOPE_FEATURE_ARCH,
		PMSCOPE_FEATURE_CPUDESC,  PMSCOPE_FEATURE_CPUID,
	};
	char text[] = "a";
	WRITING(t);

	ASSERT_EQ(writing_begin(t.w), 0);
	for (size_t i = 0; i < 6; i++, text[0]++)
		EXPECT_EQ(pmscope_writer_string(t.w, texts[i], text), 0);
	ASSERT_TRUE(writing_back(&t));
	text[0] = 'a';
	for (size_t i = 0; i < 6; i++, text[0]++)
		EXPECT_STREQ(pmscope_perfdata_feature(t.reader, texts[i]) ?: "",
			     text);
	EXPECT_TRUE(
		!pmscope_perfdata_feature(t.reader, PMSCOPE_FEATURE_CMDLINE));
}

/* Both are written there, and perf uses the last one. */
TEST(the_last_text_of_a_pipe_counts)
{
	struct pmscope_perfdata *reader;
	struct pmscope_input *input;
	struct pmscope_writer *w;
	char path[32];
	int ends[2];

	ASSERT_EQ(pipe(ends), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	w = pmscope_writer_open(path);
	ASSERT_TRUE(w);
	ASSERT_EQ(writing_begin(w), 0);
	EXPECT_EQ(pmscope_writer_string(w, PMSCOPE_FEATURE_ARCH, "one"), 0);
	EXPECT_EQ(pmscope_writer_string(w, PMSCOPE_FEATURE_ARCH, "two"), 0);
	EXPECT_EQ(pmscope_writer_finish(w), 0);
	pmscope_writer_free(w);
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	ASSERT_EQ(pmscope_input_open(path, &input), 0);
	reader = writing_read(input);
	EXPECT_STREQ(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_ARCH)
			     ?: "",
		     "two");
	pmscope_perfdata_free(reader);
	pmscope_input_free(input);
	close(ends[0]);
}

/*
 * The CPUID of a recording of two CPUs; with @given it is set before the CPUs.
 */
static void expect_cpuid(uint64_t midr, const char *given, const char *expected)
{
	struct pmscope_written_cpu cpus[] = {{0x413fd0c1, 0, 21},
					     {midr, 1, 21}};
	struct pmscope_written_spe spe = {.size = sizeof(spe),
					  .pmu_type = 21,
					  .cpus = cpus,
					  .nr_cpus = 2};
	WRITING(t);

	ASSERT_EQ(writing_begin(t.w), 0);
	if (given)
		EXPECT_EQ(pmscope_writer_string(t.w, PMSCOPE_FEATURE_CPUID,
						given),
			  0);
	EXPECT_EQ(pmscope_writer_spe(t.w, &spe), 0);
	ASSERT_TRUE(writing_back(&t));
	EXPECT_STREQ(pmscope_perfdata_feature(t.reader, PMSCOPE_FEATURE_CPUID)
			     ?: "",
		     expected);
}

/* The record of CPUs that are alike has no room for what they are. */
TEST(the_midr_of_cpus_that_are_alike_is_kept)
{
	expect_cpuid(0x413fd0c1, NULL, "0x00000000410fd0c0");
	expect_cpuid(0x413fd0c1, "0x1", "0x1");
	expect_cpuid(0x410fd490, NULL, "");
}

/* Like /dev/stdout: others must still have it afterwards. */
TEST(the_name_of_a_descriptor_stays)
{
	FOLDER(f);
	char link[WRITING_PATH];
	char target[32], after[32];
	int fd;

	fake_sysfs_text(f.dir, "a.data", "precious");
	snprintf(link, sizeof(link), "%s/link", f.dir);
	fd = open(f.path, O_RDWR | O_CLOEXEC);
	snprintf(target, sizeof(target), "/proc/self/fd/%d", fd);
	ASSERT_EQ(symlink(target, link), 0);
	EXPECT_TRUE(!pmscope_writer_open(link));
	EXPECT_EQ(errno, EPERM);
	EXPECT_EQ(readlink(link, after, sizeof(after)),
		  (ssize_t)strlen(target));
	close(fd);
}

/* A daemon has closed it, and the file gets its number. */
TEST(a_file_in_place_of_standard_output_is_closed)
{
	FOLDER(f);
	int saved = dup(STDOUT_FILENO), open_flags, closed_flags;
	struct pmscope_writer *w;

	ASSERT_TRUE(saved >= 0);
	fflush(stdout);
	close(STDOUT_FILENO);
	w = pmscope_writer_open(f.path);
	open_flags = fcntl(STDOUT_FILENO, F_GETFD);
	pmscope_writer_free(w);
	closed_flags = fcntl(STDOUT_FILENO, F_GETFD);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	EXPECT_EQ(open_flags, FD_CLOEXEC);
	EXPECT_EQ(closed_flags, -1);
}
