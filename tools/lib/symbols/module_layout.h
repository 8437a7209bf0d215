/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Computes where the kernel loads the code of a module, whose file is
 * relocatable: it has sections, but no addresses.
 */
#ifndef PMSCOPE_SYMBOLS_MODULE_LAYOUT_H
#define PMSCOPE_SYMBOLS_MODULE_LAYOUT_H

#include "elf.h"

#include <gelf.h>

/*
 * Adds a segment for each code section that stays after initialisation, as far
 * as its place can be known. Its offset counts from the start of the module in
 * memory; its address is the section number. Returns 0; -ENOENT if no place is
 * known; or -ENOMEM.
 */
int module_layout(Elf *file, struct elf_symbols *elf);

#endif /* PMSCOPE_SYMBOLS_MODULE_LAYOUT_H */
