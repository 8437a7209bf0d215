/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "base/std.h"

#include <pmscope/record.h>

#include <stdalign.h>

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

/**
 * struct pace - progress of a long call
 * @step: decode at most so many bytes between two calls of @went
 * @went: called with the number of decoded bytes
 */
struct pace {
	size_t step;
	void (*went)(void *context, size_t bytes);
	void *context;
};

/**
 * decode_until() - pmscope_decode() that stops between records
 * @limit: decode only records that begin before this offset in @buf; the last
 *	   one may end after it
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

/**
 * struct pieced - a record whose bytes are not all in one buffer
 * @record: the packets so far
 * @offset: where it begins
 * @bytes: size so far; 0 before its first packet
 */
struct pieced {
	struct record record;
	uint64_t offset;
	uint64_t bytes;
};

void pieced_begin(struct pieced *pieced);

/* So many bytes are enough to recognize any packet, even ALIGNMENT. */
#define PIECED_ROOM 16

/**
 * pieced_take() - decode one more packet, or padding
 * @buf: the packet; PIECED_ROOM bytes are enough
 * @offset: offset of @buf, to which ALIGNMENT packets are relative
 *
 * Return: the size of the packet; 0 if @len is too small to recognize it.
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
