/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The notes of ELF files, which contain the build-id. */
#pragma once

#include "base/std.h"

#include <libelf.h>

/*
 * Rejects ELF files with too many note segments, or notes larger than the file:
 * the search for a build-id reads all of them.
 */
bool notes_are_sound(Elf *file);

/*
 * Returns the size of the build-id and sets *@id; 0 or less if there is none,
 * if the notes are not sound, or if @file is NULL.
 */
ssize_t notes_build_id(Elf *file, const void **id);
