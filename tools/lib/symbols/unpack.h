/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Opens ELF files, including compressed ones (gzip, xz, zstd) such as kernel
 * modules. The uncompressed size is limited.
 */
#ifndef PMSCOPE_SYMBOLS_UNPACK_H
#define PMSCOPE_SYMBOLS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens the file at @path and uncompresses it if necessary. Returns a file
 * descriptor; -ENOENT if there is no such file or no ELF file in it; or -errno
 * of open(2), read(2) or mmap(2).
 */
int unpack_open(const char *path);

/*
 * As unpack_open(), for a file that is open as @fd. Closes @fd unless it
 * returns it. A negative @fd is returned as the error.
 */
int unpack_file(int fd);

/*
 * Uncompresses xz or .lzma data. Returns a file descriptor; -EFBIG if the
 * result is too large; -EBADMSG if the data is malformed; or -errno of
 * memfd_create(2).
 */
int unpack_symbols(const void *data, size_t size);

#endif /* PMSCOPE_SYMBOLS_UNPACK_H */
