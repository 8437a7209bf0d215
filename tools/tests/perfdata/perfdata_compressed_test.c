// SPDX-License-Identifier: GPL-2.0-or-later
/* Compressed records: complete, damaged, or with far too much output. */
#include "scenario.h"

#define COMPRESSED    PMSCOPE_RECORD_COMPRESSED
#define COMPRESSED2   PMSCOPE_RECORD_COMPRESSED2
#define NAME_OF(name) COMM(99, 7, 8, name)

/* Plain bytes, as records of a type, in pieces, several times. */
STEP_OF(pack)
{
	for (uint64_t i = 0; i < step->v[2]; i++)
		put_compressed(&sc->b, step->data, step->v[0], step->v[1]);
}
#define PACK(type, piece, times, plain) \
	TELL_OF(pack, NULL, plain, type, piece, times)

/* Records span the pieces, down to pieces of one byte. */
TEST(compressed_records)
{
	static const struct {
		uint32_t type;
		size_t piece;
	} cases[] = {{COMPRESSED, 30000},
		     {COMPRESSED, 100},
		     {COMPRESSED, 1},
		     {COMPRESSED2, 30000},
		     {COMPRESSED2, 13}};
	BYTES plain = {};
	char name[16];

	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "thread-%d", i * 7919);
		put_comm(&plain, 0, name, &here);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		PLAY(BARE, PACK(cases[i].type, cases[i].piece, 1, &plain), READ,
		     SEEN_ERROR(""), IS(seen.comms, 500));
}

TEST(compressed_record_that_is_cut)
{
	BYTES plain = {};

	put_comm(&plain, 0, "whole", &here);
	put_comm(&plain, 0, "cut", &here);
	plain.size -= 4;
	PLAY(BARE, PACK(COMPRESSED, 30000, 1, &plain), READ, IS(seen.comms, 1),
	     SEEN_ERROR("compressed"));
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
	BYTES plain = {};

	ASSERT_TRUE(zeros(&plain, (size_t)1 << 28));
	PLAY(BARE, PACK(COMPRESSED, 60000, 1, &plain), READ,
	     SEEN_ERROR("expands to more than"));
}

STEP_IS(expect_few, EXPECT_LE(sc->seen.others, step->v[0]));

/* Small records with little output each: their sum is limited, too. */
TEST(compressed_bomb_in_pieces)
{
	size_t size = (size_t)8 << 20;
	BYTES plain = {};

	ASSERT_TRUE(zeros(&plain, size));
	/* Records of 8 bytes, so that nothing is wrong with them. */
	for (size_t at = 0; at < size; at += 8)
		plain.data[at + 6] = 8;
	PLAY(BARE, PACK(COMPRESSED, 60000, 64, &plain), READ,
	     SEEN_ERROR("times their size"), CALL(expect_few, (48 << 20) / 8));
}

STEP_OF(add)
{
	const struct bytes *b = step->data;

	bytes_add(&sc->b, b->data, b->size);
}
#define ADD(bytes) TELL_OF(add, NULL, bytes, 0)

/*
 * Uncompressed records are still read, and so is a new stream; the rest of the
 * damaged stream is not.
 */
static void read_behind(const struct bytes *damaged, unsigned int comms)
{
	BYTES plain = {};

	put_comm(&plain, 0, "anew", &here);
	PLAY(BARE, NAME_OF("before"), ADD(damaged), T_BYTES(100, 0),
	     AREA(0, 1, 3, 8), PACK(COMPRESSED, 60000, 1, &plain),
	     NAME_OF("behind"), READ, SEEN_ERROR("offset"), SEEN(comms, 100));
}

/* Nothing that is compressed is believed any more. */
TEST(behind_a_bomb)
{
	BYTES plain = {}, bomb = {};

	ASSERT_TRUE(zeros(&plain, (size_t)1 << 28));
	put_compressed(&bomb, &plain, COMPRESSED, 60000);
	read_behind(&bomb, 2);
}

