/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Shared by the kinds of input. */
#ifndef PMSCOPE_INPUT_INPUT_H
#define PMSCOPE_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * Joins the files of `perf record --threads`: @fd is the directory. Returns a
 * descriptor of one perf.data, or -errno: -EISDIR for any other directory.
 * @error, of @size bytes and initially empty, names what is missing.
 */
int input_join(int fd, char *error, size_t size);

#endif /* PMSCOPE_INPUT_INPUT_H */
