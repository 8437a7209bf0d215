// SPDX-License-Identifier: GPL-2.0-or-later
#include "jitdump.h"

#include <string.h>

#define JIT_CODE_LOAD	    0
#define JIT_CODE_MOVE	    1
#define JIT_CODE_DEBUG_INFO 2

void put_jit_header(struct bytes *b, uint64_t flags)
{
	put(b, 0x4a695444, 4);
	put(b, 1, 4);
	put(b, 40, 4);
	put_zeros(b, 20);
	put(b, flags, 8);
}

/* @size: of what is behind */
static void put_begin(struct bytes *b, uint32_t type, uint32_t size,
		      uint64_t time, uint32_t pid)
{
	put(b, type, 4);
	put(b, 16 + size, 4);
	put(b, time, 8);
	put(b, pid, 4);
	put(b, pid, 4);
}

void put_jit_load(struct bytes *b, uint64_t time, uint32_t pid,
		  uint64_t address, const char *name)
{
	size_t length = strlen(name) + 1;

	put_begin(b, JIT_CODE_LOAD, 40 + length + 4, time, pid);
	put(b, address, 8);
	put(b, address, 8);
	put(b, 4, 8);
	put(b, 0, 8);
	bytes_add(b, name, length);
	put_zeros(b, 4); /* the code */
}

void put_jit_move(struct bytes *b, uint64_t time, uint32_t pid, uint64_t from,
		  uint64_t to)
{
	put_begin(b, JIT_CODE_MOVE, 48, time, pid);
	put(b, to, 8);
	put(b, from, 8);
	put(b, to, 8);
	put(b, 4, 8);
	put(b, 0, 8);
}

void put_jit_lines(struct bytes *b, uint64_t address, uint64_t nr,
		   const struct bytes *lines)
{
	put(b, JIT_CODE_DEBUG_INFO, 4);
	put(b, 16 + 16 + lines->size, 4);
	put(b, 0, 8);
	put(b, address, 8);
	put(b, nr, 8);
	bytes_add(b, lines->data, lines->size);
}

void put_jit_line(struct bytes *lines, uint64_t address, uint32_t line,
		  const char *file)
{
	put(lines, address, 8);
	put(lines, line, 4);
	put(lines, 0, 4);
	bytes_add(lines, file, strlen(file) + 1);
}
