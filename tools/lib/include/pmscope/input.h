/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Files and pipes as bytes in memory: a file is mapped. Anything that cannot be
 * mapped (a pipe, a file that zstd(1) compressed, or the files in the directory
 * of `perf record --threads`, which are joined) is first copied to an unnamed
 * temporary file in $TMPDIR or /tmp, because a recording is read twice:
 * side-band events may follow the trace they explain. If a mapped file is
 * truncated, reading past its end raises SIGBUS, as with any mmap(2). Any
 * number of threads may read the data.
 */
#ifndef PMSCOPE_INPUT_H
#define PMSCOPE_INPUT_H

#include <pmscope/api.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmscope_input;

/**
 * pmscope_input_open() - open a file, or standard input
 * @path: the file; "-" is what is left of standard input, "/dev/fd/N" the file
 *	  or the pipe of descriptor N. Bytes in memory need no input: all that
 *	  reads takes them as they are
 * @input: the new input; NULL on an error
 *
 * An input of no bytes is valid.
 *
 * Return: 0; the error of open(2), read(2) or mmap(2); -EISDIR for a directory
 * that is no recording; -EOVERFLOW for a pipe of more than 16 GiB, see the
 * option more of a recording.
 */
PMSCOPE_API int pmscope_input_open(const char *path,
				   struct pmscope_input **input);
PMSCOPE_API void pmscope_input_free(struct pmscope_input *input);

/**
 * pmscope_input_release() - give back the memory of what was read
 *
 * Its data stays where it is and comes back from the file when it is read
 * again: so a file of any size is read with little memory. Others may be
 * reading it meanwhile.
 */
PMSCOPE_API void pmscope_input_release(const struct pmscope_input *input);

/* Valid until pmscope_input_free(); NULL if the input is empty. */
PMSCOPE_API const uint8_t *
pmscope_input_data(const struct pmscope_input *input);
PMSCOPE_API size_t pmscope_input_size(const struct pmscope_input *input);

/*
 * Names the file of a directory that is missing, unreadable or damaged, or the
 * offset at which compressed data is damaged, or expands to more than 100 times
 * its size, in one line; "" if there is none, or for any other input. The data
 * has the contents of the others, and everything before the damage.
 */
PMSCOPE_API const char *pmscope_input_error(const struct pmscope_input *input);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_INPUT_H */
