/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Lines of text files with arbitrary contents. */
#ifndef PMSCOPE_BASE_LINE_H
#define PMSCOPE_BASE_LINE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Room for the longest names of jitdumps, and for what surrounds them. */
#define LINE_ROOM 8192

/* The next line of @file, without its end; the beginning of a longer one. */
static inline bool line_next(FILE *file, char line[LINE_ROOM])
{
	char *last = &line[LINE_ROOM - 1];
	int c;

	/* Set to 0 if a field did not fit. */
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

#endif /* PMSCOPE_BASE_LINE_H */
