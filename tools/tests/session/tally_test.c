// SPDX-License-Identifier: GPL-2.0-or-later
#include "ktap.h"
#include "session/recorder_priv.h"

/* A record in the making, with the trailer of a timed recording. */
struct record {
	union {
		struct perf_event_header header;
		char bytes[512];
	};
};

static struct record record_make(uint32_t type, const void *body, size_t size,
				 uint64_t time)
{
	struct record r = {.header = {.type = type}};
	size_t padded = (size + 7) & ~7UL;

	r.header.size = sizeof(r.header) + padded + PMSCOPE_TALLY_TRAILER_TIMED;
	memcpy(r.bytes + sizeof(r.header), body, size);
	memcpy(r.bytes + sizeof(r.header) + padded + 8, &time, sizeof(time));
	return r;
}

TEST(losses_and_flags_are_counted)
{
	const uint64_t lost[] = {1, 5}, lost_samples[] = {3};
	const uint64_t aux[] = {
		0, 64, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_COLLISION};
	const uint64_t clean[] = {64, 64, 0};
	struct tally tally = {};
	struct record r;

	r = record_make(PERF_RECORD_LOST, lost, sizeof(lost), 50);
	EXPECT_EQ(tally_records(&tally, &r, r.header.size), 0);
	r = record_make(PERF_RECORD_LOST_SAMPLES, lost_samples,
			sizeof(lost_samples), 40);
	EXPECT_EQ(tally_records(&tally, &r, r.header.size), 0);
	r = record_make(PERF_RECORD_AUX, aux, sizeof(aux), 60);
	EXPECT_EQ(tally_records(&tally, &r, r.header.size), 0);
	for (int i = 0; i < 2; i++) {
		r = record_make(PERF_RECORD_AUX, clean, sizeof(clean), 55);
		EXPECT_EQ(tally_records(&tally, &r, r.header.size), 0);
	}

	EXPECT_EQ(tally.stats.lost, 8u);
	EXPECT_EQ(tally.stats.aux_buffers, 3u);
	EXPECT_EQ(tally.stats.truncated, 1u);
	EXPECT_EQ(tally.stats.collisions, 1u);
	EXPECT_EQ(tally.stats.partial, 0u);
	EXPECT_EQ(tally.stats.first, 40u);
	EXPECT_EQ(tally.stats.last, 60u);
	tally_free(&tally);
}

/* What follows them in the ring belongs to another record. */
TEST(records_without_a_body_count_nothing)
{
	static const uint32_t types[] = {
		PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES, PERF_RECORD_AUX};
	const uint64_t behind[] = {5, 5, 5};
	struct tally tally = {};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct record r =
			record_make(types[i], behind, sizeof(behind), 1);

		r.header.size = sizeof(r.header);
		EXPECT_EQ(tally_records(&tally, &r, r.header.size), 0);
	}
	EXPECT_EQ(tally.stats.lost, 0u);
	EXPECT_EQ(tally.stats.aux_buffers, 0u);
	tally_free(&tally);
}

TEST(records_behind_each_other)
{
	const uint64_t lost[] = {1, 5}, lost_samples[] = {3};
	struct record first =
		record_make(PERF_RECORD_LOST, lost, sizeof(lost), 1);
	struct record second =
		record_make(PERF_RECORD_LOST_SAMPLES, lost_samples,
			    sizeof(lost_samples), 2);
	struct tally tally = {};

	memcpy(first.bytes + first.header.size, second.bytes,
	       second.header.size);
	EXPECT_EQ(tally_records(&tally, &first,
				first.header.size + second.header.size),
		  0);
	EXPECT_EQ(tally.stats.lost, 8u);
	tally_free(&tally);
}

static void count_name(void *context, const char *name)
{
	if (!strcmp(name, "/bin/loop"))
		++*(int *)context;
}

TEST(each_mapped_file_is_named_once)
{
	static const char *const names[] = {"/bin/loop", "//anon", "[vdso]",
					    "/bin/loop", "/lib/libc.so.6"};
	struct tally tally = {}, moved = {};
	size_t size = sizeof("/bin/loop") + sizeof("/lib/libc.so.6");
	int loops = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char body[64 + 32] = {};
		struct record r;

		strcpy(body + 64, names[i]);
		r = record_make(PERF_RECORD_MMAP2, body, sizeof(body), 1);
		ASSERT_EQ(tally_records(&tally, &r, r.header.size), 0);
	}
	EXPECT_EQ(tally.nr_names, (size_t)2);
	EXPECT_EQ(tally.names_size, size);
	tally_move_names(&tally, &moved);
	EXPECT_EQ(tally.nr_names, (size_t)0);
	EXPECT_EQ(tally.names_size, (size_t)0);
	EXPECT_EQ(moved.nr_names, (size_t)2);
	EXPECT_EQ(moved.names_size, size);
	tally_names(&moved, count_name, &loops);
	EXPECT_EQ(loops, 1);
	tally_free(&moved);
	tally_free(&tally);
}

TEST(records_that_are_none_are_refused)
{
	struct perf_event_header header = {.type = PERF_RECORD_COMM};
	struct tally tally = {};

	EXPECT_EQ(tally_records(&tally, &header, sizeof(header)), -EBADMSG);
	header.size = 64;
	EXPECT_EQ(tally_records(&tally, &header, sizeof(header)), -EBADMSG);
	EXPECT_EQ(tally_records(&tally, &header, 4), -EBADMSG);
	EXPECT_EQ(tally_records(&tally, &header, 0), 0);
}
