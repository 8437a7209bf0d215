// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "regular.h"

#include <fcntl.h>
#include <unistd.h>

int regular_open(const char *path, int flags, struct stat *st)
{
	int fd;

	if (stat(path, st) || !S_ISREG(st->st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	/* It may be another one by now. */
	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

FILE *regular_stream(int fd)
{
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (!file && fd >= 0)
		close(fd);
	return file;
}
