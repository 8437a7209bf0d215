/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * SPE records, decoded into columns. A record is a set of packets in any
 * order, closed by a Timestamp or End packet (Arm ARM D17).
 */
#ifndef PMSCOPE_RECORD_H
#define PMSCOPE_RECORD_H

#include <pmscope/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of what a record has; columns of missing parts hold 0. */
enum pmscope_has {
	PMSCOPE_HAS_PC = 1U << 0,
	PMSCOPE_HAS_TARGET = 1U << 1,
	PMSCOPE_HAS_VA = 1U << 2,
	PMSCOPE_HAS_PA = 1U << 3,
	PMSCOPE_HAS_PREVIOUS = 1U << 4,
	PMSCOPE_HAS_TOTAL = 1U << 8,
	PMSCOPE_HAS_ISSUE = 1U << 9,
	PMSCOPE_HAS_TRANSLATE = 1U << 10,
	PMSCOPE_HAS_ALT_ISSUE = 1U << 12,
	PMSCOPE_HAS_COUNTER = 1U << 15,
	PMSCOPE_HAS_CONTEXT_EL1 = 1U << 16,
	PMSCOPE_HAS_CONTEXT_EL2 = 1U << 17,
	PMSCOPE_HAS_EVENTS = 1U << 20,
	PMSCOPE_HAS_OPERATION = 1U << 21,
	PMSCOPE_HAS_SOURCE = 1U << 22,
	PMSCOPE_HAS_TIMESTAMP = 1U << 23,
};

/**
 * struct pmscope_batch - records as columns
 * @capacity: records there is room for
 * @count: records held; pmscope_decode() appends, the user sets it to 0
 * @has: enum pmscope_has bits; this and what follows are arrays of @capacity,
 *	 of which the first @count are set
 * @offset: where the record begins in its trace, bytes
 * @pc: payloads of the Address packets, as recorded: see
 *	pmscope_code_address() and its kin
 * @timestamp: ticks of the generic timer
 * @events: see events.h
 * @context_el1: CONTEXTIDR_EL1 and, next, CONTEXTIDR_EL2
 * @total: latencies in core cycles. They stop at the largest that the CPU
 *	   counts, 0xfff or 0xffff (PMSIDR_EL1.CountSize)
 * @source: IMPLEMENTATION DEFINED code, see source.h
 * @counter: the last Counter packet whose index has no column: its index is in
 *	     [31:16], its value in [15:0]
 * @op_class: enum pmscope_operation_class
 * @op: payload of the Operation Type packet
 */
struct pmscope_batch {
	size_t capacity;
	size_t count;
	uint32_t *has;
	uint64_t *offset;
	uint64_t *pc;
	uint64_t *target;
	uint64_t *va;
	uint64_t *pa;
	uint64_t *previous;
	uint64_t *timestamp;
	uint64_t *events;
	uint32_t *context_el1;
	uint32_t *context_el2;
	uint16_t *total;
	uint16_t *issue;
	uint16_t *translate;
	uint16_t *alt_issue;
	uint16_t *source;
	uint8_t *op_class;
	uint8_t *op;
	uint32_t *counter;
};

/**
 * pmscope_batch_new() - allocate a batch
 * @capacity: records, 1 to 2^24
 *
 * Return: the batch; or NULL with errno EINVAL or ENOMEM.
 */
PMSCOPE_API struct pmscope_batch *pmscope_batch_new(size_t capacity);
PMSCOPE_API void pmscope_batch_free(struct pmscope_batch *batch);

enum pmscope_decode_fault_kind {
	PMSCOPE_FAULT_BAD, /* bytes that begin no packet */
	PMSCOPE_FAULT_CUT, /* the trace ends within the record */
};

/**
 * struct pmscope_decode_fault - a record that could not be decoded
 * @kind: what is wrong
 * @record: offset of the record
 * @offset: of the first byte at fault
 * @bytes: how many are, not always one behind the other
 */
struct pmscope_decode_fault {
	enum pmscope_decode_fault_kind kind;
	uint64_t record;
	uint64_t offset;
	uint64_t bytes;
};

/**
 * struct pmscope_decode_stats - what became of the bytes; functions add to it
 * @bytes: decoded in all
 * @records: whole records
 * @damaged: records dropped because a byte inside them begins no packet,
 *	     because they are nothing but a timestamp, or, with
 *	     PMSCOPE_DECODE_RESYNC, because they begin before the buffer
 * @bad_bytes: bytes that begin no packet
 * @first_bad: offset of the first of them; valid if @bad_bytes is not 0
 * @cut_bytes: bytes of records without their closing packet
 * @first_cut: offset of the first such record; valid if @cut_bytes is not 0
 * @unknown: packets whose index has no meaning here (reserved or
 *	     IMPLEMENTATION DEFINED); the rest of their record is kept, and
 *	     the value of a counter
 * @max_faults: room in @faults; 0 when nobody wants them one by one
 * @nr_faults: how many are in @faults
 * @faults: the first faults, in the order of the trace; the caller's memory
 */
