/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_BASE_REGULAR_H
#define PMSCOPE_BASE_REGULAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

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

/*
 * Maps the whole file @fd; @data is NULL for an empty file. Returns 0 or
 * -errno: -EISDIR if it is not a regular file.
 */
int regular_map(int fd, const uint8_t **data, size_t *size);
void regular_unmap(const uint8_t *data, size_t size);

/*
 * Makes @file a stream of @fd; NULL of -1, and where memory is short, which
 * closes @fd. Returns 0 or -ENOMEM.
 */
int regular_stream(int fd, FILE **file);

#endif /* PMSCOPE_BASE_REGULAR_H */
