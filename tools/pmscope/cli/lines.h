/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an output records about each row, so that rows can be sorted. */
#ifndef PMSCOPE_CLI_LINES_H
#define PMSCOPE_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_NO_AREA UINT32_MAX

/**
 * struct line - a row as text; or where rows begin
 * @due: as in struct pmscope_run
 * @length: bytes; 0: no row behind it is due before this
 * @area: of pmscope_recording_areas(), or LINES_NO_AREA: behind all others
 */
struct line {
	uint64_t due;
	uint32_t length;
	uint32_t area;
};

/*
 * Zeros are an empty list. @due is that of the previous row, even if it had no
 * text.
 */
struct lines {
	struct line *line;
	size_t nr;
	size_t max;
	uint64_t due;
};

/* Room for @nr more; false when memory is short. */
bool lines_reserve(struct lines *lines, size_t nr);

/*
 * Call before adding at most @nr rows of an area, the first due at @due. False
 * if out of memory.
 */
bool lines_begin(struct lines *lines, uint32_t area, uint64_t due, size_t nr);
void lines_free(struct lines *lines);

/* A row with @time, 0 if unknown; @length may be 0. */
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
