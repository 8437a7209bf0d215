/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of the rows in an output, so that they can be sorted by time. */
#ifndef PMSCOPE_CLI_LINES_H
#define PMSCOPE_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_NO_AREA UINT32_MAX

/**
 * struct line - the text of a row, or the start of the rows of an area
 * @due: as in struct pmscope_run
 * @length: bytes; 0: a start: the rows after it are not due before @due
 * @area: see pmscope_recording_areas(); LINES_NO_AREA sorts after all others
 */
struct line {
	uint64_t due;
	uint32_t length;
	uint32_t area;
};

/*
 * Initialize to zeros. @due belongs to the previous row, even if it had no
 * text.
 */
struct lines {
	struct line *line;
	size_t nr;
	size_t max;
	uint64_t due;
};

/* Makes room for @nr more; false if out of memory. */
bool lines_reserve(struct lines *lines, size_t nr);

/*
 * Call before adding at most @nr rows of an area, the first due at @due. False
 * if out of memory.
 */
bool lines_begin(struct lines *lines, uint32_t area, uint64_t due, size_t nr);
void lines_free(struct lines *lines);

/* Adds a row with @time (0 if unknown); @length may be 0. */
static inline void lines_add(struct lines *lines, uint64_t time,
			     uint32_t length)
{
	struct line *line = &lines->line[lines->nr];

	lines->due = time > lines->due ? time : lines->due;
	line->due = lines->due;
	line->length = length;
	line->area = line[-1].area;
	lines->nr += length != 0;
}

#endif /* PMSCOPE_CLI_LINES_H */
