/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Reads machine code from ELF files. Only the headers are parsed, one at a time
 * and at bounded cost, so that a malformed file needs no child process.
 */
#ifndef PMSCOPE_SYMBOLS_CODE_H
#define PMSCOPE_SYMBOLS_CODE_H

#include <pmscope/symbols.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last file: callers often ask for several functions of one file. */
struct code_file {
	char *path; /* NULL: none is open */
	int fd;
};

/* What to read: up to @size bytes; @code is filled in. */
struct code_request {
	void *bytes;
	size_t size;
	struct pmscope_code *code;
};

/*
 * Reads the code at @address from the file at @path, which @open opens unless
 * it is the last one; @open returns a descriptor or -errno. @section is the
 * number of the section that has the code, and @address counts from its start;
 * 0: the headers tell, and @address is a link address. @path must stay valid as
 * long as the symbols do. Returns 0; -ENODATA if the file has no bytes for it,
 * as a debug file; -ENOEXEC if it is not a 64-bit little-endian ELF file; or
 * the error of @open or read(2).
 */
int code_read(struct code_file *last, const char *path,
	      int (*open)(const char *path), uint32_t section, uint64_t address,
	      const struct code_request *request);
void code_file_fini(struct code_file *last);

/* Opens a copy of /proc/kcore, or that file itself. For code_read(). */
int code_open_kcore(const char *path);

#endif /* PMSCOPE_SYMBOLS_CODE_H */
