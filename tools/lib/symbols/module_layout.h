/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Where the kernel loads the code of a module: its file is relocatable, with
 * sections but without addresses.
 */
#ifndef PMSCOPE_SYMBOLS_MODULE_LAYOUT_H
#define PMSCOPE_SYMBOLS_MODULE_LAYOUT_H

#include "elf.h"

#include <gelf.h>

/*
 * Adds a segment for each section of code that stays when the module was
 * initialised, as far as the file tells: its offset is from where the module
 * begins in memory, its address the number of the section. Returns 0; -ENOENT
 * when it tells nothing; -ENOMEM.
 */
int module_layout(Elf *file, struct elf_symbols *elf);

#endif /* PMSCOPE_SYMBOLS_MODULE_LAYOUT_H */
