/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_BASE_FILE_NAME_H
#define PMSCOPE_BASE_FILE_NAME_H

#include <stdbool.h>

/* Is what is mapped in a process a file? False for "[heap]" or "//anon". */
static inline bool is_file_name(const char *name)
{
	return name[0] == '/' && name[1] != '/';
}

#endif /* PMSCOPE_BASE_FILE_NAME_H */
