// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Decodes bytes to packets. */
#include "spe.h"

#define PAD_RUN_MAX 16

/* PMSCOPE_PACKET_NONE also for the extended prefixes 0x20 to 0x23. */
static const uint8_t type_of_header[256] = {
	[0x00] = PMSCOPE_PACKET_PAD,
	[0x01] = PMSCOPE_PACKET_END,
	[0x42] = PMSCOPE_PACKET_EVENTS,
	[0x43] = PMSCOPE_PACKET_DATA_SOURCE,
	[0x48 ... 0x4b] = PMSCOPE_PACKET_OPERATION,
	[0x52] = PMSCOPE_PACKET_EVENTS,
	[0x53] = PMSCOPE_PACKET_DATA_SOURCE,
	[0x62] = PMSCOPE_PACKET_EVENTS,
	[0x63] = PMSCOPE_PACKET_DATA_SOURCE,
	[0x64 ... 0x67] = PMSCOPE_PACKET_CONTEXT,
	[0x71] = PMSCOPE_PACKET_TIMESTAMP,
	[0x72] = PMSCOPE_PACKET_EVENTS,
	[0x73] = PMSCOPE_PACKET_DATA_SOURCE,
	[0x98 ... 0x9f] = PMSCOPE_PACKET_COUNTER,
	[0xb0 ... 0xb7] = PMSCOPE_PACKET_ADDRESS,
};

static uint8_t packet_index(uint8_t type, uint8_t header)
{
	switch (type) {
	case PMSCOPE_PACKET_CONTEXT:
	case PMSCOPE_PACKET_OPERATION:
		return header & 0x3;
	case PMSCOPE_PACKET_ADDRESS:
	case PMSCOPE_PACKET_COUNTER:
		return header & 0x7;
	default:
		return 0;
	}
}

static int packet_fill(const uint8_t *buf, size_t len, unsigned int header,
		       struct pmscope_packet *packet)
{
	uint8_t last = buf[header - 1];
	unsigned int size = packet_payload_size(last);

	if (len < header + size)
		return -ENODATA;
	packet->payload = packet_payload(buf + header, size);
	packet->type = type_of_header[last];
	packet->index = packet_index(packet->type, last);
	if (header == 2)
		packet->index |= (buf[0] & 0x3) << 3;
	packet->header = header;
	packet->length = header + size;
	return packet->length;
}

/* How many zero bytes of @buf are shown as one run that begins at @from. */
static uint8_t pad_run(const uint8_t *buf, size_t len, uint8_t from)
{
	while (from < PAD_RUN_MAX && from < len && !buf[from])
		from++;
	return from;
}

static int packet_simple(const uint8_t *buf, size_t len, uint8_t type,
			 uint8_t length, uint8_t header,
			 struct pmscope_packet *packet)
{
	packet->payload = 0;
	packet->type = type;
	packet->index = 0;
	packet->header = header;
	packet->length =
		type == PMSCOPE_PACKET_END ? length : pad_run(buf, len, length);
	return packet->length;
}

static int packet_extended(const uint8_t *buf, size_t len, uint64_t offset,
			   struct pmscope_packet *packet)
{
	unsigned int align = 2U << (buf[0] & 0xf);
	uint8_t type;

	if (len < 2)
		return -ENODATA;
	type = type_of_header[buf[1]];
	if (type == PMSCOPE_PACKET_ADDRESS || type == PMSCOPE_PACKET_COUNTER)
		return packet_fill(buf, len, 2, packet);
	if (type != PMSCOPE_PACKET_PAD)
		return -EBADMSG;
	if (len < align)
		return -ENODATA;
	return packet_simple(buf, len, PMSCOPE_PACKET_ALIGNMENT,
			     align - (offset & (align - 1)), 2, packet);
}

int pmscope_packet_decode(const uint8_t *buf, size_t len, uint64_t offset,
			  struct pmscope_packet *packet)
{
	uint8_t type;

	if (!len)
		return 0;
	if (packet_is_extended(buf[0]))
		return packet_extended(buf, len, offset, packet);
	type = type_of_header[buf[0]];
	switch (type) {
	case PMSCOPE_PACKET_NONE:
		return -EBADMSG;
	case PMSCOPE_PACKET_PAD:
	case PMSCOPE_PACKET_END:
		return packet_simple(buf, len, type, 1, 1, packet);
	default:
		return packet_fill(buf, len, 1, packet);
	}
}

/* Encodes packets to bytes. */

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
