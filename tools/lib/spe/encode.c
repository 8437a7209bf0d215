// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Encodes packets to bytes. */
#include "spe.h"

/* Forms of each type; a header is @base, the size in [5:4], and an index. */
static const struct {
	uint8_t base;
	uint8_t sizes; /* bit n: a payload of 2^n bytes */
	uint8_t indices;
	bool extended;
} forms[] = {
	[PMSCOPE_PACKET_TIMESTAMP] = {0x41, 1 << 3, 1, false},
	[PMSCOPE_PACKET_EVENTS] = {0x42, 0xf, 1, false},
	[PMSCOPE_PACKET_DATA_SOURCE] = {0x43, 0xf, 1, false},
	[PMSCOPE_PACKET_CONTEXT] = {0x44, 1 << 2, 4, false},
	[PMSCOPE_PACKET_OPERATION] = {0x48, 1 << 0, 4, false},
	[PMSCOPE_PACKET_ADDRESS] = {0x80, 1 << 3, 32, true},
	[PMSCOPE_PACKET_COUNTER] = {0x88, 1 << 1, 32, true},
};

/* log2 of the payload's bytes; negative when it is not a power of two. */
static int payload_log2(unsigned int bytes)
{
	for (int n = 0; n < 4; n++)
		if (bytes == 1U << n)
			return n;
	return -EINVAL;
}

static int encode_payload(const struct pmscope_packet *packet, uint8_t *buf)
{
	bool two = packet->header == 2 || packet->index > 7;
	unsigned int header = two ? 2 : 1;
	int log2 = payload_log2(packet->length - header);

	if (packet->type >= ARRAY_SIZE(forms) || !forms[packet->type].base ||
	    log2 < 0 || !(forms[packet->type].sizes & 1 << log2) ||
	    packet->index >= forms[packet->type].indices ||
	    !(log2 == 3 || !(packet->payload >> (8 << log2))) ||
	    (two && !forms[packet->type].extended))
		return -EINVAL;
	if (two)
		*buf++ = 0x20 | packet->index >> 3;
	*buf++ = forms[packet->type].base | log2 << 4 | (packet->index & 0x7);
	for (int i = 0; i < 1 << log2; i++)
		*buf++ = packet->payload >> (8 * i);
	return packet->length;
}

int pmscope_packet_encode(const struct pmscope_packet *packet, uint8_t *buf)
{
	switch (packet->type) {
	case PMSCOPE_PACKET_PAD:
		memset(buf, 0, packet->length);
		return packet->length;
	case PMSCOPE_PACKET_END:
		buf[0] = 0x01;
		return 1;
	default:
		return encode_payload(packet, buf);
	}
}
