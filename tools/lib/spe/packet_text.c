// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Packets in the words, and the line layout, of perf report -D. */
#include "spe.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>

#include "base/names.h"

/* A name of fixed size: copying it does not depend on its length. */
struct event_name {
	char text[23];
	uint8_t length; /* 0: the bit has no name */
};

#define EVENT_NAME_ROOM sizeof(((struct event_name *)0)->text)

/* Always writes EVENT_NAME_ROOM bytes; returns the end of the name. */
static inline char *event_name_text(char *p, const struct event_name *name)
{
	memcpy(p, name->text, EVENT_NAME_ROOM);
	return p + name->length;
}

#define NAME(name)                     \
	{                              \
		name, sizeof(name) - 1 \
	}

static const struct event_name architected[64] = {
	[PMSCOPE_EVENT_EXCEPTION_GEN] = NAME("EXCEPTION-GEN"),
	[PMSCOPE_EVENT_RETIRED] = NAME("RETIRED"),
	[PMSCOPE_EVENT_L1D_ACCESS] = NAME("L1D-ACCESS"),
	[PMSCOPE_EVENT_L1D_REFILL] = NAME("L1D-REFILL"),
	[PMSCOPE_EVENT_TLB_ACCESS] = NAME("TLB-ACCESS"),
	[PMSCOPE_EVENT_TLB_REFILL] = NAME("TLB-REFILL"),
	[PMSCOPE_EVENT_NOT_TAKEN] = NAME("NOT-TAKEN"),
	[PMSCOPE_EVENT_MISPRED] = NAME("MISPRED"),
	[PMSCOPE_EVENT_LLC_ACCESS] = NAME("LLC-ACCESS"),
	[PMSCOPE_EVENT_LLC_REFILL] = NAME("LLC-REFILL"),
	[PMSCOPE_EVENT_REMOTE_ACCESS] = NAME("REMOTE-ACCESS"),
	[PMSCOPE_EVENT_ALIGNMENT] = NAME("ALIGNMENT"),
	[PMSCOPE_EVENT_TXN] = NAME("TXN"),
	[PMSCOPE_EVENT_SVE_PARTIAL_PRED] = NAME("SVE-PARTIAL-PRED"),
	[PMSCOPE_EVENT_SVE_EMPTY_PRED] = NAME("SVE-EMPTY-PRED"),
	[PMSCOPE_EVENT_L2D_ACCESS] = NAME("L2D-ACCESS"),
	[PMSCOPE_EVENT_L2D_MISS] = NAME("L2D-MISS"),
	[PMSCOPE_EVENT_HITM] = NAME("HITM"),
	[PMSCOPE_EVENT_LFB] = NAME("LFB"),
	[PMSCOPE_EVENT_SNOOPED] = NAME("SNOOPED"),
	[PMSCOPE_EVENT_STREAMING_SVE] = NAME("STREAMING-SVE"),
	[PMSCOPE_EVENT_SMCU] = NAME("SMCU"),
};

static const struct event_name late_prefetch = NAME("LATE-PREFETCH");

/* The architected name of bit 0 to 63. */
static const struct event_name *event_name(unsigned int bit)
{
	return &architected[bit];
}

/* The name of an IMPLEMENTATION DEFINED event on this CPU, or NULL. */
static const struct event_name *event_name_of_cpu(unsigned int bit,
						  uint64_t midr)
{
	if (bit == 12 && midr_model(midr) == MIDR_NEOVERSE_N1)
		return &late_prefetch;
	return NULL;
}

const char *pmscope_event_name(unsigned int bit, uint64_t midr)
{
	const struct event_name *name;

	if (bit > 63)
		return NULL;
	name = event_name_of_cpu(bit, midr);
	if (!name)
		name = event_name(bit);
	return name->length ? name->text : NULL;
}

#define LINE_BYTES 16

#define HEX_2(high, low)      \
	{                     \
		(high), (low) \
	}
