// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces decoded in chunks, each of them guessed, give what pmscope_decode()
 * gives, for any cut into chunks and however the traces are damaged.
 * PMSCOPE_SEED repeats a failed run.
 */
#include "chunks.h"
#include "bytes.h"

#define NR_SPANS 4
#define ROWS	 (1U << 19)

struct traces {
	struct bytes bytes[NR_SPANS];
	struct spe_span spans[NR_SPANS];
};

static void traces_make(struct traces *t, uint64_t *state, size_t size,
			unsigned int damage)
{
	*t = (struct traces){};
	for (int i = 0; i < NR_SPANS; i++) {
		struct bytes *b = &t->bytes[i];

		/* Some have nothing, or end within a record. */
		if (random_below(state, 4))
			put_stream(b, state, random_below(state, size));
		corrupt(b, state, random_below(state, damage + 1));
		b->size -= random_below(state, b->size < 20 ? 1 : 20);
		t->spans[i] = (struct spe_span){
			.data = b->data,
			.size = b->size,
			.offset = 1000000 * i,
		};
	}
}

static void traces_fini(struct traces *t)
{
	for (int i = 0; i < NR_SPANS; i++)
		bytes_fini(&t->bytes[i]);
}

static void decode_plainly(const struct traces *t, unsigned int flags,
			   struct pmscope_batch *batch,
			   struct pmscope_decode_stats *stats)
{
	for (int i = 0; i < NR_SPANS; i++)
		pmscope_decode(t->spans[i].data, t->spans[i].size,
			       t->spans[i].offset, flags | PMSCOPE_DECODE_LAST,
			       batch, stats);
}

static bool same_rows(const struct pmscope_batch *a, size_t at,
		      const struct pmscope_batch *b)
{
#define SAME(column) \
	(!memcmp(a->column + at, b->column, b->count * sizeof(*b->column)))
	return SAME(has) && SAME(offset) && SAME(pc) && SAME(target) &&
	       SAME(va) && SAME(pa) && SAME(previous) && SAME(timestamp) &&
	       SAME(events) && SAME(context_el1) && SAME(context_el2) &&
	       SAME(total) && SAME(issue) && SAME(translate) &&
	       SAME(alt_issue) && SAME(source) && SAME(op_class) && SAME(op) &&
	       SAME(counter);
#undef SAME
}

/*
 * Decodes a span in chunks; @row is that of its first record, then after its
 * last.
 */
static void compare_span(const struct spe_span *span, size_t chunk,
			 unsigned int flags, const struct pmscope_batch *all,
			 size_t *row, struct pmscope_decode_stats *stats)
{
	struct chunks chunks;
	const struct pmscope_batch *batch;

	chunks_begin(&chunks, span, chunk, flags);
	batch = chunks.chunk.batch;
	ASSERT_TRUE(batch);
	while (chunks_next(&chunks)) {
		ASSERT_LE(*row + batch->count, all->count);
		EXPECT_TRUE(same_rows(all, *row, batch));
		EXPECT_EQ(all->offset[*row] / 1000000, span->offset / 1000000);
		*row += batch->count;
	}
	EXPECT_TRUE(!chunks_next(&chunks));
	stats_add(stats, &chunks.stats);
	pmscope_batch_free(chunks.chunk.batch);
}

static void compare(const struct traces *t, size_t chunk, unsigned int flags,
		    const struct pmscope_batch *all,
		    const struct pmscope_decode_stats *plain)
{
	struct pmscope_decode_stats stats = {};
	size_t row = 0;

	for (int i = 0; i < NR_SPANS; i++)
		compare_span(&t->spans[i], chunk, flags, all, &row, &stats);
	EXPECT_EQ(row, all->count);
	EXPECT_TRUE(!memcmp(&stats, plain, sizeof(*plain)));
}

static void compare_all(unsigned int flags, unsigned int damage)
{
	struct pmscope_batch *all = pmscope_batch_new(ROWS);
	uint64_t state = stream_seed(20261122);

	ASSERT_TRUE(all);
	for (int i = 0; i < 40; i++) {
		struct pmscope_decode_stats plain = {};
		struct traces t;

		traces_make(&t, &state, 100000, damage);
		all->count = 0;
		decode_plainly(&t, flags, all, &plain);
		for (int cut = 0; cut < 4; cut++)
			compare(&t, 1 + random_below(&state, 20000), flags, all,
				&plain);
		traces_fini(&t);
	}
	pmscope_batch_free(all);
}

CASE(whole_traces, compare_all(0, 0));
CASE(damaged_traces, compare_all(0, 200));

CASE(damaged_traces_with_unknown_packets_skipped_by_size,
     compare_all(PMSCOPE_DECODE_SKIP_BY_SIZE, 200));

CASE(traces_that_begin_inside_a_record, compare_all(PMSCOPE_DECODE_RESYNC, 20));

