// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/lines.h"

#include <stdlib.h>

bool lines_reserve(struct lines *lines, size_t nr)
{
	size_t wanted = lines->nr + nr;
	struct line *line;

	if (wanted <= lines->max)
		return true;
	line = realloc(lines->line, 2 * wanted * sizeof(*line));
	if (!line)
		return false;
	lines->line = line;
	lines->max = 2 * wanted;
	return true;
}

bool lines_begin(struct lines *lines, uint32_t area, uint64_t due, size_t nr)
{
	if (!lines_reserve(lines, nr + 1))
		return false;
	lines->line[lines->nr++] = (struct line){.due = due, .area = area};
	lines->due = due;
	return true;
}

void lines_free(struct lines *lines)
{
	free(lines->line);
}
