// SPDX-License-Identifier: GPL-2.0-or-later
/* Compressed records: complete, damaged, or with far too much output. */
#include "container.h"
#include "ktap.h"
#include "random.h"

#include <pmscope/perfdata.h>

#include <stdlib.h>

/* The contents of a file of @plain, @times repeated; @plain is empty then. */
static struct seen read_compressed(struct bytes *plain, unsigned int times,
				   uint32_t type, size_t piece)
{
	struct bytes b = {};
	struct seen seen;

	perfdata_begin(&b);
	while (times--)
		put_compressed(&b, plain, type, piece);
	perfdata_end(&b);
	seen = read_all(&b);
	bytes_fini(plain);
	bytes_fini(&b);
	return seen;
}

static void check_compressed(uint32_t type, size_t piece)
{
	struct bytes plain = {};
	struct seen seen;
	char name[16];

	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "thread-%d", i * 7919);
		put_comm(&plain, 0, name, &here);
	}
	seen = read_compressed(&plain, 1, type, piece);
	EXPECT_STREQ(seen.error, "");
	EXPECT_EQ(seen.comms, 500U);
}

/* Records span the pieces, down to pieces of one byte. */
TEST(compressed_records)
{
	check_compressed(PMSCOPE_RECORD_COMPRESSED, 30000);
	check_compressed(PMSCOPE_RECORD_COMPRESSED, 100);
	check_compressed(PMSCOPE_RECORD_COMPRESSED, 1);
	check_compressed(PMSCOPE_RECORD_COMPRESSED2, 30000);
	check_compressed(PMSCOPE_RECORD_COMPRESSED2, 13);
}

TEST(compressed_record_that_is_cut)
{
	struct bytes plain = {};
	struct seen seen;

	put_comm(&plain, 0, "whole", &here);
	put_comm(&plain, 0, "cut", &here);
	plain.size -= 4;
	seen = read_compressed(&plain, 1, PMSCOPE_RECORD_COMPRESSED, 30000);
	EXPECT_EQ(seen.comms, 1U);
	EXPECT_TRUE(strstr(seen.error, "compressed") != NULL);
}

static bool zeros(struct bytes *b, size_t size)
{
	b->data = calloc(1, size);
	b->size = size;
	return b->data;
}

/* A few KiB that would give a GiB of zeros. */
TEST(compressed_bomb_is_bounded)
{
	struct bytes plain = {};
	struct seen seen;

	ASSERT_TRUE(zeros(&plain, (size_t)1 << 28));
	seen = read_compressed(&plain, 1, PMSCOPE_RECORD_COMPRESSED, 60000);
	EXPECT_TRUE(strstr(seen.error, "expands to more than") != NULL);
}

/* Small records with little output each: their sum is limited, too. */
TEST(compressed_bomb_in_pieces)
{
	size_t size = (size_t)8 << 20;
	struct bytes plain = {};
	struct seen seen;

	ASSERT_TRUE(zeros(&plain, size));
	/* Records of 8 bytes, so that nothing is wrong with them. */
	for (size_t at = 0; at < size; at += 8)
		plain.data[at + 6] = 8;
	seen = read_compressed(&plain, 64, PMSCOPE_RECORD_COMPRESSED, 60000);
	EXPECT_TRUE(strstr(seen.error, "times their size") != NULL);
	EXPECT_LE(seen.others, (unsigned int)(48 << 20) / 8);
}

/*
 * Uncompressed records are still read, and so is a new stream; the rest of the
 * damaged stream is not.
 */
static void read_behind(const struct bytes *damaged, unsigned int comms)
{
	struct bytes b = {}, plain = {}, trace = {};
	struct seen seen;

	put_zeros(&trace, 100);
	perfdata_begin(&b);
	put_comm(&b, 0, "before", &here);
	bytes_add(&b, damaged->data, damaged->size);
	put_auxtrace(&b, 1, 3, 8, &trace);
	put_comm(&plain, 0, "anew", &here);
	put_compressed(&b, &plain, PMSCOPE_RECORD_COMPRESSED, 60000);
	put_comm(&b, 0, "behind", &here);
	perfdata_end(&b);
	seen = read_all(&b);
	EXPECT_NE(*seen.error, '\0');
	EXPECT_EQ(seen.comms, comms);
	EXPECT_EQ(seen.payload, 100U);
	bytes_fini(&plain);
	bytes_fini(&trace);
	bytes_fini(&b);
}

static void read_behind_damage(const struct bytes *damaged)
{
	read_behind(damaged, 3);
}

/* Nothing that is compressed is believed any more. */
TEST(behind_a_bomb)
{
	struct bytes plain = {}, bomb = {};

	ASSERT_TRUE(zeros(&plain, (size_t)1 << 28));
	put_compressed(&bomb, &plain, PMSCOPE_RECORD_COMPRESSED, 60000);
	read_behind(&bomb, 2);
	bytes_fini(&bomb);
	bytes_fini(&plain);
}

TEST(behind_compressed_garbage)
{
	struct bytes damaged = {}, body = {};

	put(&body, 0x0123456789abcdef, 8);
	put_record(&damaged, PMSCOPE_RECORD_COMPRESSED, 0, &body);
	put_record(&damaged, PMSCOPE_RECORD_COMPRESSED, 0, &body);
	read_behind_damage(&damaged);
	bytes_fini(&damaged);
	put_record(&damaged, PMSCOPE_RECORD_COMPRESSED2, 0, &body);
	read_behind_damage(&damaged);
	bytes_fini(&damaged);
	bytes_fini(&body);
}

