/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A file and its debug file, if the data was stripped. */
#ifndef PMSCOPE_SYMBOLS_DEBUG_H
#define PMSCOPE_SYMBOLS_DEBUG_H

#include "debuginfod.h"
#include "missing.h"

#include <elfutils/libdwfl.h>

/*
 * Further places of debug files: below @symfs, unless it is NULL, for the file
 * that is called @name there.
 */
struct debug_search {
	struct missing *missing;
	const char *symfs;
	const char *name;
	struct debuginfod *servers; /* NULL: none are asked */
};

/*
 * Begins with the file at @path, which is open as @fd (see unpack.h) and which
 * @module becomes, or NULL. @fd is closed, also when it is -1. @search must
 * stay until dwfl_end(). Returns NULL when memory is short.
 */
Dwfl *debug_begin(int fd, const char *path, const struct debug_search *search,
		  Dwfl_Module **module);

#endif /* PMSCOPE_SYMBOLS_DEBUG_H */
