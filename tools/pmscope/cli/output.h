/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines put together in memory and written to stdout in large pieces. */
#ifndef PMSCOPE_CLI_OUTPUT_H
#define PMSCOPE_CLI_OUTPUT_H

#include "cli/lines.h"

#include <stdio.h>

/* Zeros are an output nothing was written to. */
struct output {
	struct lines *lines; /* of its rows, where somebody wants to know */
	char *buffer;
	size_t used;
	size_t size;
	bool held;   /* nothing is written before output_pass() */
	bool failed; /* a write, or memory, did: what follows is dropped */
};

/* Makes the room that output_reserve() has not. */
char *output_more(struct output *out, size_t size);

/* Where up to @size bytes may be written; NULL when memory is short. */
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

/* Writes what @held has behind what @out has. False when all is well. */
bool output_pass(struct output *out, struct output *held);

void output_free(struct output *out);

/* Writes what is left and frees it. Returns 0, or -EIO after error(). */
int output_finish(struct output *out);

/* Is all of stdout where it belongs? Returns 0, or -EIO after error(). */
int output_written(void);

/*
 * Writes out what @file buffers, and closes it if it is none of the standard
 * ones. Returns 0 or -errno, -EIO where it was an earlier write that failed.
 */
int output_close(FILE *file);

#endif /* PMSCOPE_CLI_OUTPUT_H */
