// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/whole_file.h"
#include "cli/message.h"
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FILE "/proc/self/fd/%d"
#define MODE	  0666

static int fail(const struct whole_file *file, int ret)
{
	if (ret)
		error("%s: %s", file->path, strerror(-ret));
	return ret;
}

/* A name beside the file, for as long as it takes to rename it. */
static int set_temporary(struct whole_file *file)
{
	if (asprintf(&file->temporary, "%s.%d.tmp", file->target,
		     (int)getpid()) >= 0)
		return 0;
	file->temporary = NULL;
	return -ENOMEM;
}

static void forget_temporary(struct whole_file *file)
{
	free(file->temporary);
	file->temporary = NULL;
}

/* A descriptor of a file without a name in the directory; -errno. */
static int open_nameless(const char *target)
{
	char *path = strdup(target);
	int fd;

	if (!path)
		return -ENOMEM;
	fd = open(dirname(path), O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE);
	if (fd < 0)
		fd = -errno;
	free(path);
	return fd;
}

/*
 * A file without a name, so that nothing stays after an interrupt; or, where
 * the file system has none, with a temporary one.
 */
static int open_new(struct whole_file *file)
{
	int fd = open_nameless(file->target), ret;

	if (fd >= 0)
		return fd;
	ret = set_temporary(file);
	if (ret)
		return ret;
	fd = open(file->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
		  MODE);
	if (fd >= 0)
		return fd;
	ret = -errno;
	forget_temporary(file);
	return ret;
}

/* Devices and pipes have no contents to replace. */
static int open_any(struct whole_file *file)
{
	struct stat st;
	bool exists = !stat(file->path, &st);
	int fd;

	if (exists && !S_ISREG(st.st_mode)) {
		fd = open(file->path, O_WRONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	/* The file is replaced, not a link to it. */
	file->target = exists ? realpath(file->path, NULL) : strdup(file->path);
	return file->target ? open_new(file) : -errno;
}

int whole_file_open(struct whole_file *file, const char *path)
{
	int fd;

	*file = (struct whole_file){.path = path};
	if (!strcmp(path, "-")) {
		file->out = stdout;
		return 0;
	}
	fd = open_any(file);
	if (fd >= 0)
		file->out = fdopen(fd, "w");
	if (file->out)
		return 0;
	if (fd >= 0) {
		close(fd);
		fd = -ENOMEM;
	}
	fail(file, fd);
	whole_file_discard(file);
	return fd;
}

/* Gives the file, open as @fd, its name. */
static int set_name(struct whole_file *file, int fd)
{
	char open_file[sizeof(OPEN_FILE) + 16];
	int ret;

	if (!file->temporary) {
		ret = set_temporary(file);
		if (ret)
			return ret;
		snprintf(open_file, sizeof(open_file), OPEN_FILE, fd);
		if (linkat(AT_FDCWD, open_file, AT_FDCWD, file->temporary,
			   AT_SYMLINK_FOLLOW)) {
			ret = -errno;
			forget_temporary(file); /* it may be another's */
			return ret;
		}
	}
	if (rename(file->temporary, file->target))
		return -errno;
	forget_temporary(file);
	return 0;
}

int whole_file_commit(struct whole_file *file)
{
	int fd = file->target ? dup(fileno(file->out)) : -1;
	int ret = output_close(file->out);

	file->out = NULL;
	if (!ret && file->target)
		ret = fd < 0 ? -EMFILE : set_name(file, fd);
	if (fd >= 0)
		close(fd);
	fail(file, ret);
	whole_file_discard(file);
	return ret;
}

void whole_file_discard(struct whole_file *file)
{
	if (file->out && file->out != stdout)
		fclose(file->out);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->target);
	*file = (struct whole_file){};
}

int whole_file_begin(struct whole_file *file, const char *path)
{
	int ret;

	if (!path || !strcmp(path, "-"))
		return 0;
	ret = whole_file_open(file, path);
	if (!ret && dup2(fileno(file->out), STDOUT_FILENO) < 0) {
		ret = fail(file, -errno);
		whole_file_discard(file);
	}
	return ret;
}

int whole_file_end(struct whole_file *file, int status)
{
	struct stat st;

	if (!file->path)
		return status < 0 ? 1 : status;
	if (output_written() || fstat(fileno(file->out), &st))
		status = -1;
	if (status >= 0 && (!status || !file->target || st.st_size))
		return whole_file_commit(file) ? 1 : status;
	whole_file_discard(file);
	return status < 0 ? 1 : status;
}