#define HEX_16(high)                                                  \
	HEX_2(high, '0'), HEX_2(high, '1'), HEX_2(high, '2'),         \
		HEX_2(high, '3'), HEX_2(high, '4'), HEX_2(high, '5'), \
		HEX_2(high, '6'), HEX_2(high, '7'), HEX_2(high, '8'), \
		HEX_2(high, '9'), HEX_2(high, 'a'), HEX_2(high, 'b'), \
		HEX_2(high, 'c'), HEX_2(high, 'd'), HEX_2(high, 'e'), \
		HEX_2(high, 'f')

static const char hex_bytes[256][2] = {
	HEX_16('0'), HEX_16('1'), HEX_16('2'), HEX_16('3'),
	HEX_16('4'), HEX_16('5'), HEX_16('6'), HEX_16('7'),
	HEX_16('8'), HEX_16('9'), HEX_16('a'), HEX_16('b'),
	HEX_16('c'), HEX_16('d'), HEX_16('e'), HEX_16('f'),
};

/* For an address index without a name: prints payload and index. */
static char *text_raw_address(char *p, const struct pmscope_packet *packet)
{
	p = text_string(p, "ADDR 0x");
	p = text_hex(p, packet->payload, 1);
	p = text_string(p, " (");
	p = text_unsigned(p, packet->index);
	return text_string(p, ")");
}

static char *text_event_numbers(char *p, uint64_t events)
{
	p = text_string(p, " IMPDEF:");
	while (events) {
		p = text_unsigned(p, __builtin_ctzll(events));
		events &= events - 1;
		if (events)
			*p++ = ',';
	}
	return p;
}

/* Prints IMPLEMENTATION DEFINED events and removes them from @events. */
static char *text_events_of_cpu(char *p, uint64_t *events, uint64_t midr)
{
	for (uint64_t left = *events; left; left &= left - 1) {
		const struct event_name *name =
			event_name_of_cpu(__builtin_ctzll(left), midr);

		if (!name)
			continue;
		*events &= ~(left & -left);
		*p++ = ' ';
		p = event_name_text(p, name);
	}
	return p;
}

static char *text_events(char *p, const struct pmscope_packet *packet,
			 uint64_t midr)
{
	uint64_t unnamed = 0;

	p = text_string(p, "EV");
	for (uint64_t left = packet->payload; left; left &= left - 1) {
		const struct event_name *name =
			event_name(__builtin_ctzll(left));

		if (!name->length) {
			unnamed |= left & -left;
			continue;
		}
		*p++ = ' ';
		p = event_name_text(p, name);
	}
	if (!unnamed)
		return p;
	p = text_events_of_cpu(p, &unnamed, midr);
	return unnamed ? text_event_numbers(p, unnamed) : p;
}

static char *text_code_address(char *p, const char *name, uint64_t payload)
{
	p = text_string(p, name);
	p = text_string(p, " 0x");
	p = text_hex(p, payload & UINT64_C(0x00ffffffffffffff), 1);
	p = text_string(p, " el");
	*p++ = '0' + (payload >> 61 & 0x3);
	p = text_string(p, " ns=");
	*p++ = '0' + (payload >> 63);
	return p;
}

static char *text_physical_address(char *p, uint64_t payload)
{
	p = text_string(p, "PA 0x");
	p = text_hex(p, payload & UINT64_C(0x00ffffffffffffff), 1);
	p = text_string(p, " ns=");
	*p++ = '0' + (payload >> 63);
	p = text_string(p, " ch=");
	*p++ = '0' + (payload >> 62 & 1);
	p = text_string(p, " pat=");
	return text_hex(p, payload >> 56 & 0xf, 1);
}

