// SPDX-License-Identifier: GPL-2.0-or-later
/* The directory that perf record --threads writes. */
#include "container.h"
#include "fake_sysfs.h"
#include "ktap.h"
#include "read/load.h"

#include <pmscope/input.h>
#include <pmscope/perfdata.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zstd.h>

/* A stream that is flushed, not ended: as perf leaves it. */
static void put_flushed(struct bytes *b, const char *comm)
{
	ZSTD_CCtx *stream = ZSTD_createCCtx();
	struct bytes plain = {}, body = {};
	uint8_t packed[1000];
	ZSTD_outBuffer to = {packed, sizeof(packed), 0};
	ZSTD_inBuffer from;

	put_comm(&plain, 0, comm, &here);
	from = (ZSTD_inBuffer){plain.data, plain.size, 0};
	EXPECT_EQ(ZSTD_compressStream2(stream, &to, &from, ZSTD_e_flush), 0U);
	put(&body, to.pos, 8);
	bytes_add(&body, packed, to.pos);
	put_zeros(&body, -body.size & 7);
	put_record(b, PMSCOPE_RECORD_COMPRESSED2, 0, &body);
	ZSTD_freeCCtx(stream);
	bytes_fini(&plain);
	bytes_fini(&body);
}

static void put_file(const char *dir, const char *name, const struct bytes *b)
{
	fake_sysfs_file(dir, name, b->data, b->size);
}

/*
 * Each thread of perf has a file of records, with zstd its own stream. The
 * features follow all of them.
 */
static void make_directory(const char *dir)
{
	struct bytes b = {}, features = {};
	const uint64_t flag = 1 << PMSCOPE_FEATURE_HOSTNAME;

	make_file(&b);
	memcpy(b.data + 72, &flag, sizeof(flag));
	put(&features, b.size + 16, 8);
	put(&features, 4 + 8, 8);
	put(&features, 8, 4);
	bytes_add(&features, "a-host\0", 8);
	bytes_add(&b, features.data, features.size);
	put_file(dir, "data", &b);
	bytes_fini(&features);
	bytes_fini(&b);
	put_flushed(&b, "third");
	put_file(dir, "data.0", &b);
	b.size = 0;
	put_file(dir, "data.1", &b);
	put_flushed(&b, "fourth");
	put_comm(&b, 0, "fifth", &here);
	put_file(dir, "data.2", &b);
	bytes_fini(&b);
}

TEST(directory_of_several_threads_of_perf)
{
	struct pmscope_perfdata *reader;
	struct pmscope_input *input;
	char dir[FAKE_SYSFS_PATH];
	struct seen seen;
	struct bytes b;

	fake_sysfs_make(dir);
	make_directory(dir);
	input = pmscope_input_open(dir);
	ASSERT_TRUE(input);
	b = (struct bytes){(uint8_t *)pmscope_input_data(input),
			   pmscope_input_size(input), 0};
	seen = read_all(&b);
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.comms, 5U);
	EXPECT_EQ(seen.auxtraces, 1U);
	ASSERT_EQ(pmscope_perfdata_open(b.data, b.size, &reader), 0);
	EXPECT_STREQ(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_HOSTNAME),
		     "a-host");
	pmscope_perfdata_free(reader);
	pmscope_input_free(input);
	fake_sysfs_remove(dir);
}

/*
 * The directory of perf record --kcore: one file of records, and the kernel's.
 */
TEST(directory_with_kcore)
{
	char dir[FAKE_SYSFS_PATH], *argv[] = {"report", dir}, path[PATH_MAX];
	struct load_config config = {};
	struct pmscope_input *input;
	struct bytes b = {};
	struct seen seen;

	fake_sysfs_make(dir);
	make_file(&b);
	put_file(dir, "data", &b);
	bytes_fini(&b);
	ASSERT_EQ(load_operand(&config, 2, argv, 1), 0);
	EXPECT_TRUE(!config.kallsyms);
	fake_sysfs_text(dir, "kcore_dir/kallsyms", "ffff800010000000 T _text");
	config = (struct load_config){};
	ASSERT_EQ(load_operand(&config, 2, argv, 1), 0);
	ASSERT_TRUE(config.kallsyms);
	ASSERT_TRUE(realpath(config.kallsyms, path));
	EXPECT_TRUE(strstr(path, "/kcore_dir/kallsyms"));
	/* There is nothing to join, so that no room for it is needed. */
	setenv("TMPDIR", "/nonexistent", 1);
	input = pmscope_input_open(config.input);
	unsetenv("TMPDIR");
	ASSERT_TRUE(input);
	b = (struct bytes){(uint8_t *)pmscope_input_data(input),
			   pmscope_input_size(input), 0};
	seen = read_all(&b);
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.auxtraces, 1U);
	pmscope_input_free(input);
	fake_sysfs_remove(dir);
}

