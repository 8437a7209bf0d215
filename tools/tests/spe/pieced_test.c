// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records that are taken packet by packet, and that they are those decoded at
 * once, in batches of any size. PMSCOPE_SEED repeats a failed run.
 */
#include "bytes.h"
#include "ktap.h"
#include "spe/spe.h"

static const uint8_t bad = 0xff;
static const uint8_t unknown[] = {0x9b, 0, 0};
static const uint8_t end = 0x01;

static size_t take(struct pieced *p, const void *packet, size_t size,
		   uint64_t offset)
{
	return pieced_take(p, packet, size, offset, PMSCOPE_DECODE_LAST);
}

/* There may be more of each than 32 bits count. */
static struct pieced pieced_with(uint32_t bytes, uint32_t packets)
{
	struct pieced p;

	pieced_begin(&p);
	p.bytes = 1;
	p.offset = 7;
	p.record.bad = bytes;
	p.record.first_bad = 9;
	p.record.damaged = bytes;
	p.record.unknown = packets;
	return p;
}

TEST(bad_bytes_without_number)
{
	struct pieced p = pieced_with(UINT32_MAX, 0);
	struct pmscope_decode_stats stats = {};

	EXPECT_EQ(take(&p, &bad, 1, 1000), 1U);
	pieced_end(&p, 0, 0, NULL, &stats);
	EXPECT_EQ(stats.bad_bytes, UINT64_C(1) << 32);
	EXPECT_EQ(stats.first_bad, 9U);
	EXPECT_EQ(stats.cut_bytes, 2U);
	EXPECT_EQ(stats.first_cut, 7U);
}

TEST(unknown_packets_without_number)
{
	struct pmscope_batch *batch = pmscope_batch_new(1);
	struct pieced p = pieced_with(0, UINT32_MAX);
	struct pmscope_decode_stats stats = {};

	ASSERT_TRUE(batch);
	EXPECT_EQ(take(&p, unknown, sizeof(unknown), 1000), sizeof(unknown));
	EXPECT_EQ(take(&p, &end, 1, 1003), 1U);
	pieced_end(&p, 0, 0, batch, &stats);
	EXPECT_EQ(stats.unknown, UINT64_C(1) << 32);
	EXPECT_EQ(stats.records, 1U);
	EXPECT_EQ(batch->count, 1U);
	EXPECT_EQ(batch->offset[0], 7U);
	pmscope_batch_free(batch);
}

#define ROWS   (1U << 13)
#define OFFSET (UINT64_C(1) << 40)
#define UNSET  0xa5
#define LAST   PMSCOPE_DECODE_LAST

static const struct {
	size_t field, width;
	bool brief;
	const char *name;
} columns[] = {
#define COLUMN(name, brief)                                                \
	{                                                                  \
		offsetof(struct pmscope_batch, name),                      \
			sizeof(*((struct pmscope_batch *)0)->name), brief, \
			#name                                              \
	}
	COLUMN(has, true),	   COLUMN(offset, false),
	COLUMN(pc, true),	   COLUMN(target, false),
	COLUMN(va, false),	   COLUMN(pa, false),
	COLUMN(previous, false),   COLUMN(timestamp, true),
	COLUMN(events, true),	   COLUMN(context_el1, true),
	COLUMN(context_el2, true), COLUMN(total, true),
	COLUMN(issue, false),	   COLUMN(translate, false),
	COLUMN(alt_issue, false),  COLUMN(source, true),
	COLUMN(op_class, false),   COLUMN(op, false),
	COLUMN(counter, false),
#undef COLUMN
};

/* As taken by packets, and as decoded; rows without a record are UNSET. */
static struct rows {
	struct pmscope_batch *batch;
	struct pmscope_decode_stats stats;
} taken, rows;

static uint8_t *cells(const struct pmscope_batch *b, size_t column)
{
	return *(uint8_t **)((char *)b + columns[column].field);
}

static void unset(struct rows *to)
{
	if (!to->batch)
		to->batch = pmscope_batch_new(ROWS);
	ASSERT_TRUE(to->batch);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		memset(cells(to->batch, i), UNSET, ROWS * columns[i].width);
	to->batch->count = 0;
	to->stats = (struct pmscope_decode_stats){};
}

