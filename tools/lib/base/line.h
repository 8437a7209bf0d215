/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Lines of text files with arbitrary contents. */
#pragma once

#include "base/std.h"

/* Fits a line with the longest name of a jitdump. */
#define LINE_ROOM 8192

/* Reads the next line without its newline; truncates one that is too long. */
static inline bool line_next(FILE *file, char line[LINE_ROOM])
{
	char *last = &line[LINE_ROOM - 1];
	int c;

	/* fgets() overwrites this with 0 if it fills the buffer. */
	*last = '\n';
	if (!fgets(line, LINE_ROOM, file))
		return false;
	if (!*last && last[-1] != '\n')
		do
			c = getc_unlocked(file);
		while (c != EOF && c != '\n');
	line[strcspn(line, "\n")] = '\0';
	return true;
}
