/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/std.h"

/* Collects output in memory and writes it to stdout in large pieces. */

/* A list of the rows in an output, so that they can be sorted by time. */

#define LINES_NO_AREA UINT32_MAX

/* The text of a row, or the start of the rows of an area */
struct line {
	uint64_t due;	 /* as in struct pmscope_run */
	uint32_t length; /* bytes; 0: rows after it are not due before @due */
	/*
	 * see pmscope_recording_areas(); LINES_NO_AREA sorts after all others
	 */
	uint32_t area;
};

/* Initialize to zeros. @due is of the previous row, even one without text. */
struct lines {
	struct line *line;
	size_t nr;
	size_t max;
	uint64_t due;
};

/* Makes room for @nr more; false if out of memory. */
bool lines_reserve(struct lines *lines, size_t nr);

/* Before adding up to @nr rows, the first due at @due. False: no memory. */
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

/* Flushes, and closes all but standard streams. -EIO: a write had failed. */
int output_close(FILE *file);

/*
 * A file that appears under its name only when all of it is written. An older
 * file of that name stays until then, and stays after a failure. Where the file
 * system needs a temporary name before that, signals that end the program
 * remove it.
 */

/* Starts as zeros */
struct whole_file {
	FILE *out;	  /* what is written to it */
	const char *path; /* the name that the user gave */
	/*
	 * of the file that it will replace, and @target, its name there; NULL
	 * for open descriptors, devices and pipes, which are written directly
	 */
	int directory;
	char *target;
	char *temporary; /* its name until then; NULL: it has none */
};

#define WHOLE_FILE_MODE 0666 /* less the umask */

/*
 * Opens a file for @path; "-" is standard output. @path must stay valid. A file
 * of this user that it replaces keeps its mode; else the mode is @mode. A link,
 * or in a directory with the sticky bit a pipe, of another user is refused: who
 * may write to a directory could choose what root writes to, or read it.
 * Returns 0, or -errno after error().
 */
int whole_file_open(struct whole_file *file, const char *path, mode_t mode);

/* Gives the file its name, if all was written. -errno: it was dropped. */
int whole_file_commit(struct whole_file *file);

/*
 * The same for several files that belong together: none gets its name before
 * all of them are written, and the first gets it last. If one fails, the others
 * are dropped.
 */
int whole_files_commit(struct whole_file *const *files, size_t nr);

/* Drops a file that was not committed. */
void whole_file_discard(struct whole_file *file);

/* As whole_file_open(), of stdout, which NULL and "-" leave as it is. */
int whole_file_begin(struct whole_file *file, const char *path);

/*
 * Ends whole_file_begin(). @status is the exit status so far: if it is negative
 * (the output is incomplete), or nothing was written after an error, the file
 * is dropped. Returns the exit status.
 */
int whole_file_end(struct whole_file *file, int status);
