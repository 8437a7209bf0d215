// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/whole_file.h"
#include "cli/message.h"
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FILE "/proc/self/fd/%d"
#define MODE	  0666

static int fail(const struct whole_file *file, int err)
{
	error("%s: %s", file->path, strerror(err));
	return -err;
}

/* A name beside the file, for as long as it takes to rename it. */
static int set_temporary(struct whole_file *file)
{
	int length = snprintf(file->temporary, sizeof(file->temporary),
			      "%s.%d.tmp", file->path, (int)getpid());

	return length < (int)sizeof(file->temporary) ? 0 : -ENAMETOOLONG;
}

/*
 * A file without a name, so that nothing stays after an interrupt; or, where
 * the file system has none, with a temporary one.
 */
static int open_new(struct whole_file *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", file->path);
	file->fd = open(dirname(path), O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE);
	if (file->fd >= 0)
		return 0;
	if (set_temporary(file))
		return -ENAMETOOLONG;
	file->fd = open(file->temporary,
			O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, MODE);
	if (file->fd >= 0)
		return 0;
	*file->temporary = '\0';
	return -errno;
}

/* Devices and pipes have no contents to replace. */
static int open_other(struct whole_file *file)
{
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
	return file->fd < 0 ? -errno : 0;
}

int whole_file_begin(struct whole_file *file, const char *path)
{
	struct stat st;
	int ret;

	if (!path || !strcmp(path, "-"))
		return 0;
	if (snprintf(file->path, sizeof(file->path), "%s", path) >=
	    (int)sizeof(file->path))
		return fail(file, ENAMETOOLONG);
	/* The file is replaced, not a link to it. */
	if (!stat(path, &st) && S_ISREG(st.st_mode) &&
	    !realpath(path, file->path))
		return fail(file, errno);
	ret = !stat(path, &st) && !S_ISREG(st.st_mode) ? open_other(file)
						       : open_new(file);
	if (!ret && dup2(file->fd, STDOUT_FILENO) < 0)
		ret = -errno;
	return ret ? fail(file, -ret) : 0;
}

static int set_name(struct whole_file *file)
{
	char open_file[sizeof(OPEN_FILE) + 16];

	if (!*file->temporary) {
		snprintf(open_file, sizeof(open_file), OPEN_FILE, file->fd);
		if (set_temporary(file))
			return -ENAMETOOLONG;
		if (linkat(AT_FDCWD, open_file, AT_FDCWD, file->temporary,
			   AT_SYMLINK_FOLLOW))
			return -errno;
	}
	if (rename(file->temporary, file->path))
		return -errno;
	*file->temporary = '\0';
	return 0;
}

int whole_file_end(struct whole_file *file, int status)
{
	struct stat st;
	int ret = 0;

	if (!*file->path)
		return status < 0 ? 1 : status;
	if (output_written() || fstat(file->fd, &st))
		status = -1;
	else if (status >= 0 && S_ISREG(st.st_mode) && (st.st_size || !status))
		ret = set_name(file);
	if (*file->temporary)
		unlink(file->temporary);
	close(file->fd);
	if (ret)
		fail(file, -ret);
	return ret || status < 0 ? 1 : status;
}
