/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Shared by the packet and the record decoder. */
#pragma once

#include "base/std.h"

#include <pmscope/packet.h>

#include <endian.h>

/* A second header byte follows; it is 0x00 in ALIGNMENT packets. */
static inline bool packet_is_extended(uint8_t header)
{
	return (header & 0xfc) == 0x20;
}

/* Arm ARM D17: bits [5:4] of a header are log2 of the payload size. */
static inline unsigned int packet_payload_size(uint8_t header)
{
	return 1U << ((header >> 4) & 0x3);
}

/* Reads a little-endian payload at any alignment. */
static inline uint64_t packet_payload(const uint8_t *p, unsigned int size)
{
	uint64_t word = 0;

	switch (size) {
	case 8:
		memcpy(&word, p, 8);
		break;
	case 4:
		memcpy(&word, p, 4);
		break;
	case 2:
		memcpy(&word, p, 2);
		break;
	default:
		memcpy(&word, p, 1);
		break;
	}
	return le64toh(word);
}

/* pmscope_packet_line(), but ALIGNMENT packets are relative to @place. */
int packet_line(const uint8_t *buf, size_t len, uint64_t offset, uint64_t place,
		uint64_t midr, char *line, size_t *length);
