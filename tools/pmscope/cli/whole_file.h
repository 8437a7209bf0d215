/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output to a file that appears under its name only when all of it is written.
 * An older file of that name stays until then, and stays after a failure.
 */
#ifndef PMSCOPE_CLI_WHOLE_FILE_H
#define PMSCOPE_CLI_WHOLE_FILE_H

#include <limits.h>

/**
 * struct whole_file - starts as zeros
 * @path: of the file; "" for standard output
 * @fd: the new file, which has no name or that in @temporary; stdout writes to
 *	it, too
 */
struct whole_file {
	char path[PATH_MAX];
	char temporary[PATH_MAX];
	int fd;
};

/*
 * Lets stdout write to a new file for @path; NULL and "-" leave stdout as it
 * is, and devices and pipes are written directly. Returns 0, or -errno after
 * error().
 */
int whole_file_begin(struct whole_file *file, const char *path);

/*
 * Gives the file its name. @status is the exit status so far: if it is negative
 * (the output is incomplete), or nothing was written after an error, the file
 * is dropped. Returns the exit status.
 */
int whole_file_end(struct whole_file *file, int status);

#endif /* PMSCOPE_CLI_WHOLE_FILE_H */