struct pmscope_decode_stats {
	uint64_t bytes;
	uint64_t records;
	uint64_t damaged;
	uint64_t bad_bytes;
	uint64_t first_bad;
	uint64_t cut_bytes;
	uint64_t first_cut;
	uint64_t unknown;
	size_t max_faults;
	size_t nr_faults;
	struct pmscope_decode_fault *faults;
};

enum pmscope_decode_flag {
	/* The trace ends with @buf: an open record there is truncated. */
	PMSCOPE_DECODE_LAST = 1U << 0,
	/*
	 * @buf may start inside a record, like a snapshot of a ring. Bytes up
	 * to the first timestamp, or the second END (one END could be payload),
	 * are ignored and not counted as bad. Pass it until a call consumes
	 * bytes; after that each use would drop a record.
	 */
	PMSCOPE_DECODE_RESYNC = 1U << 1,
	/* Skip unknown packets by the size their header gives (D17), not by
	 * one byte: for data from hardware newer than this library. Else their
	 * record is damaged. */
	PMSCOPE_DECODE_SKIP_BY_SIZE = 1U << 2,
	/*
	 * For sums by code: only has, pc, timestamp, events, context_el1,
	 * context_el2, total and source are set, as if records lacked
	 * everything else. Other columns stay zero in a batch that is used for
	 * nothing else.
	 */
	PMSCOPE_DECODE_BRIEF = 1U << 3,
};

/**
 * pmscope_decode() - decode records until the batch is full or the buffer ends
 * @buf: begins at a record
 * @len: bytes of @buf
 * @offset: of @buf in its trace
 * @flags: enum pmscope_decode_flag; other bits do nothing
 * @batch: records are appended, so its count must be set to 0 when they are
 *	   done with
 * @stats: added to; begins as zeros
 *
 * To decode all of a trace, repeat with PMSCOPE_DECODE_LAST until no byte is
 * left. Of a trace that comes in pieces, keep what was not consumed in front of
 * what comes next. A record has 2048 bytes at most (PMSIDR_EL1.MaxSize), but
 * damage may go on without closing one: when a buffer larger than that is full
 * and nothing is consumed, PMSCOPE_DECODE_LAST makes room. A trace that comes
 * from a socket:
 *
 *	static uint8_t room[65536];
 *	size_t have = 0, at, used;
 *	unsigned int flags;
 *	ssize_t n;
 *
 *	do {
 *		n = read(fd, room + have, sizeof(room) - have);
 *		have += n > 0 ? n : 0;
 *		flags = n > 0 ? 0 : PMSCOPE_DECODE_LAST;
 *		for (at = 0; at < have; at += used, offset += used) {
 *			batch->count = 0;
 *			used = pmscope_decode(room + at, have - at, offset,
 *					      flags, batch, &stats);
 *			for (size_t i = 0; i < batch->count; i++)
 *				use(batch->pc[i], batch->total[i]);
 *			if (!used && (at || have < sizeof(room)))
 *				break;
 *			if (!used)
 *				flags = PMSCOPE_DECODE_LAST;
 *		}
 *		have -= at;
 *		memmove(room, room + at, have);
 *	} while (n > 0);
 *
 * Return: bytes consumed, all of them whole records, padding or damage. Fewer
 * than @len when the batch is full or, without PMSCOPE_DECODE_LAST, when the
 * last record is not complete: call again with the rest (and what follows).
 */
PMSCOPE_API size_t pmscope_decode(const uint8_t *buf, size_t len,
				  uint64_t offset, unsigned int flags,
				  struct pmscope_batch *batch,
				  struct pmscope_decode_stats *stats);

/* The exception level in a PC, TARGET or PREVIOUS payload: 0 to 3. */
static inline unsigned int pmscope_address_el(uint64_t payload)
{
	return payload >> 61 & 0x3;
}

/* The NS bit of any payload but a VA: 1 for Non-secure and Realm. */
static inline unsigned int pmscope_address_ns(uint64_t payload)
{
	return payload >> 63 ? 1 : 0;
}

/**
 * pmscope_code_address() - the address in a PC, TARGET or PREVIOUS payload
 * @payload: as recorded; bits 63:56 are security state and exception level
 *
 * Return: the canonical address: bits 63:56 are ones for an address of Linux
 * at EL1 or EL2, else zeros.
 */
static inline uint64_t pmscope_code_address(uint64_t payload)
{
	uint64_t address = payload & UINT64_C(0x00ffffffffffffff);
	unsigned int state = (unsigned int)(payload >> 61); /* NS and EL */

	if (state == 5 || state == 6)
		address |= UINT64_C(0xff00000000000000);
	return address;
}

/**
 * pmscope_data_address() - the address in a VA payload, without its tag
 * @payload: as recorded; bits 63:56 may be a tag
 *
 * Return: the canonical address.
 */
static inline uint64_t pmscope_data_address(uint64_t payload)
{
	uint64_t address = payload & UINT64_C(0x00ffffffffffffff);

	if ((address >> 52) == 0xf)
		address |= UINT64_C(0xff00000000000000);
	return address;
}

/* The address in a PA payload. */
static inline uint64_t pmscope_physical_address(uint64_t payload)
{
	return payload & UINT64_C(0x00ffffffffffffff);
}

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_RECORD_H */
