/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "base/std.h"

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
	for (size_t i = 0; dso && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(dso, names[i], strlen(names[i])))
			return true;
	return !dso;
}