TEST(directory_that_is_none)
{
	char dir[FAKE_SYSFS_PATH];

	fake_sysfs_make(dir);
	EXPECT_TRUE(!pmscope_input_open(dir));
	EXPECT_EQ(errno, EISDIR);
	fake_sysfs_text(dir, "data/more", "");
	EXPECT_TRUE(!pmscope_input_open(dir));
	EXPECT_EQ(errno, EISDIR);
	fake_sysfs_remove(dir);
}

static void expect_error(const char *dir, const char *error)
{
	struct pmscope_input *input = pmscope_input_open(dir);
	struct seen seen;

	ASSERT_TRUE(input);
	seen = read_all(&(struct bytes){(uint8_t *)pmscope_input_data(input),
					pmscope_input_size(input), 0});
	EXPECT_STREQ(seen.error, error);
	pmscope_input_free(input);
}

/* A failed or damaged recording: the error is reported. */
TEST(directory_without_a_whole_recording)
{
	char dir[FAKE_SYSFS_PATH];
	struct bytes b = {};

	fake_sysfs_make(dir);
	put_file(dir, "data", &b);
	expect_error(dir, "offset 0x0: empty");
	fake_sysfs_text(dir, "data", "PERFILE2");
	expect_error(dir, "offset 0x8: cut short inside the header");
	make_file(&b);
	b.data[8]++;
	put_file(dir, "data", &b);
	expect_error(dir, "offset 0x8: header of 105 bytes is not supported");
	fake_sysfs_remove(dir);
	bytes_fini(&b);
}

#define AT_DATA_SIZE 48

/* The first file lacks records; the others are complete. */
TEST(directory_of_a_file_that_was_cut_off)
{
	char dir[FAKE_SYSFS_PATH];
	struct pmscope_input *input;
	struct bytes b = {};
	struct seen seen;

	make_file(&b);
	b.data[AT_DATA_SIZE] += 8;
	fake_sysfs_make(dir);
	put_file(dir, "data", &b);
	b.size = 0;
	put_comm(&b, 0, "third", &here);
	put_file(dir, "data.0", &b);
	bytes_fini(&b);
	input = pmscope_input_open(dir);
	ASSERT_TRUE(input);
	seen = read_all(&(struct bytes){(uint8_t *)pmscope_input_data(input),
					pmscope_input_size(input), 0});
	EXPECT_EQ(seen.comms, 3U);
	EXPECT_EQ(seen.auxtraces, 1U);
	pmscope_input_free(input);
	fake_sysfs_remove(dir);
}

/* "data" has two names and a trace. */
static void make_others(char dir[FAKE_SYSFS_PATH],
			const struct bytes *others[3])
{
	static const char *const names[] = {"data.0", "data.1", "data.2"};
	struct bytes b = {};

	fake_sysfs_make(dir);
	make_file(&b);
	put_file(dir, "data", &b);
	bytes_fini(&b);
	for (size_t i = 0; i < 3; i++)
		if (others[i])
			put_file(dir, names[i], others[i]);
}

/* Everything in @others, except what @error names. */
static void expect_seen(const struct bytes *others[3], const char *error,
			size_t comms, size_t auxtraces)
{
	char dir[FAKE_SYSFS_PATH];
	struct pmscope_input *input;
	struct seen seen;

	make_others(dir, others);
	input = pmscope_input_open(dir);
	ASSERT_TRUE(input);
	EXPECT_STREQ(pmscope_input_error(input), error);
	seen = read_all(&(struct bytes){(uint8_t *)pmscope_input_data(input),
					pmscope_input_size(input), 0});
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.comms, comms);
	EXPECT_EQ(seen.auxtraces, auxtraces);
	pmscope_input_free(input);
	fake_sysfs_remove(dir);
}

