/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Names of kernel modules in recordings: a file (.../a-b.ko, .../a_b.ko.xz) or
 * "[a_b]".
 */
#pragma once

#include "base/std.h"

#define MODULE_NAME_SIZE 64 /* MODULE_NAME_LEN of Linux */

/* Is this kernel mapping a module? False for NULL. */
bool module_is(const char *name);

/*
 * Returns the end of ".ko" in a file name, where a compression suffix may
 * follow; NULL if there is no ".ko".
 */
const char *module_file_end(const char *name);

/* Converts either form to "a_b", truncated if too long. */
void module_name_of(const char *name, char module[MODULE_NAME_SIZE]);
