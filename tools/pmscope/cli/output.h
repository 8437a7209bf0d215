/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects output in memory and writes it to stdout in large pieces. */
#pragma once

#include "base/std.h"

/* A list of the rows in an output, so that they can be sorted by time. */

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

	lines->due = MAX(time, lines->due);
	line->due = lines->due;
	line->length = length;
	line->area = line[-1].area;
	lines->nr += length != 0;
}

/* Initialize to zeros. */
struct output {
	struct lines *lines; /* list of its rows, if they are sorted later */
	char *buffer;
	size_t used;
	size_t size;
	bool held;   /* keep everything in memory until output_pass() */
	bool failed; /* a write or allocation failed: drop all later output */
};

/* Slow path of output_reserve(). */
char *output_more(struct output *out, size_t size);

/* Returns room for up to @size bytes; NULL if out of memory. */
static inline char *output_reserve(struct output *out, size_t size)
{
	if (size <= out->size - out->used)
		return out->buffer + out->used;
	return output_more(out, size);
}

/* The text reserved last ends at @end. */
static inline void output_commit(struct output *out, const char *end)
{
	out->used = end - out->buffer;
}

/* Keeps all that is written to @out in memory, for output_pass(). */
void output_hold(struct output *out);

/* Appends the contents of @held to @out. False on success. */
bool output_pass(struct output *out, struct output *held);

void output_free(struct output *out);

/* Writes the rest and frees the buffer. Returns 0, or -EIO after error(). */
int output_finish(struct output *out);

/* Was all of stdout written? Returns 0, or -EIO after error(). */
int output_written(void);

/*
 * Flushes @file, and closes it unless it is a standard stream. Returns 0 or
 * -errno; -EIO if an earlier write failed.
 */
int output_close(FILE *file);
