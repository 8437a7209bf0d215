// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "system.h"
#include "base/io.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>

static int format_path(char *path, const char *fmt, va_list args)
{
	int len = vsnprintf(path, PATH_MAX, fmt, args);

	return len < 0 || len >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* A sysfs file comes in one read(2), a procfs one may need several. */
static int read_trimmed(int fd, char *buf, size_t size)
{
	ssize_t len = io_read(fd, buf, size);

	if (len < 0)
		return len;
	if ((size_t)len == size)
		return -EFBIG;
	while (len && isspace((unsigned char)buf[len - 1]))
		len--;
	buf[len] = '\0';
	return len;
}

static int read_text(char *buf, size_t size, const char *fmt, va_list args)
{
	char path[PATH_MAX];
	int fd, ret;

	buf[0] = '\0';
	ret = format_path(path, fmt, args);
	if (ret)
		return ret;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = read_trimmed(fd, buf, size);
	if (ret < 0)
		buf[0] = '\0';
	close(fd);
	return ret;
}

int sysfs_read(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = read_text(buf, size, fmt, args);
	va_end(args);
	return ret;
}

int sysfs_number(uint64_t *value, const char *fmt, ...)
{
	char text[64];
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = read_text(text, sizeof(text), fmt, args);
	va_end(args);
	if (ret < 0)
		return ret;
	*value = strtoull(text, NULL, 0);
	return 0;
}

uint64_t sysfs_midr(const char *folder, int cpu)
{
	uint64_t midr = 0;

	sysfs_number(&midr, "%s/cpu%d/regs/identification/midr_el1", folder,
		     cpu);
	return midr;
}

int sysfs_write(const char *text, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int fd, ret;

	va_start(args, fmt);
	ret = format_path(path, fmt, args);
	va_end(args);
	if (ret)
		return ret;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int sysfs_link_name(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *name;
	va_list args;
	ssize_t len;
	int ret;

	va_start(args, fmt);
	ret = format_path(path, fmt, args);
	va_end(args);
	if (ret)
		return ret;
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return -errno;
	target[len] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	ret = snprintf(buf, size, "%s", name);
	return ret >= (int)size ? -ENAMETOOLONG : ret;
}
