/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A file and, if what is asked for was stripped off, its debug file. */
#ifndef PMSCOPE_SYMBOLS_DEBUG_H
#define PMSCOPE_SYMBOLS_DEBUG_H

#include "debuginfod.h"
#include "missing.h"

#include <elfutils/libdwfl.h>

/*
 * Where else debug files may be than where this machine has them: below @symfs,
 * unless that is NULL, for the file that is called @name there.
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
