// SPDX-License-Identifier: GPL-2.0-or-later
#include "output.h"
#include "message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE ((size_t)1 << 17)

static void flush(struct output *out)
{
	if (out->used && !out->failed &&
	    fwrite(out->buffer, 1, out->used, stdout) != out->used)
		out->failed = true;
	out->used = 0;
}

char *output_reserve(struct output *out, size_t size)
{
	size_t wanted = size > FIRST_SIZE ? size : FIRST_SIZE;

	if (size <= out->size - out->used)
		return out->buffer + out->used;
	flush(out);
	if (size > out->size) {
		free(out->buffer);
		out->buffer = malloc(wanted);
		out->size = out->buffer ? wanted : 0;
	}
	if (!out->buffer)
		out->failed = true;
	return out->buffer;
}

void output_commit(struct output *out, const char *end)
{
	out->used = end - out->buffer;
}

int output_finish(struct output *out)
{
	flush(out);
	free(out->buffer);
	if (fflush(stdout))
		out->failed = true;
	if (!out->failed)
		return 0;
	error("standard output: %s", strerror(errno));
	return -EIO;
}
