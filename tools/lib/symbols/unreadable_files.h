/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Why symbols may be missing although they exist, and which files besides the
 * programs have them. All lookups share one, because what one of them reads is
 * cached for the others.
 */
#pragma once

#include "base/strings.h"

/* Nothing is missing when zeroed. */
struct unreadable_files {
	bool memory;	      /* an allocation failed */
	bool force;	      /* as in struct pmscope_symbols_options */
	uint64_t texts;	      /* bytes of source line strings */
	uint64_t maps;	      /* bytes of all perf-PID.map files */
	uint64_t jit_symbols; /* names of generated code in all processes */
	struct strings files; /* files that exist but cannot be read */
	int *errors;	      /* their -errno, parallel to @files */
	size_t max_errors;
	struct strings found; /* separate files of debug information */
};

/* Notes that debug information is read from @path, besides the program. */
void unreadable_found(struct unreadable_files *missing, const char *path);

/*
 * Records that @path cannot be read if @fd, the result of opening it, is a
 * negative errno. Files that do not exist are not recorded.
 */
void unreadable_add(struct unreadable_files *missing, const char *path, int fd);
void unreadable_fini(struct unreadable_files *missing);

/*
 * The first unreadable file of several places where one file is looked for. It
 * is added above only if the file is in none of them. Zeroed: none.
 */
struct unread {
	int error;
	char path[PATH_MAX];
};

void unread_file(struct unread *unread, const char *path, int fd);
