/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Files that files name: debug files, and what those are kept apart from. */
#ifndef PMSCOPE_SYMBOLS_LINK_H
#define PMSCOPE_SYMBOLS_LINK_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * May libdw open what @file calls @link, in @dir or, if that is NULL, beside
 * it? It opens whatever that is; and devices and pipes may take forever.
 */
bool link_is_sound(const char *file, const char *dir, const char *link);

/* The same of what @elf, at @path, shares with others (.gnu_debugaltlink). */
bool link_shared_is_sound(Elf *elf, const char *path);

/* Has the file that is open as @fd this checksum, as .gnu_debuglink has it? */
bool link_crc_is(int fd, uint32_t crc);

#endif /* PMSCOPE_SYMBOLS_LINK_H */
