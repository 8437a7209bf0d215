/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SPE_RECORD_H
#define PMSCOPE_SPE_RECORD_H

#include "shape.h"

#include <pmscope/record.h>

/* The maximum of PMSIDR_EL1.MaxSize; no CPU writes longer records. */
#define RECORD_MAX 2048

/* A record under way. */
struct record {
	alignas(16) uint64_t slot[NR_SLOTS];
	uint32_t has;
	bool damaged;
	bool headless; /* starts before the buffer: its own start is unknown */
	bool ended;    /* had an END, which closes one that is not headless */
	bool closed;
	uint64_t unknown;
	uint64_t bad;	    /* bytes that begin no packet */
	uint64_t first_bad; /* offset in the trace */
};

/**
 * struct pace - progress of a long call
 * @step: the most bytes to decode between two calls of @went
 * @went: called with the number of decoded bytes
 */
struct pace {
	size_t step;
	void (*went)(void *context, size_t bytes);
	void *context;
};

/**
 * decode_until() - pmscope_decode() that ends with a record
 * @shapes: of the records before these in the stream, or without any
 * @limit: no record is begun at or behind this place in @buf; the one before
 *	   it is decoded as far as it goes
 */
size_t decode_until(const uint8_t *buf, size_t len, uint64_t offset,
		    unsigned int flags, size_t limit, struct shapes *shapes,
		    struct pmscope_batch *batch,
		    struct pmscope_decode_stats *stats);

/* The same with a pace, or NULL: one record, or padding, may be very long. */
size_t decode_paced(const uint8_t *buf, size_t len, uint64_t offset,
		    unsigned int flags, size_t limit, struct shapes *shapes,
		    struct pmscope_batch *batch,
		    struct pmscope_decode_stats *stats,
		    const struct pace *pace);

/**
 * struct pieced - a record whose bytes are not all in one buffer
 * @record: what its packets so far say
 * @offset: where it begins
 * @bytes: of it so far; 0 before its first packet
 */
struct pieced {
	struct record record;
	uint64_t offset;
	uint64_t bytes;
};

void pieced_begin(struct pieced *pieced);

/* Bytes that tell any packet: alignment packets look at so many. */
#define PIECED_ROOM 16

/**
 * pieced_take() - one packet more, or padding
 * @buf: @len bytes from where it begins; what is behind PIECED_ROOM of them
 *	 does not matter
 * @offset: of @buf in its trace, from which alignment packets count
 *
 * Return: the bytes it has; 0 when fewer than PIECED_ROOM do not tell.
 */
size_t pieced_take(struct pieced *pieced, const uint8_t *buf, size_t len,
		   uint64_t offset, unsigned int flags);

/*
 * pieced_end() - what becomes of it: a row of @batch, which has room, if it is
 * closed; else it is cut, with @left bytes more
 */
void pieced_end(const struct pieced *pieced, size_t left, unsigned int flags,
		struct pmscope_batch *batch,
		struct pmscope_decode_stats *stats);

#endif /* PMSCOPE_SPE_RECORD_H */
