/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Functions that only pass on what an allocator returns. */
#pragma once

#include "base/std.h"

#include <pmscope/symbols.h>

/* By their names, or as libraries of C++ and Rust have all of their code. */
static inline bool is_wrapper(const struct pmscope_frame *frame)
{
	static const char *const names[] = {
		"operator new", "std::",   "__gnu_cxx::", "core::", "strdup",
		"strndup",	"xstrdup", "mmap",	  "fopen",
	};
	static const char *const folders[] = {"/include/c++/", "/rustc/"};

	if (strcasestr(frame->name, "alloc"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(frame->name + strspn(frame->name, "_<"), names[i],
			     strlen(names[i])) ||
		    !strncmp(frame->name, names[i], strlen(names[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (frame->file && strstr(frame->file, folders[i]))
			return true;
	return false;
}