/* An error in one file does not affect the others. */
TEST(directory_with_a_file_that_is_not_whole)
{
	struct bytes good = {}, bad = {}, trace = {}, odd = {};
	const struct bytes *all[] = {&good, &good, &good};

	put_comm(&good, 0, "other", &here);
	expect_seen(all, "", 5, 1);
	expect_seen((const struct bytes *[]){NULL, &good, &good},
		    "data.0: missing", 4, 1);
	expect_seen((const struct bytes *[]){&good, NULL, &good},
		    "data.1: missing", 4, 1);
	expect_seen((const struct bytes *[]){&good, &good, NULL}, "", 4, 1);
	for (size_t cut = 1; cut < good.size; cut++) {
		struct bytes part = {};

		bytes_add(&part, good.data, good.size - cut);
		all[1] = &part;
		expect_seen(all,
			    "data.1: offset 0x0: the record here is damaged "
			    "or cut short",
			    4, 1);
		bytes_fini(&part);
	}
	bytes_add(&bad, good.data, good.size);
	put_zeros(&bad, 8);
	bytes_add(&bad, good.data, good.size);
	all[1] = &bad;
	expect_seen(
		all,
		"data.1: offset 0x38: the record here is damaged or cut short",
		5, 1);
	/* The available part of a trace is kept. */
	put_load(&odd, 0x5000, 0x9000, 10);
	put_auxtrace(&trace, 0, 0, 10, &odd);
	trace.size -= 8;
	all[1] = &trace;
	expect_seen(
		all,
		"data.1: offset 0x0: the record here is damaged or cut short",
		4, 2);
	bytes_fini(&good);
	bytes_fini(&bad);
	bytes_fini(&trace);
	bytes_fini(&odd);
}

TEST(directory_with_what_is_no_file)
{
	char dir[FAKE_SYSFS_PATH], path[FAKE_SYSFS_PATH + 16];
	struct bytes good = {};
	const struct bytes *all[] = {NULL, &good, NULL};
	struct pmscope_input *input;

	put_comm(&good, 0, "other", &here);
	make_others(dir, all);
	bytes_fini(&good);
	snprintf(path, sizeof(path), "%s/data.0", dir);
	ASSERT_EQ(mkfifo(path, 0600), 0);
	/* Others that may be there are none of these. */
	fake_sysfs_text(dir, "data.-1", "");
	fake_sysfs_text(dir, "data. 7", "");
	fake_sysfs_text(dir, "data.9x", "");
	input = pmscope_input_open(dir);
	ASSERT_TRUE(input);
	EXPECT_STREQ(pmscope_input_error(input), "data.0: not a file");
	EXPECT_EQ(read_all(&(struct bytes){(uint8_t *)pmscope_input_data(input),
					   pmscope_input_size(input), 0})
			  .comms,
		  3U);
	pmscope_input_free(input);
	fake_sysfs_remove(dir);
}

/* Each field of the header as large as it goes. */
TEST(directory_that_lies)
{
	struct bytes b = {};

	make_file(&b);
	for (size_t at = 16; at < 104; at += 8) {
		char dir[FAKE_SYSFS_PATH];
		struct pmscope_input *input;
		uint64_t kept;

		memcpy(&kept, b.data + at, 8);
		memset(b.data + at, 0xff, 8);
		fake_sysfs_make(dir);
		put_file(dir, "data", &b);
		put_file(dir, "data.0", &b);
		input = pmscope_input_open(dir);
		ASSERT_TRUE(input);
		read_all(&(struct bytes){(uint8_t *)pmscope_input_data(input),
					 pmscope_input_size(input), 0});
		pmscope_input_free(input);
		fake_sysfs_remove(dir);
		memcpy(b.data + at, &kept, 8);
	}
	bytes_fini(&b);
}

KTAP_MAIN
