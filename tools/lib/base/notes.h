/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Notes of ELF files, which have their build-id. */
#ifndef PMSCOPE_BASE_NOTES_H
#define PMSCOPE_BASE_NOTES_H

#include <libelf.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Are there few, without common bytes? The notes of all segments and sections
 * are searched for the build-id.
 */
bool notes_are_sound(Elf *file);

/*
 * The size and place of the build-id in the notes; 0 or less if there is none,
 * if the notes are not sound, or if @file is NULL.
 */
ssize_t notes_build_id(Elf *file, const void **id);

#endif /* PMSCOPE_BASE_NOTES_H */
