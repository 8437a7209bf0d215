/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* From bytes to packets, records and columns. */
#pragma once

#include <pmscope/packet.h>
#include <pmscope/source.h>

#include "base/std.h"

#include <endian.h>
#include <stdalign.h>

/* Shared by the packet and the record decoder. */

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

/* In a family of CPUs the codes of Data Source packets mean the same. */
enum source_family {
	SOURCES_UNKNOWN,
	SOURCES_COMMON, /* most CPUs by Arm */
	SOURCES_AMPERE1A,
	SOURCES_HISILICON,
	NR_SOURCE_FAMILIES
};

/* Codes from here on have no meaning in any family. */
#define NR_SOURCE_CODES 19

/* What a code means: a row of the tables in source.c. */
struct source {
	const char *name;
	uint32_t flags; /* enum pmscope_source_flag */
	/* Members of union perf_mem_data_src, as perf sets them */
	struct source_level {
		uint16_t lvl;
		uint8_t lvl_num;
		uint8_t snoop;
		uint8_t snoopx;
		uint8_t remote;
	} level;
};

/* The family of the CPU, from the table in base/cpus.def */
enum source_family source_family(uint64_t midr);

/* Returns NULL if the code has no meaning in this family. */
const struct source *source_find(enum source_family family, uint64_t code);

/* The maximum of PMSIDR_EL1.MaxSize; no CPU writes longer records. */
#define RECORD_MAX 2048

/* The first nonzero byte from @at on, or @len. */
size_t zeros_end(const uint8_t *buf, size_t len, size_t at);

/* Where a record keeps the payloads of its packets. */
enum record_slot {
	SLOT_PC, /* the addresses and counters in the order of their indices */
	SLOT_TARGET,
	SLOT_VA,
	SLOT_PA,
	SLOT_PREVIOUS,
	SLOT_TIMESTAMP,
	SLOT_EVENTS,
	SLOT_CONTEXT_EL1,
	SLOT_CONTEXT_EL2,
	SLOT_TOTAL,
	SLOT_ISSUE,
	SLOT_TRANSLATE,
	SLOT_ALT_ISSUE,
	SLOT_SOURCE,
	SLOT_OPERATION, /* its class in [15:8] */
	SLOT_COUNTER, /* a counter without its own slot; its index in [31:16] */
	SLOT_NONE,    /* packets without a meaning here */
	SLOT_UNUSED,
	NR_SLOTS
};

/* A record that is being decoded. */
struct record {
	alignas(16) uint64_t slot[NR_SLOTS];
	uint32_t has;
	bool damaged;
	bool headless; /* may have started before the buffer */
	bool ended;    /* had an END packet, which closes it unless headless */
	bool closed;
	uint64_t unknown;
	uint64_t bad;	    /* bytes that are not a packet header */
	uint64_t first_bad; /* offset in the trace */
};

/* Progress of a long call */
struct pace {
	size_t step; /* decode at most so many bytes between @went */
	/* called with the number of decoded bytes */
	void (*went)(void *context, size_t bytes);
	void *context;
};

/*
 * pmscope_decode() that stops between records. @limit: decode only records that
 * begin before this offset in @buf; the last one may end after it.
 */
size_t decode_until(const uint8_t *buf, size_t len, uint64_t offset,
		    unsigned int flags, size_t limit,
		    struct pmscope_batch *batch,
		    struct pmscope_decode_stats *stats);

/* The same with an optional @pace: a record or padding may be very long. */
size_t decode_paced(const uint8_t *buf, size_t len, uint64_t offset,
		    unsigned int flags, size_t limit,
		    struct pmscope_batch *batch,
		    struct pmscope_decode_stats *stats,
		    const struct pace *pace);

/* A record whose bytes are not all in one buffer */
struct pieced {
	struct record record; /* the packets so far */
	uint64_t offset;      /* where it begins */
	uint64_t bytes;	      /* size so far; 0 before its first packet */
};

void pieced_begin(struct pieced *pieced);

/* So many bytes are enough to recognize any packet, even ALIGNMENT. */
#define PIECED_ROOM 16

/*
 * Decodes one more packet, or padding. @buf: the packet; PIECED_ROOM bytes are
 * enough. @offset: offset of @buf, to which ALIGNMENT packets are relative.
 * Returns the size of the packet; 0 if @len is too small to recognize it.
 */
size_t pieced_take(struct pieced *pieced, const uint8_t *buf, size_t len,
		   uint64_t offset, unsigned int flags);

/*
 * pieced_end() - finish the record: if it is closed, add it to @batch, which
 * must have room; else count it as cut, with @left more bytes
 */
void pieced_end(const struct pieced *pieced, size_t left, unsigned int flags,
		struct pmscope_batch *batch,
		struct pmscope_decode_stats *stats);

/*
 * Part of a trace, decoded before it is known where its first record begins,
 * because that requires decoding everything before it. A thread therefore
 * guesses: it starts a little earlier, which synchronizes it with the records.
 * The consumer takes the chunks in order, so it knows where the records really
 * begin, and decodes a stretch again if the guess was wrong. A wrong guess
 * costs only time.
 */
struct pace;

/* One trace, or a part of it */
struct spe_span {
	const uint8_t *data; /* the bytes; a record begins here */
	size_t size;	     /* size of @data */
	uint64_t offset;     /* in the file: for the column and statistics */
};

/* Most records are larger, so batches sized by this are large enough. */
#define RECORD_BYTES 16

/* Part of a trace */
struct stretch {
	struct spe_span span; /* the trace; offsets here are relative to it */
	size_t index;	      /* index of the span */
	size_t begin;	      /* start of the stretch */
	size_t end; /* decode only records that begin before this offset */
	bool known; /* a record begins at @begin: no guess is needed */
	bool open;  /* the next span continues this one */
	/* may begin inside a record: PMSCOPE_DECODE_RESYNC is added */
	bool headless;
	size_t padding; /* stretch_padding() of the span, if @headless */
};

/* The number of zero bytes at the start of a span. */
size_t stretch_padding(const struct spe_span *span);

/*
 * stretch_decode() - decode the records that begin in a stretch
 * @at: offset to start at
 * @size: use only so many bytes of the span
 * @pace: see decode_paced()
 *
 * Return: the offset of the next record. It is before the end if @batch is
 * full, or if the last record is incomplete and may continue.
 */
size_t stretch_decode(const struct stretch *stretch, size_t at, size_t size,
		      unsigned int flags, struct pmscope_batch *batch,
		      struct pmscope_decode_stats *stats,
		      const struct pace *pace);

/* A stretch and its decoded records */
struct chunk {
	struct stretch stretch;
	size_t first; /* offset where decoding began */
	size_t next;  /* offset of the record after the last one */
	struct pmscope_batch *batch; /* the records; capacity at least 1 */
	struct pmscope_decode_stats stats; /* statistics of these records */
};

/* Decodes from where the first record seems to be. pmscope_decode_flag */
void chunk_guess(struct chunk *chunk, unsigned int flags);

/* Adds @part to @sum. Faults are counted, but not listed. */
void stats_add(struct pmscope_decode_stats *sum,
	       const struct pmscope_decode_stats *part);
