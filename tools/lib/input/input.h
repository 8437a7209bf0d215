/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What the kinds of input share. */
#ifndef PMSCOPE_INPUT_INPUT_H
#define PMSCOPE_INPUT_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* A new file without a name; a descriptor or -errno. */
int input_temporary(void);

/* All of it, or -errno. */
int input_write(int fd, const void *data, size_t size);

/*
 * Joins the files of `perf record --threads`: @fd is the directory. Returns a
 * descriptor of one perf.data, or -errno: -EISDIR for another directory. What
 * is missing from it is told in @error, of @size bytes, which is to be empty.
 */
int input_join(int fd, char *error, size_t size);

#endif /* PMSCOPE_INPUT_INPUT_H */
