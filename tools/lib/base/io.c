// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "io.h"

#include <poll.h>

int io_write(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= n;
	}
	return 0;
}

/* A non-blocking descriptor: wait until there is something to read. */
static bool wait_for(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && flags & O_NONBLOCK &&
	       (poll(&poll_fd, 1, -1) >= 0 || errno == EINTR);
}

ssize_t io_read(int fd, void *data, size_t size)
{
	char *bytes = data;
	size_t at = 0;

	while (at < size) {
		ssize_t n = read(fd, bytes + at, size - at);

		if (n < 0 &&
		    (errno == EINTR || (errno == EAGAIN && wait_for(fd))))
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		at += n;
	}
	return at;
}

ssize_t io_read_at(int fd, void *data, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size && offset + done <= INT64_MAX) {
		ssize_t n = pread(fd, (char *)data + done, size - done,
				  offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return done;
}

static int temporary_in(const char *dir)
{
	char path[PATH_MAX + sizeof("/pmscope-XXXXXX")];
	int fd;

	snprintf(path, sizeof(path), "%s/pmscope-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

int io_temporary(void)
{
	const char *dir = getenv("TMPDIR");

	return temporary_in(dir && *dir ? dir : "/tmp");
}

int io_temporary_beside(int fd)
{
	char name[sizeof("/proc/self/fd/2147483647")], path[PATH_MAX], *end;
	ssize_t n;
	int ret;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	end = strrchr(path, '/');
	if (!end)
		return io_temporary();
	*end = '\0';
	/* A killed program leaves no file if it never has a name. */
	ret = open(end == path ? "/" : path, O_TMPFILE | O_RDWR | O_CLOEXEC,
		   0600);
	if (ret < 0)
		ret = temporary_in(path);
	return ret < 0 ? io_temporary() : ret;
}
