// SPDX-License-Identifier: GPL-2.0-or-later
/* How long records are decoded by their shape, and which shapes are learnt. */
#include "bytes.h"
#include "ktap.h"

#include "spe/record.h"

#include <pmscope/packet.h>

static struct pmscope_batch *batch;
static struct pmscope_decode_stats stats;

static void begin_shapes(struct shapes *shapes)
{
	pmscope_batch_free(batch);
	batch = pmscope_batch_new(10000);
	ASSERT_TRUE(batch);
	shapes_init(shapes);
}

/* A record of @nr addresses of one kind. */
static void put_addresses(struct bytes *b, unsigned int index, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		put_packet(b, PMSCOPE_PACKET_ADDRESS, index, 8, b->size);
	put_timestamp(b, b->size);
}

/* One of eleven records is longer than a shape allows. */
TEST(some_records_without_a_shape)
{
	BYTES b = {};
	struct shapes shapes;

	for (unsigned int i = 0; i < 100; i++) {
		for (unsigned int n = 0; n < 9; n++)
			put_load(&b, i, n, b.size);
		put_addresses(&b, PMSCOPE_ADDRESS_PREVIOUS, 1);
		put_addresses(&b, PMSCOPE_ADDRESS_VA, 15);
	}
	begin_shapes(&shapes);
	decode_until(b.data, b.size, 0, 0, b.size, &shapes, batch, &stats);
	EXPECT_EQ(batch->count, 1100U);
	EXPECT_EQ(shapes.nr, 2U);
	EXPECT_GT(shapes.credit, 0);
}

/* Hardly one has a shape: the search does not pay. */
TEST(nearly_all_records_without_a_shape)
{
	BYTES b = {};
	struct shapes shapes;

	put_load(&b, 0, 0, 0);
	for (unsigned int i = 0; i < 100; i++)
		put_addresses(&b, PMSCOPE_ADDRESS_VA, 15);
	begin_shapes(&shapes);
	decode_until(b.data, b.size, 0, 0, b.size, &shapes, batch, &stats);
	EXPECT_EQ(batch->count, 101U);
	EXPECT_LE(shapes.credit, 0);
}

/* The last few bytes of a trace are too few to look for a shape. */
TEST(ends_of_traces)
{
	BYTES b = {};
	struct shapes shapes;

	for (unsigned int i = 0; i < 64; i++)
		put_load(&b, i, i, i);
	begin_shapes(&shapes);
	for (unsigned int i = 0; i < 100; i++)
		decode_until(b.data, b.size, 0, PMSCOPE_DECODE_LAST, b.size,
			     &shapes, batch, &stats);
	EXPECT_EQ(batch->count, 6400U);
	EXPECT_EQ(shapes.nr, 1U);
	EXPECT_GT(shapes.credit, 0);
}