TEST(behind_compressed_garbage)
{
	BYTES damaged = {}, body = {};

	put(&body, 0x0123456789abcdef, 8);
	put_record(&damaged, COMPRESSED, 0, &body);
	put_record(&damaged, COMPRESSED, 0, &body);
	read_behind(&damaged, 3);
	bytes_fini(&damaged);
	put_record(&damaged, COMPRESSED2, 0, &body);
	read_behind(&damaged, 3);
}

/* Its contents are not read, but the error is reported. */
TEST(behind_a_compressed_record_within_another)
{
	BYTES plain = {}, inner = {}, damaged = {};

	put_comm(&plain, 0, "inner", &here);
	put_compressed(&inner, &plain, COMPRESSED2, 60000);
	put_compressed(&damaged, &inner, COMPRESSED, 60000);
	read_behind(&damaged, 3);
}

/* A piece of a stream is lost, or its output is not a record. */
TEST(behind_a_damaged_stream)
{
	BYTES plain = {}, damaged = {};
	uint64_t state = 1;

	for (int i = 0; i < 1000; i++)
		put(&plain, random_next(&state), 8);
	plain.data[6] = 0xf8;
	plain.data[7] = 0;
	plain.data[0xf8 + 6] = 7;
	plain.data[0xf8 + 7] = 0;
	put_compressed(&damaged, &plain, COMPRESSED, 60000);
	read_behind(&damaged, 3);
	bytes_fini(&damaged);
	put_compressed(&damaged, &plain, COMPRESSED, 100);
	damaged.data[8] ^= 0xff;
	read_behind(&damaged, 3);
}

STEP_OF(expect_block)
{
	if (*sc->seen.error)
		EXPECT_TRUE(strstr(sc->seen.error, "ends inside a block"));
	*(unsigned int *)step->data += !*sc->seen.error;
}

/*
 * A stream may end only at the end of a block, as perf leaves it: here after
 * the frame header. zstd reports the same with three bytes of the last block
 * missing.
 */
TEST(stream_that_ends_in_a_block)
{
	BYTES plain = {}, packed = {};
	unsigned int silent = 0;

	for (int i = 0; i < 10; i++)
		put_comm(&plain, 0, "compressed", &here);
	put_compressed(&packed, &plain, COMPRESSED, 60000);
	for (packed.size--; packed.size > 8; packed.size--) {
		uint16_t told = packed.size;

		memcpy(packed.data + 6, &told, sizeof(told));
		PLAY(BARE, ADD(&packed), READ, IS(seen.comms, 0),
		     TELL_OF(expect_block, NULL, &silent, 0));
	}
	EXPECT_LE(silent, 2U);
}

/*
 * Like a thread of perf that was killed: it ends inside a block and a record.
 */
TEST(behind_a_stream_that_is_cut)
{
	BYTES plain = {}, damaged = {}, body = {};
	uint64_t state = 1;

	for (int i = 0; i < 300; i++) {
		for (int j = 0; j < 124; j++)
			put(&body, random_next(&state), 8);
		put_record(&plain, PMSCOPE_RECORD_FINISHED_ROUND, 0, &body);
		body.size = 0;
	}
	put_compressed(&damaged, &plain, COMPRESSED, 992);
	damaged.size = damaged.size / 3000 * 2000;
	read_behind(&damaged, 3);
}

#define TOO_LARGE IS(seen.comms, 1), SEEN_ERROR("larger than its record")

STEP_IS(grow, sc->b.data[sc->last + 8] += step->v[0]);

/* COMPRESSED2 has two sizes: of the data, and with padding. */
TEST(compressed_size_beyond_the_record)
{
	BYTES plain = {};

	put_comm(&plain, 0, "compressed", &here);
	PLAY(BARE, NAME_OF("before"), PACK(COMPRESSED2, 60000, 1, &plain),
	     CALL(grow, 8), READ, TOO_LARGE);
	PLAY(BARE, NAME_OF("before"), RECORD_OF(COMPRESSED2, 0, 0, NULL), READ,
	     TOO_LARGE);
}

SCENARIO(compressed_garbage, BARE, NAME_OF("before"),
	 RECORD(COMPRESSED, 0, 0x0123456789abcdef, 0xfedcba9876543210), READ,
	 IS(seen.comms, 1), SEEN_ERROR("compressed record"));
