// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "jit_open.h"
#include "input/regular.h"

#include <fcntl.h>
#include <unistd.h>

int jit_open(const char *path, struct stat *st, FILE **file)
{
	int fd = regular_open(path, O_NOFOLLOW, st);

	if (fd >= 0 && st->st_uid && st->st_uid != geteuid()) {
		close(fd);
		fd = -1;
	}
	return regular_stream(fd, file);
}
