/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tool under test, and others, with files that a test made. */
#ifndef PMSCOPE_TESTS_COMMAND_H
#define PMSCOPE_TESTS_COMMAND_H

#include "bytes.h"

#include <stdio.h>

/* The pmscope of the build under test. */
const char *command_pmscope(void);

/*
 * What a shell's @command prints with "-i" and a file of these bytes behind it;
 * pclose() tells how it ended. NULL when it cannot be run.
 */
FILE *command_reads(const struct bytes *file, const char *command);

/* The same of pmscope with @arguments. */
FILE *command_pmscope_reads(const struct bytes *file, const char *arguments);

/*
 * All that it prints, as far as it has room, and its exit status; or -1.
 */
int command_pmscope_text(const struct bytes *file, const char *arguments,
			 char *text, size_t size);

#endif /* PMSCOPE_TESTS_COMMAND_H */
