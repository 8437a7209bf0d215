/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Modules of the kernel, as recordings call them: by their file, which is
 * .../a-b.ko or .../a_b.ko.xz, or "[a_b]".
 */
#ifndef PMSCOPE_BASE_MODULE_NAME_H
#define PMSCOPE_BASE_MODULE_NAME_H

#include <stdbool.h>

#define MODULE_NAME_SIZE 64 /* MODULE_NAME_LEN of Linux */

/*
 * Is that the name of a module, among names of what is the kernel's? NULL is
 * none.
 */
bool module_is(const char *name);

/*
 * Where ".ko" ends in the name of a file that a module is in, NULL without it:
 * behind it is how the file is compressed.
 */
const char *module_file_end(const char *name);

/* "a_b" of either name, cut if need be. */
void module_name_of(const char *name, char module[MODULE_NAME_SIZE]);

#endif /* PMSCOPE_BASE_MODULE_NAME_H */
