/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Finds the files of kernel modules, and their layout. Recordings call a module
 * by its path, such as /lib/modules/6.1.0/kernel/fs/a-b.ko.xz, or by its name,
 * "[a_b]".
 */
#ifndef PMSCOPE_SYMBOLS_MODULE_H
#define PMSCOPE_SYMBOLS_MODULE_H

#include "dso.h"
#include "elf.h"

#include <gelf.h>

/* Returns "[a_b]" for either form, to be freed, or NULL if out of memory. */
char *module_name(const char *dso);

/*
 * Fills in @dso from the module's installed file, stripped or not, or from its
 * debug file. Returns 0, -ENOENT or -ENOMEM.
 */
int module_try(struct dso_symbols *dso, struct dso_search *search,
	       const struct pmscope_place *place);

/*
 * In the child (see reader.h): computes where the kernel loads the code of a
 * module, whose file has sections, but no addresses. Adds a segment for each
 * code section that stays after initialisation, as far as its place can be
 * known. Its offset counts from the start of the module in memory. Returns 0;
 * -ENOENT if no place is known; or -ENOMEM.
 */
int module_layout(Elf *file, struct elf_symbols *elf);

#endif /* PMSCOPE_SYMBOLS_MODULE_H */
