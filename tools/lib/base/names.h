/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Names in recordings: of files, the kernel, modules and PMUs. */
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

/* Is what is mapped in a process a file? False for "[heap]" or "//anon". */
static inline bool is_file_name(const char *name)
{
	return name[0] == '/' && name[1] != '/';
}

/* May a mapping with this name have code that the program generated? */
static inline bool jit_is_mapping(const char *dso)
{
	static const char *const names[] = {
		"//anon",    "[anon",	       "/memfd:",
		"/dev/zero", "[heap]",	       "anon_inode:",
		"[stack",    "/anon_hugepage", "/SYSV",
	};

	/* Most file paths end here; this runs for each address. */
	if (dso && *dso == '/' && !strchr("/mdaS", dso[1]))
		return false;
	for (size_t i = 0; dso && i < ARRAY_SIZE(names); i++)
		if (!strncmp(dso, names[i], strlen(names[i])))
			return true;
	return !dso;
}

/* Modules are named by a file (.../a-b.ko, .../a_b.ko.xz) or as "[a_b]". */
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

/* The name of the snapshot PMU in sysfs and in the events of recordings. */
#define SNAPSHOT_PMU "pmu_snapshot"
