/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Lines of text files, whatever is in them. */
#ifndef PMSCOPE_INPUT_LINE_H
#define PMSCOPE_INPUT_LINE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Room for names as long as those of jitdumps, and what is beside them. */
#define LINE_ROOM 8192

/* The next line of @file, without its end; the beginning of a longer one. */
static inline bool line_next(FILE *file, char line[LINE_ROOM])
{
	size_t length;
	int c;

	if (!fgets(line, LINE_ROOM, file))
		return false;
	length = strcspn(line, "\n");
	if (length == LINE_ROOM - 1)
		do
			c = getc_unlocked(file);
		while (c != EOF && c != '\n');
	line[length] = '\0';
	return true;
}

#endif /* PMSCOPE_INPUT_LINE_H */
