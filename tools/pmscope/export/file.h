/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that appears under its name only when it is whole: it is written under
 * a temporary name beside it.
 */
#ifndef PMSCOPE_EXPORT_FILE_H
#define PMSCOPE_EXPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Zeroed: no file. */
struct export_file {
	FILE *out;
	const char *path;
	char *temporary; /* NULL: standard output */
};

/*
 * Opens a file for @path; "-" is standard output. @path must stay valid.
 * Returns 0, or a negative errno after error().
 */
int export_file_open(struct export_file *file, const char *path);

/*
 * Gives the file its name, unless writing failed. Returns 0, or a negative
 * errno after error(); the file is then removed.
 */
int export_file_commit(struct export_file *file);

/* Removes a file that was not committed. */
void export_file_discard(struct export_file *file);

#endif /* PMSCOPE_EXPORT_FILE_H */
