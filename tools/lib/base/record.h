/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What records of perf contain. */
#pragma once

#include <pmscope/recording.h>

#include "std.h"

/* Reads little-endian numbers from files, at any alignment. */
static inline uint16_t get16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static inline uint32_t get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static inline uint64_t get64(const uint8_t *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

/* The sizes of perf records, with data after them that is not in their size. */

/* perf's own records with data after them are at least this large. */
enum {
	RECORD_HEADER_SIZE = 8,
	RECORD_AT_SIZE = 6,
	RECORD_TRACING_SIZE = 12,
	RECORD_AUXTRACE_SIZE = 48,
	RECORD_AT_MORE = 8, /* size of the data, in these records */
};

static inline bool record_is_trace(const uint8_t *data, uint64_t size)
{
	return get32(data) == PMSCOPE_RECORD_AUXTRACE &&
	       size >= RECORD_AUXTRACE_SIZE;
}

/* Size of the record with all data after it; 0 if it is itself incomplete. */
static inline uint64_t record_size(const uint8_t *data, size_t left)
{
	uint64_t size =
		left < RECORD_HEADER_SIZE ? 0 : get16(data + RECORD_AT_SIZE);
	uint64_t more = 0;

	if (size < RECORD_HEADER_SIZE || size > left)
		return 0;
	if (record_is_trace(data, size))
		more = get64(data + RECORD_AT_MORE);
	else if (get32(data) == PMSCOPE_RECORD_TRACING_DATA &&
		 size >= RECORD_TRACING_SIZE)
		more = get32(data + RECORD_AT_MORE);
	return more > UINT64_MAX - size ? UINT64_MAX : size + more;
}

/* How many of the @size bytes at @data are complete records. */
static inline size_t records_whole(const uint8_t *data, size_t size)
{
	size_t at = 0;

	for (;;) {
		uint64_t next = record_size(data + at, size - at);

		if (!next || next > size - at)
			return at;
		at += next;
	}
}

/* Does the event count and sample time, in ns? */
static inline bool attr_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * How a recording tells of allocations: a PERF_RECORD_AUX_OUTPUT_HW_ID, which
 * perf skips, whose hw_id is HEAP_RECORD_ID. Words follow: of whom, how many
 * were lost since the last record of that thread, and entries in time order:
 *
 *	whose		process | thread << 32
 *	parent		process that it was forked from; 0: none, or an exec
 *			followed
 *	lost
 *	site		number, HEAP_SITE << 56 | n, and n addresses of a call
 *			chain, the newest first; before it is used, and for all
 *			that follow
 *	allocation	ticks, HEAP_BLOCK << 56 | address, size << 24 | site
 *	end of it	ticks, HEAP_FREE << 56 | address
 *
 * Ticks are those that SPE stamps with.
 */

#define HEAP_RECORD_ID	  UINT64_C(0x7061656865706f63)
#define HEAP_RECORD_HEAD  4 /* words up to the entries */
#define HEAP_RECORD_WORDS 4096

enum heap_kind {
	HEAP_FREE,
	HEAP_BLOCK,
	HEAP_SITE
};

#define HEAP_KIND_SHIFT 56
#define HEAP_SITE_BITS	24
#define HEAP_SITE_MASK	((UINT64_C(1) << HEAP_SITE_BITS) - 1)
#define HEAP_SIZE_MAX	((UINT64_C(1) << (64 - HEAP_SITE_BITS)) - 1)

/* A limit for what compressed data may expand to. */

/*
 * Compression shrinks side-band records and traces by a factor of 10 to 30.
 * Refuse much more: the state kept for the smallest records is several times as
 * large as the records.
 */
#define INFLATED_RATIO_MAX  100
#define INFLATED_RATIO_FROM (32U << 20)

static inline bool inflates_too_much(uint64_t given, uint64_t taken)
{
	return given > INFLATED_RATIO_FROM &&
	       given / INFLATED_RATIO_MAX > taken;
}

/* The thread that a record names in its Context packet. */

/*
 * CONTEXTIDR holds the thread if the kernel writes it
 * (CONFIG_PID_IN_CONTEXTIDR), at EL2 for a host with VHE.
 */
static inline uint32_t context_tid(const struct pmscope_batch *batch,
				   size_t row)
{
	uint32_t has = batch->has[row];

	if (has & PMSCOPE_HAS_CONTEXT_EL2)
		return batch->context_el2[row];
	if (has & PMSCOPE_HAS_CONTEXT_EL1)
		return batch->context_el1[row];
	return PMSCOPE_NO_ID;
}