static char *text_address(char *p, const struct pmscope_packet *packet)
{
	switch (packet->index) {
	case PMSCOPE_ADDRESS_PC:
		return text_code_address(p, "PC", packet->payload);
	case PMSCOPE_ADDRESS_TARGET:
		return text_code_address(p, "TGT", packet->payload);
	case PMSCOPE_ADDRESS_PREVIOUS:
		return text_code_address(p, "PBT", packet->payload);
	case PMSCOPE_ADDRESS_VA:
		p = text_string(p, "VA 0x");
		return text_hex(p, packet->payload, 1);
	case PMSCOPE_ADDRESS_PA:
		return text_physical_address(p, packet->payload);
	default:
		return text_raw_address(p, packet);
	}
}

static char *text_counter(char *p, const struct pmscope_packet *packet)
{
	p = text_string(p, "LAT ");
	p = text_unsigned(p, packet->payload & 0xffff);
	switch (packet->index) {
	case PMSCOPE_COUNTER_TOTAL:
		return text_string(p, " TOT");
	case PMSCOPE_COUNTER_ISSUE:
		return text_string(p, " ISSUE");
	case PMSCOPE_COUNTER_TRANSLATE:
		return text_string(p, " XLAT");
	default:
		return text_string(p, " ");
	}
}

static char *text_context(char *p, const struct pmscope_packet *packet)
{
	p = text_string(p, "CONTEXT 0x");
	p = text_hex(p, packet->payload, 1);
	p = text_string(p, " el");
	return text_unsigned(p, packet->index + 1);
}

static char *text_packet(char *p, const struct pmscope_packet *packet,
			 uint64_t midr)
{
	switch (packet->type) {
	case PMSCOPE_PACKET_EVENTS:
		return text_events(p, packet, midr);
	case PMSCOPE_PACKET_CONTEXT:
		return text_context(p, packet);
	case PMSCOPE_PACKET_OPERATION:
		return p + pmscope_operation_text(packet->index,
						  packet->payload, p);
	case PMSCOPE_PACKET_ADDRESS:
		return text_address(p, packet);
	case PMSCOPE_PACKET_COUNTER:
		return text_counter(p, packet);
	case PMSCOPE_PACKET_TIMESTAMP:
		return text_unsigned(text_string(p, "TS "), packet->payload);
	case PMSCOPE_PACKET_DATA_SOURCE:
		return text_unsigned(text_string(p, "DATA-SOURCE "),
				     packet->payload);
	case PMSCOPE_PACKET_END:
		return text_string(p, "END");
	default: /* ALIGNMENT, too */
		return text_string(p, "PAD");
	}
}

size_t pmscope_packet_text(const struct pmscope_packet *packet, uint64_t midr,
			   char *text)
{
	char *end = text_packet(text, packet, midr);

	*end = '\0';
	return end - text;
}

/* ".  00000000:  b0 e0", with a column for each of 16 bytes. */
static char *line_bytes(char *p, const uint8_t *buf, unsigned int length,
			uint64_t offset)
{
	p = text_string(p, ".  ");
	p = text_hex(p, offset, 8);
	p = text_string(p, ":                                                 "
			   " ");
	for (unsigned int i = 0; i < length; i++)
		text_bytes(p - 3 * LINE_BYTES + 3 * i, hex_bytes[buf[i]], 2);
	return p;
}

int packet_line(const uint8_t *buf, size_t len, uint64_t offset, uint64_t place,
		uint64_t midr, char *line, size_t *length)
{
	struct pmscope_packet packet;
	int ret = pmscope_packet_decode(buf, len, place, &packet);
	char *p;

	if (!ret) {
		*length = 0;
		return 0;
	}
	p = line_bytes(line, buf, ret > 0 ? ret : 1, offset);
	if (ret > 0)
		p = text_packet(p, &packet, midr);
	else
		p = text_string(p, "Bad packet!");
	*p++ = '\n';
	*length = p - line;
	return ret;
}

int pmscope_packet_line(const uint8_t *buf, size_t len, uint64_t offset,
			uint64_t midr, char *line, size_t *length)
{
	return packet_line(buf, len, offset, offset, midr, line, length);
}
