// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decoding at a pace gives the same result as decoding at once. PMSCOPE_SEED
 * repeats a failed run.
 */
#include "bytes.h"
#include "ktap.h"

#include "spe/spe.h"

#define SIZE 30000
#define ROWS (2 * SIZE)

struct rows {
	struct pmscope_batch *batch;
	struct pmscope_decode_stats stats;
};

static struct rows at_once, paced;

static void rows_begin(struct rows *rows)
{
	if (!rows->batch)
		rows->batch = pmscope_batch_new(ROWS);
	ASSERT_TRUE(rows->batch);
	rows->batch->count = 0;
	rows->stats = (struct pmscope_decode_stats){};
}

/* All of @b, in stretches and batches of any size. */
static void decode(struct rows *rows, const struct bytes *b, uint64_t state,
		   unsigned int flags, const struct pace *pace)
{
	struct pmscope_batch *batch;
	size_t at = 0, used, limit = 0;

	rows_begin(rows);
	batch = rows->batch;
	while (at < b->size) {
		limit += 1 + random_below(&state, SIZE / 4);
		limit = MIN(limit, b->size);
		do {
			batch->capacity =
				batch->count + 1 + random_below(&state, 300);
			ASSERT_LE(batch->capacity, (size_t)ROWS);
			used = decode_paced(
				b->data + at, b->size - at, at,
				flags | (at ? 0 : PMSCOPE_DECODE_RESYNC),
				limit > at ? limit - at : 0, batch,
				&rows->stats, pace);
			at += used;
		} while (used && at < limit);
		if (!used && limit == b->size)
			break;
	}
}

static void expect_same(void)
{
	const struct pmscope_batch *a = at_once.batch, *b = paced.batch;

	ASSERT_EQ(b->count, a->count);
#define SAME(column) \
	EXPECT_MEMEQ(b->column, a->column, a->count * sizeof(*a->column))
	SAME(has);
	SAME(offset);
	SAME(pc);
	SAME(timestamp);
	SAME(events);
	SAME(va);
	SAME(op);
#undef SAME
	EXPECT_MEMEQ(&paced.stats, &at_once.stats, sizeof(paced.stats));
}

/* Bytes in which no record starts or ends. */
static void put_long(struct bytes *b, uint64_t *state)
{
	uint32_t size = random_below(state, SIZE / 8);

	switch (random_below(state, 4)) {
	case 0:
		put_any_packet(b, state);
		/* fall through */
	case 1:
		put_zeros(b, size);
		break;
	case 2:
		for (; size; size--)
			put(b, 0xff, 1);
		break;
	case 3:
		for (size /= 9; size; size--)
			PUT_ADDRESS(b, VA, size);
		break;
	}
}

static void make(struct bytes *b, uint64_t *state)
{
	while (b->size < SIZE) {
		put_stream(b, state, b->size + random_below(state, 3000));
		put_long(b, state);
	}
	corrupt(b, state, random_below(state, 30));
}

static void count_bytes(void *context, size_t bytes)
{
	*(uint64_t *)context += bytes;
}

static void compare(const struct bytes *b, uint64_t state, unsigned int flags)
{
	uint64_t went = 0;
	const struct pace pace = {1 + random_below(&state, 400), count_bytes,
				  &went};

	decode(&at_once, b, state, flags, NULL);
	decode(&paced, b, state, flags, &pace);
	expect_same();
	EXPECT_TRUE(went > 0);
}

TEST(records_at_a_pace)
{
	static const unsigned int flags[] = {
		0, PMSCOPE_DECODE_LAST, PMSCOPE_DECODE_SKIP_BY_SIZE,
		PMSCOPE_DECODE_LAST | PMSCOPE_DECODE_SKIP_BY_SIZE};
	uint64_t state = stream_seed(20261127);

	for (int i = 0; i < 200; i++) {
		BYTES b = {};

		make(&b, &state);
		compare(&b, random_next(&state), flags[i % 4]);
	}
}

/* Unread bytes are not reported. */
TEST(each_step_is_reported)
{
	static const uint8_t bytes[3][100] = {
		{}, {[0 ... 99] = 0xff}, {[0 ... 99] = 0x43}};
	uint64_t went;
	const struct pace pace = {10, count_bytes, &went};

	for (int i = 0; i < 3; i++) {
		went = 0;
		rows_begin(&paced);
		decode_paced(bytes[i], 100, 0, PMSCOPE_DECODE_LAST, 100,
			     paced.batch, &paced.stats, &pace);
		EXPECT_EQ(went, 90U);
		EXPECT_EQ(paced.stats.bytes, 100U);
	}
}

/* It starts after the limit, which is inside padding. */
TEST(a_record_behind_the_limit)
{
	uint64_t went = 0;
	const struct pace pace = {10, count_bytes, &went};
	BYTES b = {};

	put_zeros(&b, 100);
	put_load(&b, 0x5000, 0x9000, 10);
	rows_begin(&paced);
	EXPECT_TRUE(decode_paced(b.data, b.size, 0, PMSCOPE_DECODE_LAST, 50,
				 paced.batch, &paced.stats, &pace) >= 50);
	EXPECT_EQ(paced.batch->count, 0U);
}
