/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Opens an ELF file together with its separate debug file. */
#pragma once

#include "debuginfod.h"
#include "unreadable_files.h"

#include <elfutils/libdwfl.h>

/*
 * Where to look for debug files in addition to the standard places: below
 * @symfs (unless NULL), for the file whose path is @name on the recorded
 * machine.
 */
struct debug_search {
	struct unreadable_files *missing;
	const char *symfs;
	const char *name;
	struct debuginfod *servers; /* NULL: ask no servers */
};

/*
 * Starts a libdwfl session for the file at @path, open as @fd (see elf_file.h).
 * Sets @module to its module, or to NULL if it cannot be used. Always takes
 * ownership of @fd, which may be -1. @search must stay valid until the caller
 * calls dwfl_end(). Returns NULL if out of memory.
 */
Dwfl *debug_begin(int fd, const char *path, const struct debug_search *search,
		  Dwfl_Module **module);
