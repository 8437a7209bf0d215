/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Notes of ELF files, which have their build-id. */
#ifndef PMSCOPE_INPUT_NOTES_H
#define PMSCOPE_INPUT_NOTES_H

#include <libelf.h>
#include <stdbool.h>

/*
 * Are they few, without bytes in common? All are looked through for the
 * build-id, those of segments and those of sections.
 */
bool notes_are_sound(Elf *file);

#endif /* PMSCOPE_INPUT_NOTES_H */
