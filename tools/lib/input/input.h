/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Shared by the kinds of input. */
#pragma once

#include "base/std.h"

struct pmscope_input;

/*
 * Recognizes a kind of input by its first 16 bytes, or fewer if it is shorter.
 */
typedef bool input_is(const uint8_t *data, size_t size);

/*
 * Like pmscope_input_open(), but reads only these first bytes of a stream of
 * another kind, which may be endless. @is may be NULL: any kind.
 */
struct pmscope_input *input_open_kind(const char *path, input_is *is);

/*
 * The same, but of a pipe for which @is_stream is true only the first bytes are
 * read. input_is_stream() tells; input_more() adds some of the rest to the
 * data, as the option more of a recording does; input_done() gives back the
 * memory of all before @offset.
 */
struct pmscope_input *input_open_stream(const char *path, input_is *is,
					input_is *is_stream);
bool input_is_stream(const struct pmscope_input *input);
ssize_t input_more(struct pmscope_input *input);
void input_done(struct pmscope_input *input, size_t offset);

/*
 * Copies a stream, of which nothing was given back yet, to a file: then it is
 * an input like any other. Returns 0 or -errno; -EOVERFLOW for more than 16
 * GiB.
 */
int input_keep(struct pmscope_input *input);

/*
 * Joins the files of `perf record --threads`: @fd is the directory. Returns a
 * descriptor of one perf.data, or -errno: -EISDIR for any other directory.
 * @error, of @size bytes and initially empty, names what is missing.
 */
int input_join(int fd, char *error, size_t size);

/*
 * Does the data begin as that of zstd(1)? Decompresses @from, of which @head
 * has been read, to @to. Returns 0 or -errno of reading or writing; @error
 * tells what is damaged, and @to has what comes before that.
 */
bool input_is_packed(const void *head, size_t size);
int input_unpack(int from, int to, const void *head, size_t size, input_is *is,
		 char *error, size_t error_size);
