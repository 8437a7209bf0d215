/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Files that files name: debug files, and what those are kept apart from. */
#ifndef PMSCOPE_SYMBOLS_LINK_H
#define PMSCOPE_SYMBOLS_LINK_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Where @file means what it calls @link: in @dir, which may be relative to
 * where it is itself, or beside it if that is NULL. False where that is too
 * long.
 */
bool link_path(char *path, size_t size, const char *file, const char *dir,
	       const char *link);

/* Does @elf have some of its debug information in a file it shares (dwz)? */
bool link_shares(Elf *elf);

/*
 * May libdw open this file, to which a link leads? It would unpack without
 * bounds, and follow the next link.
 */
bool link_is_sound(Elf *elf);

/* Has the file that is open as @fd this checksum, as .gnu_debuglink has it? */
bool link_crc_is(int fd, uint32_t crc);

#endif /* PMSCOPE_SYMBOLS_LINK_H */
