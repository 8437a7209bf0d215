// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets: bytes to fields, and back. */
#include "ktap.h"
#include "bytes.h"

static const struct kind {
	uint8_t type, indices, payload_size;
} kinds[] = {
	{PMSCOPE_PACKET_TIMESTAMP, 1, 8},   {PMSCOPE_PACKET_EVENTS, 1, 1},
	{PMSCOPE_PACKET_EVENTS, 1, 2},	    {PMSCOPE_PACKET_EVENTS, 1, 4},
	{PMSCOPE_PACKET_EVENTS, 1, 8},	    {PMSCOPE_PACKET_DATA_SOURCE, 1, 1},
	{PMSCOPE_PACKET_DATA_SOURCE, 1, 2}, {PMSCOPE_PACKET_CONTEXT, 4, 4},
	{PMSCOPE_PACKET_OPERATION, 4, 1},   {PMSCOPE_PACKET_ADDRESS, 32, 8},
	{PMSCOPE_PACKET_COUNTER, 32, 2},
};

/* With a payload that shows a lost or moved byte. */
static struct pmscope_packet packet_of(const struct kind *kind, uint8_t index)
{
	uint8_t header = index > 7 ? 2 : 1;

	return (struct pmscope_packet){.type = kind->type,
				       .index = index,
				       .header = header,
				       .length = header + kind->payload_size,
				       .payload =
					       UINT64_C(0xf7e6d5c4b3a29180) >>
					       (64 - 8 * kind->payload_size)};
}

/* Every packet there is */
static int nth_packet(unsigned int n, struct pmscope_packet *packet)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (n < kinds[i].indices) {
			*packet = packet_of(&kinds[i], n);
			return 1;
		}
		n -= kinds[i].indices;
	}
	return 0;
}

static void expect_same(const struct pmscope_packet *a,
			const struct pmscope_packet *b)
{
	EXPECT_EQ(a->type, b->type);
	EXPECT_EQ(a->index, b->index);
	EXPECT_EQ(a->payload, b->payload);
	EXPECT_EQ(a->length, b->length);
	EXPECT_EQ(a->header, b->header);
}

TEST(decoding_undoes_encoding)
{
	struct pmscope_packet packet, decoded;
	uint8_t buf[PMSCOPE_PACKET_MAX];
	unsigned int n;

	for (n = 0; nth_packet(n, &packet); n++) {
		ASSERT_EQ(pmscope_packet_encode(&packet, buf), packet.length);
		ASSERT_EQ(pmscope_packet_decode(buf, packet.length, 0,
						&decoded),
			  packet.length);
		expect_same(&packet, &decoded);
	}
	EXPECT_EQ(n, 79U);
}

TEST(short_index_may_have_an_extended_header)
{
	struct pmscope_packet packet = {.type = PMSCOPE_PACKET_COUNTER,
					.index = 2,
					.header = 2,
					.length = 4,
					.payload = 0x123};
	static const uint8_t expected[] = {0x20, 0x9a, 0x23, 0x01};
	struct pmscope_packet decoded;
	uint8_t buf[PMSCOPE_PACKET_MAX];

	ASSERT_EQ(pmscope_packet_encode(&packet, buf), 4);
	EXPECT_MEMEQ(buf, expected, 4);
	ASSERT_EQ(pmscope_packet_decode(buf, 4, 0, &decoded), 4);
	expect_same(&packet, &decoded);
}

TEST(payload_without_room_is_not_encoded)
{
	struct pmscope_packet packet = {
		.type = PMSCOPE_PACKET_COUNTER, .length = 3, .payload = 0xffff};
	uint8_t buf[PMSCOPE_PACKET_MAX];

	EXPECT_EQ(pmscope_packet_encode(&packet, buf), 3);
	packet.payload++;
	EXPECT_EQ(pmscope_packet_encode(&packet, buf), -EINVAL);
	packet.type = PMSCOPE_PACKET_TIMESTAMP;
	packet.length = 9;
	packet.payload = UINT64_MAX;
	EXPECT_EQ(pmscope_packet_encode(&packet, buf), 9);
}

/* One more would make it a packet of another type, or none. */
TEST(index_beyond_those_of_its_type_is_not_encoded)
{
	uint8_t buf[PMSCOPE_PACKET_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct pmscope_packet packet =
			packet_of(&kinds[i], kinds[i].indices);

		EXPECT_EQ(pmscope_packet_encode(&packet, buf), -EINVAL);
	}
}

