/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_ROOT_GLOB_H
#define PMSCOPE_SYMBOLS_ROOT_GLOB_H

#include <glob.h>
#include <stdbool.h>

/*
 * Files that match @pattern below @root, which itself is no pattern; NULL is
 * the root directory of this machine. Free with globfree(), unless it returns
 * false: no match.
 */
bool root_glob(const char *root, const char *pattern, glob_t *found);

#endif /* PMSCOPE_SYMBOLS_ROOT_GLOB_H */
