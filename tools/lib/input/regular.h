/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_INPUT_REGULAR_H
#define PMSCOPE_INPUT_REGULAR_H

#include <stdio.h>
#include <sys/stat.h>

/*
 * Opens the file at @path to read it; @flags as of open(2). Devices and pipes
 * are refused, without being opened: that may take forever. Returns a file
 * descriptor or -1.
 */
int regular_open(const char *path, int flags, struct stat *st);

/* A stream of @fd, which is closed when there is none, and may be -1. */
FILE *regular_stream(int fd);

#endif /* PMSCOPE_INPUT_REGULAR_H */
