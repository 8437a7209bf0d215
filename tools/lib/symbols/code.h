/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Reads machine code from an ELF file, in the child process (see reader.h). */
#pragma once

#include "base/std.h"

#include <pmscope/symbols.h>

/* What to read: up to @size bytes; @code is filled in. */
struct code_request {
	void *bytes;
	size_t size;
	struct pmscope_code *code;
};

/*
 * Reads the code at @address from the file that is open as @fd. @section is the
 * number of the section that has the code, and @address counts from its start;
 * 0: the headers tell, and @address is a link address. Sets the size and the
 * machine. Returns 0; -ENODATA if the file has no bytes for it, as a debug
 * file; -ENOEXEC if it is not a 64-bit little-endian ELF file; or the error of
 * read(2).
 */
int code_read(int fd, uint32_t section, uint64_t address,
	      const struct code_request *request);