/* A record that ends before @size is closed or has only the last packet. */
static void take_all(const struct bytes *b, unsigned int flags)
{
	struct pieced p;
	size_t used;

	unset(&taken);
	pieced_begin(&p);
	for (size_t at = 0; at < b->size || p.bytes; at += used) {
		size_t left = b->size - at;

		used = left ? pieced_take(&p, b->data + at, left, OFFSET + at,
					  flags)
			    : 0;
		if (used && !p.record.closed)
			continue;
		ASSERT_LT(taken.batch->count, (size_t)ROWS);
		pieced_end(&p, used ? 0 : left, flags, taken.batch,
			   &taken.stats);
		pieced_begin(&p);
		used = used ? used : left;
	}
	taken.stats.bytes = b->size;
}

/* In batches of @room rows, and without a record that begins at @limit. */
static void decode(const struct bytes *b, unsigned int flags, size_t room,
		   size_t limit)
{
	struct pmscope_batch *batch;
	size_t at = 0, used;

	unset(&rows);
	batch = rows.batch;
	do {
		batch->capacity = batch->count + room;
		ASSERT_LT(batch->capacity, (size_t)ROWS);
		used = decode_until(b->data + at, b->size - at, OFFSET + at,
				    flags, limit - at, batch, &rows.stats);
		at += used;
		for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
			EXPECT_EQ(cells(batch,
					i)[batch->capacity * columns[i].width],
				  UNSET);
	} while (used && at < limit);
}

static void compare(const struct bytes *b, unsigned int flags, size_t room,
		    size_t limit)
{
	const struct pmscope_batch *all = taken.batch;

	decode(b, flags, room, limit);
	ASSERT_LE(rows.batch->count, all->count);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		ktap_check(
			(flags & PMSCOPE_DECODE_BRIEF && !columns[i].brief) ||
				!memcmp(cells(rows.batch, i), cells(all, i),
					rows.batch->count * columns[i].width),
			__FILE__, __LINE__, columns[i].name);
}

static void compare_whole(const struct bytes *b, unsigned int flags)
{
	take_all(b, flags | LAST);
	for (size_t room = 1; room < 1000; room += 1 + room / 2) {
		compare(b, flags | LAST, room, b->size);
		EXPECT_EQ(rows.batch->count, taken.batch->count);
		EXPECT_MEMEQ(&rows.stats, &taken.stats, sizeof(rows.stats));
	}
}

typedef void put_stream_fn(struct bytes *b, uint64_t *state, size_t size);

/* Whole ones, and then more and more damaged. */
static void compare_streams(put_stream_fn *put_some, size_t size, uint64_t seed)
{
	static const unsigned int flags[] = {0, PMSCOPE_DECODE_BRIEF,
					     PMSCOPE_DECODE_SKIP_BY_SIZE};
	uint64_t state = stream_seed(seed);

	for (int i = 0; i < 8; i++) {
		BYTES b = {};

		put_some(&b, &state, size);
		corrupt(&b, &state, i / 2 * 20);
		for (int k = 0; k < 3; k++)
			compare_whole(&b, flags[k]);
	}
}

CASE(layouts_of_known_cpus,
     compare_streams(put_skewed_stream, 100000, 20261202));

CASE(layouts_of_any_kind, compare_streams(put_stream, 50000, 20261203));

/*
 * The bytes end at the end of the allocation, so AddressSanitizer catches a
 * read past it.
 */
TEST(bytes_that_end_anywhere)
{
	uint64_t state = stream_seed(20261204);

	for (int i = 0; i < 8; i++) {
		BYTES b = {};

		put_skewed_stream(&b, &state, 3000);
		for (size_t cut = 0; cut <= 200; cut++) {
			BYTES begin = {};

			begin.size = b.size - cut;
			begin.data = malloc(begin.size);
			ASSERT_TRUE(begin.data);
			memcpy(begin.data, b.data, begin.size);
			compare_whole(&begin, 0);
			compare(&begin, 0, 256, begin.size);
		}
	}
}

/* All records before them, and none that begins at or after them. */
TEST(limits)
{
	uint64_t state = stream_seed(20261205);
	BYTES b = {};

	put_skewed_stream(&b, &state, 4000);
	take_all(&b, LAST);
	for (size_t limit = 1; limit < b.size; limit++) {
		size_t n = 0;

		compare(&b, LAST, 256, limit);
		while (n < taken.batch->count &&
		       taken.batch->offset[n] < OFFSET + limit)
			n++;
		EXPECT_EQ(rows.batch->count, n);
	}
}
