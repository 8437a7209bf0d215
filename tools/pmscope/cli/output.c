// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"
#include "cli/cli.h"

#define FIRST_SIZE ((size_t)1 << 17)

/* errno of a failed write to stdout; only one thread writes at a time. */
static int write_error;

static void flush(struct output *out)
{
	if (out->used && !out->failed &&
	    fwrite(out->buffer, 1, out->used, stdout) != out->used) {
		write_error = errno;
		out->failed = true;
	}
	out->used = 0;
}

static char *more_room(struct output *out, size_t size)
{
	size_t wanted = out->used + size;
	char *buffer;

	wanted = MAX(wanted, 2 * out->size);
	wanted = MAX(wanted, FIRST_SIZE);
	buffer = realloc(out->buffer, wanted);
	if (!buffer) {
		out->failed = true;
		return NULL;
	}
	out->buffer = buffer;
	out->size = wanted;
	return buffer + out->used;
}

char *output_more(struct output *out, size_t size)
{
	if (!out->held)
		flush(out);
	if (size <= out->size - out->used)
		return out->buffer + out->used;
	return more_room(out, size);
}

void output_hold(struct output *out)
{
	out->held = true;
}

bool output_pass(struct output *out, struct output *held)
{
	if (held->used)
		flush(out);
	held->failed |= out->failed;
	flush(held);
	out->failed |= held->failed;
	return out->failed;
}

void output_free(struct output *out)
{
	free(out->buffer);
}

int output_finish(struct output *out)
{
	flush(out);
	output_free(out);
	if (!out->failed)
		return output_written();
	if (write_error)
		error("standard output: %s", strerror(write_error));
	else
		error("out of memory");
	return -EIO;
}

int output_written(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	error("standard output: %s", strerror(errno));
	return -EIO;
}

int output_close(FILE *file)
{
	int err = 0;

	errno = EIO;
	if (fflush(file) || ferror(file))
		err = errno;
	if (file != stdout && file != stderr && fclose(file) && !err)
		err = errno;
	return -err;
}

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
