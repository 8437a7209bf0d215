/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Modules of the kernel, as recordings call them: by their file, which is
 * .../a-b.ko or .../a_b.ko.xz, or "[a_b]".
 */
#ifndef PMSCOPE_BASE_MODULE_NAME_H
#define PMSCOPE_BASE_MODULE_NAME_H

#include <stdbool.h>

#define MODULE_NAME_SIZE 64 /* MODULE_NAME_LEN of Linux */

/* Is this the name of a module, among names of kernel mappings? NULL is not. */
bool module_is(const char *name);

/*
 * The end of ".ko" in the name of a module's file, NULL without it; the kind of
 * compression follows.
 */
const char *module_file_end(const char *name);

/* "a_b" of either name, cut if need be. */
void module_name_of(const char *name, char module[MODULE_NAME_SIZE]);

#endif /* PMSCOPE_BASE_MODULE_NAME_H */
