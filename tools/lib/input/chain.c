// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "chain.h"
#include "base/io.h"
#include "base/little_endian.h"
#include "input.h"

#include <pmscope/perfdata.h>

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE ((size_t)16 << 20)

/* perf's own records with data after them are at least this large. */
enum {
	HEADER = 8,
	AT_SIZE = 6,
	TRACING_SIZE = 12,
	AUXTRACE_SIZE = 48,
	AT_MORE = 8, /* size of the data, in these records */
};

static bool is_trace(const uint8_t *data, uint64_t size)
{
	return get32(data) == PMSCOPE_RECORD_AUXTRACE && size >= AUXTRACE_SIZE;
}

/*
 * Size of the record at @data with all data after it; 0 if the record itself is
 * incomplete.
 */
static uint64_t size_of(const uint8_t *data, size_t left)
{
	uint64_t size = left < HEADER ? 0 : get16(data + AT_SIZE), more = 0;

	if (size < HEADER || size > left)
		return 0;
	if (is_trace(data, size))
		more = get64(data + AT_MORE);
	else if (get32(data) == PMSCOPE_RECORD_TRACING_DATA &&
		 size >= TRACING_SIZE)
		more = get32(data + AT_MORE);
	return more > UINT64_MAX - size ? UINT64_MAX : size + more;
}

size_t chain_whole(const uint8_t *data, size_t size)
{
	size_t at = 0;

	for (;;) {
		uint64_t next = size_of(data + at, size - at);

		if (!next || next > size - at)
			return at;
		at += next;
	}
}

/* Releases the pages of each piece, except those it shares with the next. */
static int write_mapped(int fd, const uint8_t *data, size_t size)
{
	uintptr_t page = sysconf(_SC_PAGESIZE);
	int ret = 0;

	for (size_t at = 0; at < size && !ret; at += PIECE) {
		size_t piece = size - at < PIECE ? size - at : PIECE;
		uintptr_t begin = ((uintptr_t)data + at + page - 1) & -page;
		uintptr_t end = ((uintptr_t)data + at + piece) & -page;

		ret = io_write(fd, data + at, piece);
		if (begin < end)
			madvise((void *)begin, end - begin, MADV_DONTNEED);
	}
	return ret;
}

/* @data is a trace whose end is missing. */
static int write_cut(int fd, const uint8_t *data, size_t size)
{
	uint64_t left = size - get16(data + AT_SIZE);
	uint8_t header[AUXTRACE_SIZE];
	int ret;

	memcpy(header, data, sizeof(header));
	memcpy(header + AT_MORE, &left, sizeof(left));
	ret = io_write(fd, header, sizeof(header));
	return ret ? ret
		   : write_mapped(fd, data + sizeof(header),
				  size - sizeof(header));
}

int chain_write(int fd, const uint8_t *data, size_t size, size_t whole,
		uint64_t *written)
{
	int ret = write_mapped(fd, data, whole);
	size_t left = size - whole;

	data += whole;
	*written = whole;
	if (ret || !size_of(data, left) ||
	    !is_trace(data, get16(data + AT_SIZE)))
		return ret;
	*written = size;
	return write_cut(fd, data, left);
}
