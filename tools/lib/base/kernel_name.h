/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_BASE_KERNEL_NAME_H
#define PMSCOPE_BASE_KERNEL_NAME_H

#include <stdbool.h>
#include <string.h>

/* What recordings call the kernel itself. */
#define KERNEL_NAME "[kernel.kallsyms]"

/*
 * A mapping has the name of a symbol behind it, "_text", which was at the
 * mapping's file offset.
 */
#define KERNEL_NAME_LENGTH (sizeof(KERNEL_NAME) - 1)

static inline bool is_kernel_name(const char *name)
{
	return !strncmp(name, KERNEL_NAME, KERNEL_NAME_LENGTH);
}

#endif /* PMSCOPE_BASE_KERNEL_NAME_H */
