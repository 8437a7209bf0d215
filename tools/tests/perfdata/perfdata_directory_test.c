// SPDX-License-Identifier: GPL-2.0-or-later
/* The directory that perf record --threads writes. */
#include "container.h"
#include "fake_sysfs.h"
#include "read/load.h"

#include <zstd.h>

struct directory {
	char path[FAKE_SYSFS_PATH];
	struct pmscope_input *input;
	struct bytes b; /* the input's */
	struct seen seen;
};

static struct directory directory_make(void)
{
	struct directory d = {};

	fake_sysfs_make(d.path);
	return d;
}

static void directory_fini(struct directory *d)
{
	pmscope_input_free(d->input);
	fake_sysfs_remove(d->path);
}
#define DIRECTORY(d)                                                  \
	__attribute__((cleanup(directory_fini))) struct directory d = \
		directory_make()

static bool directory_read(struct directory *d)
{
	pmscope_input_free(d->input);
	if (pmscope_input_open(d->path, &d->input))
		return false;
	d->b = (struct bytes){(uint8_t *)pmscope_input_data(d->input),
			      pmscope_input_size(d->input), 0};
	d->seen = read_all(&d->b);
	return true;
}

/* A stream that is flushed, not ended: as perf leaves it. */
static void put_flushed(struct bytes *b, const char *comm)
{
	ZSTD_CCtx *stream = ZSTD_createCCtx();
	BYTES plain = {}, body = {};
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
	PUT(&features, 8, b.size + 16, 4 + 8);
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
	DIRECTORY(d);

	make_directory(d.path);
	ASSERT_TRUE(directory_read(&d));
	EXPECT_STREQ(d.seen.error, "");
	EXPECT_EQ(d.seen.comms, 5U);
	EXPECT_EQ(d.seen.auxtraces, 1U);
	ASSERT_EQ(pmscope_perfdata_open(d.b.data, d.b.size, &reader), 0);
	EXPECT_STREQ(pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_HOSTNAME),
		     "a-host");
	pmscope_perfdata_free(reader);
}

/* "data" has two names and a trace. */
static void put_data(const char *dir)
{
	BYTES b = {};

	make_file(&b);
	put_file(dir, "data", &b);
}

/*
 * The directory of perf record --kcore: one file of records, and the kernel's.
 */
TEST(directory_with_kcore)
{
	DIRECTORY(d);
	char *argv[] = {"report", d.path}, path[PATH_MAX];
	struct load_config config = {};

	put_data(d.path);
	ASSERT_EQ(load_operand(&config, 2, argv, 1), 0);
	EXPECT_TRUE(!config.kallsyms);
	fake_sysfs_text(d.path, "kcore_dir/kallsyms",
			"ffff800010000000 T _text");
	config = (struct load_config){};
	ASSERT_EQ(load_operand(&config, 2, argv, 1), 0);
	ASSERT_TRUE(config.kallsyms);
	ASSERT_TRUE(realpath(config.kallsyms, path));
	EXPECT_TRUE(strstr(path, "/kcore_dir/kallsyms"));
	EXPECT_STREQ(config.input, d.path);
	/* There is nothing to join, so that no room for it is needed. */
	setenv("TMPDIR", "/nonexistent", 1);
	EXPECT_TRUE(directory_read(&d));
	unsetenv("TMPDIR");
	EXPECT_STREQ(d.seen.error, "");
	EXPECT_EQ(d.seen.auxtraces, 1U);
}

TEST(directory_that_is_none)
{
	DIRECTORY(d);

	EXPECT_TRUE(!directory_read(&d));
	EXPECT_EQ(errno, EISDIR);
	fake_sysfs_text(d.path, "data/more", "");
	EXPECT_TRUE(!directory_read(&d));
	EXPECT_EQ(errno, EISDIR);
}

/* A failed or damaged recording: the error is reported. */
TEST(directory_without_a_whole_recording)
{
	BYTES b = {};
	DIRECTORY(d);

	put_file(d.path, "data", &b);
	ASSERT_TRUE(directory_read(&d));
	EXPECT_STREQ(d.seen.error, "offset 0x0: empty");
	fake_sysfs_text(d.path, "data", "PERFILE2");
	ASSERT_TRUE(directory_read(&d));
	EXPECT_STREQ(d.seen.error, "offset 0x8: cut short inside the header");
	make_file(&b);
	b.data[8]++;
	put_file(d.path, "data", &b);
	ASSERT_TRUE(directory_read(&d));
	EXPECT_STREQ(d.seen.error,
		     "offset 0x8: header of 105 bytes is not supported");
}

