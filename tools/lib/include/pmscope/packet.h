/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Packets of the Arm Statistical Profiling Extension (Arm ARM D17): one
 * header byte (two for the extended format), then 0, 1, 2, 4 or 8 bytes.
 */
#ifndef PMSCOPE_PACKET_H
#define PMSCOPE_PACKET_H

#include <pmscope/api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pmscope_packet_type {
	PMSCOPE_PACKET_NONE, /* no packet begins with this header */
	PMSCOPE_PACKET_PAD,
	PMSCOPE_PACKET_END,
	PMSCOPE_PACKET_TIMESTAMP,
	PMSCOPE_PACKET_EVENTS,
	PMSCOPE_PACKET_DATA_SOURCE,
	PMSCOPE_PACKET_CONTEXT,
	PMSCOPE_PACKET_OPERATION,
	PMSCOPE_PACKET_ADDRESS,
	PMSCOPE_PACKET_COUNTER,
	PMSCOPE_PACKET_ALIGNMENT,
};

/* Indices of Address packets. */
enum pmscope_address {
	PMSCOPE_ADDRESS_PC,	  /* of the sampled instruction */
	PMSCOPE_ADDRESS_TARGET,	  /* of the sampled branch */
	PMSCOPE_ADDRESS_VA,	  /* data, virtual */
	PMSCOPE_ADDRESS_PA,	  /* data, physical */
	PMSCOPE_ADDRESS_PREVIOUS, /* target of the previous taken branch */
};

/* Indices of Counter packets; all count core cycles and saturate. */
enum pmscope_counter {
	PMSCOPE_COUNTER_TOTAL,	   /* dispatch to complete */
	PMSCOPE_COUNTER_ISSUE,	   /* dispatch to issue */
	PMSCOPE_COUNTER_TRANSLATE, /* virtual address to MMU result */
	PMSCOPE_COUNTER_ALT_ISSUE = 4,
};

/* Classes of Operation Type packets, held in their index. */
enum pmscope_operation_class {
	PMSCOPE_OPERATION_OTHER,
	PMSCOPE_OPERATION_LOAD_STORE,
	PMSCOPE_OPERATION_BRANCH,
};

/**
 * struct pmscope_packet - one decoded packet
 * @payload: the payload, zero-extended to 64 bits
 * @type: enum pmscope_packet_type
 * @index: address, counter or context index; class of an operation type
 * @header: bytes of the header, 1 or 2
 * @length: bytes of the whole packet; for PAD, of the run of them (up to 16),
 *	    and for ALIGNMENT, with the zeros behind it (the same)
 */
struct pmscope_packet {
	uint64_t payload;
	uint8_t type;
	uint8_t index;
	uint8_t header;
	uint8_t length;
};

/**
 * pmscope_packet_decode() - decode the packet at the start of a buffer
 * @buf: where the packet begins
 * @len: readable bytes from there
 * @offset: of @buf in its trace; an ALIGNMENT packet skips to a multiple of
 *	    its alignment counted from offset 0
 * @packet: written only on success
 *
 * Return: bytes consumed (> 0); 0 when @len is 0; -ENODATA when the packet is
 * cut short by the end of the buffer; -EBADMSG when no packet begins here.
 */
PMSCOPE_API int pmscope_packet_decode(const uint8_t *buf, size_t len,
				      uint64_t offset,
				      struct pmscope_packet *packet);

/* The longest packet: a header of two bytes and eight of payload. */
#define PMSCOPE_PACKET_MAX 10

/**
 * pmscope_packet_encode() - the bytes of a packet
 * @packet: @type, @index, @payload and @length are used; the payload has
 *	    @length bytes less the header's. The header has two bytes for an
 *	    index above 7, or when @header says 2
 * @buf: gets at most PMSCOPE_PACKET_MAX bytes, and for PAD @length of them
 *
 * pmscope_packet_decode() gives back what was encoded, PAD in runs of up to 16.
 * ALIGNMENT is not encoded here: its length depends on where it lies. Of END
 * only the @type counts, of PAD the @length, too.
 *
 * Return: bytes written; -EINVAL for a packet that has no encoding, as one
 * whose payload has more bits than bytes for them.
 */
PMSCOPE_API int pmscope_packet_encode(const struct pmscope_packet *packet,
				      uint8_t *buf);

/* Room for any text of pmscope_packet_text(), with its final NUL. */
#define PMSCOPE_PACKET_TEXT_MAX 512

/**
 * pmscope_packet_text() - a packet in the words of perf report -D
 * @packet: a decoded packet
 * @midr: MIDR_EL1 of the CPU that wrote it, for IMPLEMENTATION DEFINED
 *	  events; 0 when not known
 * @text: at least PMSCOPE_PACKET_TEXT_MAX bytes
 *
 * Return: length of the text, without its NUL.
 */
PMSCOPE_API size_t pmscope_packet_text(const struct pmscope_packet *packet,
				       uint64_t midr, char *text);

/* Room for any line of pmscope_packet_line(). */
#define PMSCOPE_PACKET_LINE_MAX (80 + PMSCOPE_PACKET_TEXT_MAX)

/**
 * pmscope_packet_line() - one line of perf report -D: offset, bytes, text
 * @buf: where the packet begins
 * @len: readable bytes from there
 * @offset: printed at the start of the line
 * @midr: as for pmscope_packet_text()
 * @line: at least PMSCOPE_PACKET_LINE_MAX bytes; gets the line and its
 *	  newline, without a NUL
 * @length: bytes of the line
 *
 * A byte at which no packet begins gets a line of its own, "Bad packet!".
 *
 * Return: what pmscope_packet_decode() returned; the line spans one byte of
 * @buf when that is negative.
 */
PMSCOPE_API int pmscope_packet_line(const uint8_t *buf, size_t len,
				    uint64_t offset, uint64_t midr, char *line,
				    size_t *length);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_PACKET_H */
