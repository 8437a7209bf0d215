/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMSCOPE_ARCHIVE_KCORE_H
#define PMSCOPE_ARCHIVE_KCORE_H

#include "archive/needs.h"

/*
 * An ELF core file with the code of the kernel in @needs, as a copy of
 * /proc/kcore has it. Returns allocated memory; NULL if out of memory.
 */
uint8_t *kcore_image(const struct needs *needs, size_t *size);

#endif /* PMSCOPE_ARCHIVE_KCORE_H */
