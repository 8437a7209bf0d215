/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Opens ELF files, including compressed ones (gzip, xz, zstd) such as kernel
 * modules, and checks them for what libelf and libdw do not survive. The
 * uncompressed size is limited.
 */
#pragma once

#include "base/std.h"

#include <gelf.h>

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

struct section {
	Elf_Scn *scn;
	GElf_Shdr header;
	const char *name;
};

/* False if there is no @scn, or it has no name. */
bool section_read(Elf *file, Elf_Scn *scn, struct section *section);

/*
 * Checks that each string table ends with a NUL, as ELF requires; otherwise
 * libelf scans the whole table for each name.
 */
bool sections_strings_end(Elf *file);

/*
 * Returns the uncompressed size of all compressed sections in bytes, or
 * UINT64_MAX if it exceeds @limit.
 */
uint64_t sections_unpacked(Elf *file, uint64_t limit);

/*
 * Returns true if libdw may read @file: its string tables end with a NUL, its
 * notes are valid, and its compressed sections, which libdw unpacks all, are
 * not larger than a compiler would make them.
 */
bool sections_are_sound(Elf *file);

/*
 * Returns false if a section is compressed in a way that this libelf does not
 * know (all know zlib).
 */
bool sections_are_readable(Elf *file);

/*
 * Replaces *@fd by a copy in which the sections that are compressed with zstd
 * are not: not every libdw has zstd. Returns 0 or, leaving *@fd, -EBADMSG for
 * damaged data, -EFBIG, -EOPNOTSUPP for another compression that libelf cannot
 * read, or -errno.
 */
int sections_unpack(int *fd);

/* Checks the symbol tables, because libdwfl trusts their headers. */
bool sections_symbols_are_sound(Elf *file);

/* Finds the first section called @name. Returns false if there is none. */
bool section_find(Elf *file, const char *name, struct section *found);

/*
 * Returns true if part of @elf's debug information is in a file that it shares
 * with others (.gnu_debugaltlink, made by dwz).
 */
bool link_shares(Elf *elf);

/*
 * Returns true if libdw may open this .dwo file itself: it is sound and has no
 * .gnu_debugaltlink, which libdw would follow to the next file.
 */
bool link_is_sound(Elf *elf);
