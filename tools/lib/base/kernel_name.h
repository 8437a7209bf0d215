/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "base/std.h"

/* The kernel's name in recordings. */
#define KERNEL_NAME "[kernel.kallsyms]"

/* Of programs that BPF compiled: memory of no file. */
#define BPF_NAME "[bpf]"

/*
 * In the kernel's mapping, a symbol such as "_text" follows the name. Its
 * address is the file offset of the mapping.
 */
#define KERNEL_NAME_LENGTH (sizeof(KERNEL_NAME) - 1)

static inline bool is_kernel_name(const char *name)
{
	return !strncmp(name, KERNEL_NAME, KERNEL_NAME_LENGTH);
}

/* Is it the kernel itself, not a module? @name: of the mapping, or NULL. */
static inline bool is_kernel_image(bool kernel, const char *name)
{
	return kernel && (!name || is_kernel_name(name));
}
