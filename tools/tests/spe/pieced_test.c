// SPDX-License-Identifier: GPL-2.0-or-later
/* A record that is taken packet by packet. */
#include "ktap.h"
#include "spe/record.h"

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
