/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an output has of each row, for those who put rows in order. */
#ifndef PMSCOPE_LINES_H
#define PMSCOPE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_NO_AREA UINT32_MAX

/**
 * struct line - a row as text; or where rows begin
 * @time: of the row, perf's clock; UINT64_MAX: not known
 * @length: bytes; 0: all rows behind it come, but for those of earlier ones of
 *	    their areas, after a row of this time and area would
 * @area: of pmscope_recording_areas(), or LINES_NO_AREA: behind all others
 */
struct line {
	uint64_t time;
	uint32_t length;
	uint32_t area;
};

/* Zeros are none. */
struct lines {
	struct line *line;
	size_t nr;
	size_t max;
};

/* Room for @nr more; false when memory is short. */
bool lines_reserve(struct lines *lines, size_t nr);

/*
 * Before rows of an area, the first of which is of @time, at most @nr of them.
 * False when memory is short.
 */
bool lines_begin(struct lines *lines, uint32_t area, uint64_t time, size_t nr);
void lines_free(struct lines *lines);

/* One of them. */
static inline void lines_add(struct lines *lines, uint64_t time,
			     uint32_t length)
{
	struct line *line = &lines->line[lines->nr++];

	line->time = time;
	line->length = length;
	line->area = line[-1].area;
}

#endif /* PMSCOPE_LINES_H */
