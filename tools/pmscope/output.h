/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines put together in memory and written to stdout in large pieces. */
#ifndef PMSCOPE_OUTPUT_H
#define PMSCOPE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Zeros are an output nothing was written to. */
struct output {
	char *buffer;
	size_t used;
	size_t size;
	bool failed; /* a write failed: what follows is dropped */
};

/* Where up to @size bytes may be written; NULL when memory is short. */
char *output_reserve(struct output *out, size_t size);

/* The text reserved last ends at @end. */
void output_commit(struct output *out, const char *end);

/* Writes what is left and frees it. Returns 0, or -EIO after error(). */
int output_finish(struct output *out);

#endif /* PMSCOPE_OUTPUT_H */
