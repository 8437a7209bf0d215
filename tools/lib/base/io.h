/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* read(2) and write(2) that continue after signals and on full pipes. */
#pragma once

#include "base/std.h"

/* Reads up to @size bytes: fewer at the end of @fd. Returns -errno on error. */
ssize_t io_read(int fd, void *data, size_t size);

/* The same at @offset of a file, whose position stays. */
ssize_t io_read_at(int fd, void *data, size_t size, uint64_t offset);

/* Writes all @size bytes. Returns 0 or -errno. */
int io_write(int fd, const void *data, size_t size);

/* Makes a new file without a name. Returns a descriptor or -errno. */
int io_temporary(void);

/*
 * The same, if possible in the directory of the file @fd: /tmp may be small, or
 * in memory.
 */
int io_temporary_beside(int fd);

/* Lines of text files with arbitrary contents. */

/* Fits a line with the longest name of a jitdump. */
#define LINE_ROOM 8192

/* Reads the next line without its newline; truncates one that is too long. */
static inline bool line_next(FILE *file, char line[LINE_ROOM])
{
	char *last = &line[LINE_ROOM - 1];
	int c;

	/* fgets() overwrites this with 0 if it fills the buffer. */
	*last = '\n';
	if (!fgets(line, LINE_ROOM, file))
		return false;
	if (!*last && last[-1] != '\n')
		do
			c = getc_unlocked(file);
		while (c != EOF && c != '\n');
	line[strcspn(line, "\n")] = '\0';
	return true;
}
