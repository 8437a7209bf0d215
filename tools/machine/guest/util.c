// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Say why on the kernel's console and stop.  No status is written then, so the
 * host knows that the machine failed and shows the console.
 */
void die(const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int console;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	console = open("/dev/console", O_WRONLY | O_NOCTTY);
	dprintf(console < 0 ? STDERR_FILENO : console, "pmscope init: %s: %s\n",
		text, strerror(errno));
	power_off();
}

void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}

/* Reads a whole file and appends a NUL; NULL and errno if it cannot be read. */
char *read_file(const char *path, size_t *len)
{
	size_t size = 0, room = 4096;
	char *data = malloc(room), *more;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	while (data && fd >= 0) {
		n = read(fd, data + size, room - size - 1);
		if (n <= 0)
			break;
		size += n;
		if (size < room - 1)
			continue;
		room *= 2;
		more = realloc(data, room);
		if (!more)
			break;
		data = more;
	}
	if (fd >= 0)
		close(fd);
	if (n) {
		free(data);
		return NULL;
	}
	data[size] = '\0';
	if (len)
		*len = size;
	return data;
}

bool write_all(int fd, const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len) {
		n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= n;
	}
	return true;
}

bool write_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool ok;

	if (fd < 0)
		return false;
	ok = write_all(fd, data, len);
	return close(fd) == 0 && ok;
}

/* The kernel hands NAME=1 of its command line to init as environment. */
bool has_flag(const char *name)
{
	const char *value = getenv(name);

	return value && !strcmp(value, "1");
}

/*
 * Devices come in no certain order, and there is no udev that would know their
 * names: looks for the one in @folder whose @file has the name.
 */
bool find_device(const char *folder, const char *file, const char *name,
		 char *dev, size_t size)
{
	DIR *dir = opendir(folder);
	char path[300], *found;
	struct dirent *entry;
	bool same = false;

	while (dir && !same && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/%s", folder, entry->d_name,
			 file);
		found = read_file(path, NULL);
		same = found && !strcmp(strtok(found, "\n") ?: "", name);
		free(found);
		if (same)
			snprintf(dev, size, "/dev/%s", entry->d_name);
	}
	closedir(dir);
	return same;
}
