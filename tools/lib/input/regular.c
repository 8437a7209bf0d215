// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

bool regular_is(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static int check(const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return 0;
	return S_ISDIR(st->st_mode) ? -EISDIR : -ENOENT;
}

int regular_open(const char *path, int flags, struct stat *st)
{
	int ret = stat(path, st) ? -errno : check(st), fd;

	if (ret)
		return ret;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	if (fd < 0)
		return -errno;
	/* It may be another one by now. */
	ret = fstat(fd, st) ? -errno : check(st);
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

int regular_map(int fd, const uint8_t **data, size_t *size)
{
	struct stat st;
	void *bytes;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EISDIR;
	*data = NULL;
	*size = st.st_size;
	if (!*size)
		return 0;
	bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	*data = bytes;
	return 0;
}

void regular_unmap(const uint8_t *data, size_t size)
{
	if (data)
		munmap((void *)data, size);
}

int regular_stream(int fd, FILE **file)
{
	*file = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (*file || fd < 0)
		return 0;
	close(fd);
	return -ENOMEM;
}
