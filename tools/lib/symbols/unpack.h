/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * ELF files, also those that are kept compressed (gzip, xz, zstd), as modules
 * of kernels are. What a small file can grow to is bounded.
 */
#ifndef PMSCOPE_SYMBOLS_UNPACK_H
#define PMSCOPE_SYMBOLS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens the file at @path, or what was compressed to it. Returns a file
 * descriptor; -ENOENT: there is no such file, or none with an ELF file in it;
 * or why it cannot be read, as of open(2), read(2) or mmap(2).
 */
int unpack_open(const char *path);

/*
 * The same for a file that is open; @fd, which may be what opening it returned,
 * is closed, or what is returned.
 */
int unpack_file(int fd);

/*
 * What these bytes of xz, or of .lzma, give: a file descriptor; -EFBIG: more
 * than that; -EBADMSG: nothing; or as of memfd_create(2).
 */
int unpack_symbols(const void *data, size_t size);

#endif /* PMSCOPE_SYMBOLS_UNPACK_H */