/* Its contents are not read, but the error is reported. */
TEST(behind_a_compressed_record_within_another)
{
	struct bytes plain = {}, inner = {}, damaged = {};

	put_comm(&plain, 0, "inner", &here);
	put_compressed(&inner, &plain, PMSCOPE_RECORD_COMPRESSED2, 60000);
	put_compressed(&damaged, &inner, PMSCOPE_RECORD_COMPRESSED, 60000);
	read_behind_damage(&damaged);
	bytes_fini(&damaged);
	bytes_fini(&inner);
	bytes_fini(&plain);
}

/* A piece of a stream is lost, or its output is not a record. */
TEST(behind_a_damaged_stream)
{
	struct bytes plain = {}, damaged = {};
	uint64_t state = 1;

	for (int i = 0; i < 1000; i++)
		put(&plain, random_next(&state), 8);
	plain.data[6] = 0xf8;
	plain.data[7] = 0;
	plain.data[0xf8 + 6] = 7;
	plain.data[0xf8 + 7] = 0;
	put_compressed(&damaged, &plain, PMSCOPE_RECORD_COMPRESSED, 60000);
	read_behind_damage(&damaged);
	bytes_fini(&damaged);
	put_compressed(&damaged, &plain, PMSCOPE_RECORD_COMPRESSED, 100);
	damaged.data[8] ^= 0xff;
	read_behind_damage(&damaged);
	bytes_fini(&damaged);
	bytes_fini(&plain);
}

/*
 * A stream may end only at the end of a block, as perf leaves it: here after
 * the frame header. zstd reports the same with three bytes of the last block
 * missing.
 */
TEST(stream_that_ends_in_a_block)
{
	struct bytes plain = {}, packed = {};
	unsigned int silent = 0;

	for (int i = 0; i < 10; i++)
		put_comm(&plain, 0, "compressed", &here);
	put_compressed(&packed, &plain, PMSCOPE_RECORD_COMPRESSED, 60000);
	for (size_t size = packed.size - 1; size > 8; size--) {
		struct bytes b = {};
		uint16_t told = size;
		struct seen seen;

		memcpy(packed.data + 6, &told, sizeof(told));
		perfdata_begin(&b);
		bytes_add(&b, packed.data, size);
		perfdata_end(&b);
		seen = read_all(&b);
		EXPECT_EQ(seen.comms, 0U);
		silent += !*seen.error;
		EXPECT_TRUE(!*seen.error ||
			    strstr(seen.error, "ends inside a block"));
		bytes_fini(&b);
	}
	EXPECT_LE(silent, 2U);
	bytes_fini(&plain);
	bytes_fini(&packed);
}

/*
 * Like a thread of perf that was killed: it ends inside a block and a record.
 */
TEST(behind_a_stream_that_is_cut)
{
	struct bytes plain = {}, damaged = {}, body = {};
	uint64_t state = 1;

	for (int i = 0; i < 300; i++) {
		for (int j = 0; j < 124; j++)
			put(&body, random_next(&state), 8);
		put_record(&plain, PMSCOPE_RECORD_FINISHED_ROUND, 0, &body);
		body.size = 0;
	}
	put_compressed(&damaged, &plain, PMSCOPE_RECORD_COMPRESSED, 992);
	damaged.size = damaged.size / 3000 * 2000;
	read_behind_damage(&damaged);
	bytes_fini(&body);
	bytes_fini(&damaged);
	bytes_fini(&plain);
}

/* COMPRESSED2 has two sizes: of the data, and with padding. */
static void expect_too_large(struct bytes *damaged)
{
	struct bytes b = {};
	struct seen seen;

	perfdata_begin(&b);
	put_comm(&b, 0, "before", &here);
	bytes_add(&b, damaged->data, damaged->size);
	perfdata_end(&b);
	seen = read_all(&b);
	EXPECT_EQ(seen.comms, 1U);
	EXPECT_TRUE(strstr(seen.error, "larger than its record") != NULL);
	bytes_fini(&b);
	bytes_fini(damaged);
	*damaged = (struct bytes){};
}

TEST(compressed_size_beyond_the_record)
{
	struct bytes plain = {}, damaged = {}, none = {};

	put_comm(&plain, 0, "compressed", &here);
	put_compressed(&damaged, &plain, PMSCOPE_RECORD_COMPRESSED2, 60000);
	damaged.data[8] += 8;
	expect_too_large(&damaged);
	put_record(&damaged, PMSCOPE_RECORD_COMPRESSED2, 0, &none);
	expect_too_large(&damaged);
	bytes_fini(&plain);
}

TEST(compressed_garbage)
{
	struct bytes b = {}, body = {};
	struct seen seen;

	put(&body, 0x0123456789abcdef, 8);
	put(&body, 0xfedcba9876543210, 8);
	perfdata_begin(&b);
	put_comm(&b, 0, "before", &here);
	put_record(&b, PMSCOPE_RECORD_COMPRESSED, 0, &body);
	perfdata_end(&b);
	seen = read_all(&b);
	EXPECT_EQ(seen.comms, 1U);
	EXPECT_TRUE(strstr(seen.error, "compressed record") != NULL);
	bytes_fini(&body);
	bytes_fini(&b);
}

KTAP_MAIN