/* The record after the padding may be cut. */
TEST(traces_that_begin_with_padding)
{
	static const size_t chunks[] = {1, 14, 1000, 20000, 65536};
	struct pmscope_batch *all = pmscope_batch_new(100);
	struct traces t = {};

	ASSERT_TRUE(all);
	for (int i = 0; i < NR_SPANS; i++) {
		put_zeros(&t.bytes[i], (size_t[]){0, 5, 3000, 30000}[i]);
		for (int j = 0; j < 10; j++)
			put_load(&t.bytes[i], j, j, j);
		t.spans[i] = (struct spe_span){t.bytes[i].data, t.bytes[i].size,
					       1000000 * i};
	}
	for (size_t i = 0; i < ARRAY_SIZE(chunks); i++) {
		struct pmscope_decode_stats plain = {};

		all->count = 0;
		decode_plainly(&t, PMSCOPE_DECODE_RESYNC, all, &plain);
		EXPECT_EQ(plain.damaged, (uint64_t)NR_SPANS);
		compare(&t, chunks[i], PMSCOPE_DECODE_RESYNC, all, &plain);
	}
	traces_fini(&t);
	pmscope_batch_free(all);
}

#define OPERATION 0x0048 /* an other one */

/*
 * In each trace @nr records of an operation that END closes, and as many closed
 * by a timestamp.
 */
static void compare_short(size_t nr, size_t chunk)
{
	struct pmscope_batch *all = pmscope_batch_new(ROWS);
	struct pmscope_decode_stats plain = {};
	struct traces t = {};

	ASSERT_TRUE(all);
	for (int i = 0; i < NR_SPANS; i++) {
		for (size_t j = 0; j < nr; j++)
			put(&t.bytes[i], 0x01 << 16 | OPERATION, 3);
		for (size_t j = 0; j < nr; j++) {
			put(&t.bytes[i], OPERATION, 2);
			put_timestamp(&t.bytes[i], j);
		}
		t.spans[i] = (struct spe_span){t.bytes[i].data, t.bytes[i].size,
					       1000000 * i};
	}
	decode_plainly(&t, 0, all, &plain);
	EXPECT_EQ(all->count, NR_SPANS * 2 * nr);
	compare(&t, chunk, 0, all, &plain);
	traces_fini(&t);
	pmscope_batch_free(all);
}

/*
 * So short that a chunk has more than one batch of them. For each chunk of one
 * byte, thousands of bytes before it are read.
 */
TEST(records_of_one_packet_and_its_end)
{
	compare_short(300, 1);
	compare_short(20000, 100);
	compare_short(20000, 5000);
	compare_short(20000, 65536);
}

/* A time without a record: its beginning is missing. */
TEST(orphan_timestamps_are_no_records)
{
	struct pmscope_batch *all = pmscope_batch_new(16);
	struct pmscope_decode_stats plain = {};
	struct traces t = {};

	ASSERT_TRUE(all);
	put_timestamp(&t.bytes[0], 1);
	put_load(&t.bytes[0], 1, 2, 3);
	put_timestamp(&t.bytes[0], 4);
	put_load(&t.bytes[0], 1, 2, 5);
	t.spans[0].data = t.bytes[0].data;
	t.spans[0].size = t.bytes[0].size;
	decode_plainly(&t, 0, all, &plain);
	EXPECT_EQ(all->count, 2U);
	EXPECT_EQ(all->timestamp[0], 3U);
	EXPECT_EQ(all->timestamp[1], 5U);
	EXPECT_EQ(plain.records, 2U);
	EXPECT_EQ(plain.damaged, 2U);
	compare(&t, 4, 0, all, &plain);
	traces_fini(&t);
	pmscope_batch_free(all);
}

TEST(record_longer_than_all_chunks)
{
	struct pmscope_batch *all = pmscope_batch_new(16);
	struct pmscope_decode_stats plain = {};
	struct traces t = {};

	ASSERT_TRUE(all);
	while (t.bytes[0].size < 1000000)
		put_packet(&t.bytes[0], PMSCOPE_PACKET_ADDRESS, 0, 8, 0xb0b0b0);
	put_timestamp(&t.bytes[0], 1);
	t.spans[0].data = t.bytes[0].data;
	t.spans[0].size = t.bytes[0].size;
	decode_plainly(&t, 0, all, &plain);
	EXPECT_EQ(all->count, 1U);
	compare(&t, 10000, 0, all, &plain);
	t.spans[0].size--;
	all->count = 0;
	plain = (struct pmscope_decode_stats){};
	decode_plainly(&t, 0, all, &plain);
	EXPECT_EQ(plain.cut_bytes, t.spans[0].size);
	compare(&t, 10000, 0, all, &plain);
	traces_fini(&t);
	pmscope_batch_free(all);
}
