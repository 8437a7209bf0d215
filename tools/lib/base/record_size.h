/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The sizes of perf records, with data after them that is not in their size. */
#pragma once

#include "little_endian.h"

#include <pmscope/perfdata.h>

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

/*
 * Size of the record at @data with all data after it; 0 if the record itself is
 * incomplete.
 */
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
