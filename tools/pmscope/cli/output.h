/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects output in memory and writes it to stdout in large pieces. */
#ifndef PMSCOPE_CLI_OUTPUT_H
#define PMSCOPE_CLI_OUTPUT_H

#include "cli/lines.h"

#include <stdio.h>

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

#endif /* PMSCOPE_CLI_OUTPUT_H */
