/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "std.h"

/* read(2) and write(2) that continue after signals and on full pipes. */

/* Reads up to @size bytes: fewer at the end of @fd. Returns -errno on error. */
ssize_t io_read(int fd, void *data, size_t size);

/* The same at @offset of a file, whose position stays. */
ssize_t io_read_at(int fd, void *data, size_t size, uint64_t offset);

/* Writes all @size bytes. Returns 0 or -errno. */
int io_write(int fd, const void *data, size_t size);

/* Makes a new file without a name. Returns a descriptor or -errno. */
int io_temporary(void);

/* The same, if possible beside the file @fd: /tmp may be small, or memory. */
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

/*
 * Opens the file at @path for reading; @flags are 0 or O_NOFOLLOW. Devices,
 * pipes and kernel files (proc, sysfs, tracefs, ...) are refused without
 * opening them, because that could block or have effects. Returns a file
 * descriptor or -errno: -EISDIR for a directory, -ENOENT for anything else that
 * is not a regular file. @st is unchanged if it is unknown what is there.
 */
int regular_open(const char *path, int flags, struct stat *st);

/* The same, relative to @dir as in openat(2). */
int regular_open_at(int dir, const char *path, int flags, struct stat *st);

/* The most links of one path, as the kernel has it. */
#define REGULAR_LINKS 40

/* Others may have put files there: only root's and the user's are trusted. */
bool regular_is_trusted(const struct stat *st);

/*
 * Reads the link that is open as @fd, with O_PATH and O_NOFOLLOW. Returns its
 * length; 0 if it is no link; or -errno: -EXDEV if it is another user's.
 */
int regular_link(int fd, char target[PATH_MAX]);

/* Is it a link such as /proc/PID/root, which only the kernel can follow? */
bool regular_is_magic(int fd);

/*
 * As regular_open(); -EXDEV if @path goes through a link of another user, who
 * could let it lead to a file that he may not read. Below /proc/PID/root,
 * absolute links are the container's. With @force, any link is followed.
 */
int regular_open_trusted(const char *path, bool force, struct stat *st);

/*
 * As regular_open_trusted(), for a file that others may have made: -ELOOP if it
 * is a link, and -EXDEV if it is another user's, or has more names. With
 * @force, it may be anybody's.
 */
int regular_open_own(const char *path, bool force, struct stat *st);

/* Maps all of @fd; NULL for an empty file. -EISDIR: not a regular file. */
int regular_map(int fd, const uint8_t **data, size_t *size);
void regular_unmap(const uint8_t *data, size_t size);

/*
 * Makes @file a stream of @fd; NULL of -1, and where memory is short, which
 * closes @fd. Returns 0 or -ENOMEM.
 */
int regular_stream(int fd, FILE **file);