TEST(packet_cut_anywhere_needs_more_bytes)
{
	struct pmscope_packet packet, untouched = {.payload = 42};
	uint8_t buf[PMSCOPE_PACKET_MAX];

	for (unsigned int n = 0; nth_packet(n, &packet); n++) {
		ASSERT_EQ(pmscope_packet_encode(&packet, buf), packet.length);
		EXPECT_EQ(pmscope_packet_decode(buf, 0, 0, &untouched), 0);
		for (int cut = 1; cut < packet.length; cut++)
			EXPECT_EQ(pmscope_packet_decode(buf, cut, 0,
							&untouched),
				  -ENODATA);
		EXPECT_EQ(untouched.payload, 42U);
	}
}

TEST(extended_prefix_alone_needs_more_bytes)
{
	struct pmscope_packet packet;

	for (unsigned int prefix = 0x20; prefix < 0x24; prefix++) {
		uint8_t byte = prefix;

		EXPECT_EQ(pmscope_packet_decode(&byte, 1, 0, &packet),
			  -ENODATA);
	}
}

static bool header_is_known(unsigned int h)
{
	return h <= 0x01 || (h >= 0x42 && h <= 0x43) ||
	       (h >= 0x48 && h <= 0x4b) || (h >= 0x52 && h <= 0x53) ||
	       (h >= 0x62 && h <= 0x67) || (h >= 0x71 && h <= 0x73) ||
	       (h >= 0x98 && h <= 0x9f) || (h >= 0xb0 && h <= 0xb7);
}

TEST(every_header_byte)
{
	struct pmscope_packet packet;
	uint8_t buf[16] = {0};

	for (unsigned int h = 0; h < 256; h++) {
		int ret;

		if ((h & 0xfc) == 0x20)
			continue;
		buf[0] = h;
		buf[1] = 0xff; /* ends a run of padding */
		ret = pmscope_packet_decode(buf, sizeof(buf), 0, &packet);
		if (!header_is_known(h))
			EXPECT_EQ(ret, -EBADMSG);
		else if (h <= 1)
			EXPECT_EQ(ret, 1);
		else
			EXPECT_EQ(ret, 1 + (1 << (h >> 4 & 3)));
	}
}

TEST(every_extended_header_byte)
{
	struct pmscope_packet packet;
	uint8_t buf[16] = {0x21};

	for (unsigned int h = 1; h < 256; h++) {
		bool address = h >= 0xb0 && h <= 0xb7;
		bool counter = h >= 0x98 && h <= 0x9f;
		int ret;

		buf[1] = h;
		ret = pmscope_packet_decode(buf, sizeof(buf), 0, &packet);
		if (!address && !counter) {
			EXPECT_EQ(ret, -EBADMSG);
			continue;
		}
		EXPECT_EQ(ret, address ? 10 : 4);
		EXPECT_EQ(packet.index, 8 + (h & 7));
	}
}

TEST(padding_is_joined_up_to_16)
{
	struct pmscope_packet packet;
	uint8_t buf[40] = {0};

	EXPECT_EQ(pmscope_packet_decode(buf, 40, 0, &packet), 16);
	EXPECT_EQ(packet.type, PMSCOPE_PACKET_PAD);
	EXPECT_EQ(pmscope_packet_decode(buf, 5, 0, &packet), 5);
	buf[3] = 0x01;
	EXPECT_EQ(pmscope_packet_decode(buf, 40, 0, &packet), 3);
}

TEST(alignment_counts_from_the_start_of_the_trace)
{
	uint8_t buf[32] = {0x23, 0x00};
	struct pmscope_packet packet;

	memset(buf + 2, 0xff, sizeof(buf) - 2);
	for (unsigned int offset = 0; offset < 64; offset++) {
		int wanted = 16 - offset % 16;

		EXPECT_EQ(pmscope_packet_decode(buf, sizeof(buf), offset,
						&packet),
			  wanted == 1 ? 2 : wanted);
		EXPECT_EQ(packet.type, PMSCOPE_PACKET_ALIGNMENT);
	}
	EXPECT_EQ(pmscope_packet_decode(buf, 15, 0, &packet), -ENODATA);
}

TEST(random_bytes_never_decode_beyond_their_end)
{
	uint64_t state = 0x5eed;

	for (int turn = 0; turn < 200000; turn++) {
		size_t size = random_below(&state, 12);
		uint8_t *buf = NULL, bytes[12];
		struct pmscope_packet packet;
		int ret;

		for (size_t i = 0; i < size; i++)
			bytes[i] = random_next(&state) >> 40;
		/* At the end of an allocation, where ASan sees each byte. */
		buf = __builtin_malloc(size + 1);
		memcpy(buf, bytes, size);
		ret = pmscope_packet_decode(buf, size, turn, &packet);
		if (ret > 0)
			EXPECT_LE((size_t)ret, size);
		__builtin_free(buf);
	}
}
