/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that appears under its name only when all of it is written. An older
 * file of that name stays until then, and stays after a failure. Where the file
 * system needs a temporary name before that, signals that end the program
 * remove it.
 */
#pragma once

#include "base/std.h"

/**
 * struct whole_file - starts as zeros
 * @out: what is written to it
 * @path: the name that the user gave
 * @directory: of the file that it will replace, and @target, its name there;
 *	       NULL for open descriptors, devices and pipes, which are written
 *	       directly
 * @temporary: its name until then; NULL: it has none
 */
struct whole_file {
	FILE *out;
	const char *path;
	int directory;
	char *target;
	char *temporary;
};

#define WHOLE_FILE_MODE 0666 /* less the umask */

/*
 * Opens a file for @path; "-" is standard output. @path must stay valid. A file
 * of this user that it replaces keeps its mode; else the mode is @mode. A link,
 * or in a directory with the sticky bit a pipe, of another user is refused: who
 * may write to a directory could choose what root writes to, or read it.
 * Returns 0, or -errno after error().
 */
int whole_file_open(struct whole_file *file, const char *path, mode_t mode);

/*
 * Gives the file its name, unless writing failed. Returns 0, or -errno after
 * error(); the file is then dropped.
 */
int whole_file_commit(struct whole_file *file);

/*
 * The same for several files that belong together: none gets its name before
 * all of them are written, and the first gets it last. If one fails, the others
 * are dropped.
 */
int whole_files_commit(struct whole_file *const *files, size_t nr);

/* Drops a file that was not committed. */
void whole_file_discard(struct whole_file *file);

/*
 * As whole_file_open(), and lets stdout write to the file. NULL and "-" leave
 * stdout as it is.
 */
int whole_file_begin(struct whole_file *file, const char *path);

/*
 * Ends whole_file_begin(). @status is the exit status so far: if it is negative
 * (the output is incomplete), or nothing was written after an error, the file
 * is dropped. Returns the exit status.
 */
int whole_file_end(struct whole_file *file, int status);
