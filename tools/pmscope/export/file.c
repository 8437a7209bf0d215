// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/file.h"
#include "cli/message.h"
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".XXXXXX.tmp"

/* mkstemps() makes files that only the user can read. */
static int set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) ? -errno : 0;
}

/* Returns a descriptor or -errno. */
static int open_temporary(struct export_file *file, const char *path)
{
	int fd, ret;

	if (asprintf(&file->temporary, "%s" SUFFIX, path) < 0) {
		file->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkstemps(file->temporary, strlen(".tmp"));
	if (fd >= 0) {
		ret = set_mode(fd);
		if (!ret)
			return fd;
		unlink(file->temporary);
		close(fd);
	} else {
		ret = -errno;
	}
	free(file->temporary);
	file->temporary = NULL;
	return ret;
}

/* A name that a file cannot take at the end is refused at once. */
static int path_check(const char *path)
{
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return -EISDIR;
	return 0;
}

/* Devices and pipes are written to as they are: they have no temporary name. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int export_file_open(struct export_file *file, const char *path)
{
	int fd = -1, ret = path_check(path);

	*file = (struct export_file){.path = path};
	if (!strcmp(path, "-")) {
		file->out = stdout;
		return 0;
	}
	if (!ret && is_special(path)) {
		file->out = fopen(path, "we");
		ret = file->out ? 0 : -errno;
	} else if (!ret) {
		fd = open_temporary(file, path);
		ret = fd < 0 ? fd : 0;
	}
	if (!ret && !file->out) {
		file->out = fdopen(fd, "w");
		ret = file->out ? 0 : -ENOMEM;
	}
	if (ret)
		error("%s: %s", path, strerror(-ret));
	return ret;
}

int export_file_commit(struct export_file *file)
{
	int ret = output_close(file->out);

	file->out = NULL;
	if (!ret && file->temporary && rename(file->temporary, file->path))
		ret = -errno;
	if (ret) {
		error("%s: %s", file->path, strerror(-ret));
		export_file_discard(file);
		return ret;
	}
	free(file->temporary);
	file->temporary = NULL;
	return 0;
}

void export_file_discard(struct export_file *file)
{
	if (file->out && file->out != stdout)
		fclose(file->out);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	*file = (struct export_file){};
}