#define AT_DATA_SIZE 48

/* The first file lacks records; the others are complete. */
TEST(directory_of_a_file_that_was_cut_off)
{
	BYTES b = {};
	DIRECTORY(d);

	make_file(&b);
	b.data[AT_DATA_SIZE] += 8;
	put_file(d.path, "data", &b);
	b.size = 0;
	put_comm(&b, 0, "third", &here);
	put_file(d.path, "data.0", &b);
	ASSERT_TRUE(directory_read(&d));
	EXPECT_EQ(d.seen.comms, 3U);
	EXPECT_EQ(d.seen.auxtraces, 1U);
}

/* Everything in "data" and the others, except what @error names. */
static void expect_seen(const struct bytes *const others[3], const char *error,
			size_t comms, size_t auxtraces)
{
	static const char *const names[] = {"data.0", "data.1", "data.2"};
	DIRECTORY(d);

	put_data(d.path);
	for (size_t i = 0; i < 3; i++)
		if (others[i])
			put_file(d.path, names[i], others[i]);
	ASSERT_TRUE(directory_read(&d));
	EXPECT_STREQ(pmscope_input_error(d.input), error);
	EXPECT_STREQ(d.seen.error, "");
	EXPECT_EQ(d.seen.comms, comms);
	EXPECT_EQ(d.seen.auxtraces, auxtraces);
}
#define SEEN(first, second, third, ...)                                  \
	expect_seen((const struct bytes *const[]){first, second, third}, \
		    __VA_ARGS__)
#define DAMAGED_AT(offset) \
	"data.1: offset " offset ": the record here is damaged or cut short"

TEST(directory_with_a_file_that_is_not_whole)
{
	BYTES good = {}, bad = {}, trace = {}, odd = {};

	put_comm(&good, 0, "other", &here);
	SEEN(&good, &good, &good, "", 5, 1);
	SEEN(NULL, &good, &good, "data.0: missing", 4, 1);
	SEEN(&good, NULL, &good, "data.1: missing", 4, 1);
	SEEN(&good, &good, NULL, "", 4, 1);
	for (size_t cut = 1; cut < good.size; cut++) {
		BYTES part = {};

		bytes_add(&part, good.data, good.size - cut);
		SEEN(&good, &part, &good, DAMAGED_AT("0x0"), 4, 1);
	}
	bytes_add(&bad, good.data, good.size);
	put_zeros(&bad, 8);
	bytes_add(&bad, good.data, good.size);
	SEEN(&good, &bad, &good, DAMAGED_AT("0x38"), 5, 1);
	/* The available part of a trace is kept. */
	put_load(&odd, 0x5000, 0x9000, 10);
	put_auxtrace(&trace, 0, 0, 10, &odd);
	trace.size -= 8;
	SEEN(&good, &trace, &good, DAMAGED_AT("0x0"), 4, 2);
}

TEST(directory_with_what_is_no_file)
{
	char path[FAKE_SYSFS_PATH + 16];
	BYTES good = {};
	DIRECTORY(d);

	put_data(d.path);
	put_comm(&good, 0, "other", &here);
	put_file(d.path, "data.1", &good);
	snprintf(path, sizeof(path), "%s/data.0", d.path);
	ASSERT_EQ(mkfifo(path, 0600), 0);
	/* Others that may be there are none of these. */
	fake_sysfs_text(d.path, "data.-1", "");
	fake_sysfs_text(d.path, "data. 7", "");
	fake_sysfs_text(d.path, "data.9x", "");
	ASSERT_TRUE(directory_read(&d));
	EXPECT_STREQ(pmscope_input_error(d.input), "data.0: not a file");
	EXPECT_EQ(d.seen.comms, 3U);
}

TEST(directory_that_lies)
{
	BYTES b = {};

	make_file(&b);
	for (size_t at = 16; at < 104; at += 8) {
		DIRECTORY(d);
		uint64_t kept;

		memcpy(&kept, b.data + at, 8);
		memset(b.data + at, 0xff, 8);
		put_file(d.path, "data", &b);
		put_file(d.path, "data.0", &b);
		EXPECT_TRUE(directory_read(&d));
		memcpy(b.data + at, &kept, 8);
	}
}
