// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "chain.h"
#include "base/io.h"
#include "base/record_size.h"
#include "input.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE ((size_t)16 << 20)

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
	uint64_t left = size - get16(data + RECORD_AT_SIZE);
	uint8_t header[RECORD_AUXTRACE_SIZE];
	int ret;

	memcpy(header, data, sizeof(header));
	memcpy(header + RECORD_AT_MORE, &left, sizeof(left));
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
	if (ret || !record_size(data, left) ||
	    !record_is_trace(data, get16(data + RECORD_AT_SIZE)))
		return ret;
	*written = size;
	return write_cut(fd, data, left);
}
