// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/whole_file.h"
#include "cli/message.h"
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FILE "/proc/self/fd/%d"
#define MODE	  0666
#define NAMED_MAX 8  /* files with temporary names at once */
#define LINKS_MAX 40 /* as the kernel follows */

/* Signals that end the program, and with which no temporary file stays. */
static const int ending[] = {SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/* Temporary names that exist; a free one is empty. */
static char named[NAMED_MAX][PATH_MAX];

static void remove_named(int sig)
{
	for (size_t i = 0; i < NAMED_MAX; i++)
		if (*named[i])
			unlink(named[i]);
	raise(sig); /* by default, as soon as this returns */
}

/* Leaves signals alone that are ignored or that the command itself handles. */
static void watch_signals(void)
{
	static bool watching;
	struct sigaction action = {.sa_handler = remove_named,
				   .sa_flags = SA_RESETHAND};
	struct sigaction old;

	for (size_t i = 0; !watching && i < sizeof(ending) / sizeof(*ending);
	     i++)
		if (!sigaction(ending[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
	watching = true;
}

/* The first character comes last: a signal sees all of the name or none. */
static void remember(const char *name)
{
	size_t size = strlen(name) + 1;

	watch_signals();
	for (size_t i = 0; i < NAMED_MAX && size <= PATH_MAX; i++) {
		if (*named[i])
			continue;
		memcpy(named[i] + 1, name + 1, size - 1);
		__atomic_store_n(named[i], *name, __ATOMIC_RELEASE);
		return;
	}
}

static void forget(const char *name)
{
	for (size_t i = 0; i < NAMED_MAX; i++)
		if (!strcmp(named[i], name))
			*named[i] = '\0';
}

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
	if (file->temporary)
		forget(file->temporary);
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
	ret = -errno;
	if (fd >= 0)
		remember(file->temporary);
	else
		forget_temporary(file);
	return fd < 0 ? ret : fd;
}

/* The number in a path that names an open descriptor; -1: it names none. */
static int descriptor_of(const char *path)
{
	static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
	char *end;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < 2; i++) {
		size_t size = strlen(directories[i]);

		if (!strncmp(path, directories[i], size) && path[size]) {
			unsigned long fd = strtoul(path + size, &end, 10);

			return *end || fd > INT_MAX ? -1 : (int)fd;
		}
	}
	return -1;
}

/* @name, as a link at @path has it, as a path. NULL: no memory. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	char *joined;

	if (*name == '/' || !slash)
		return strdup(name);
	if (asprintf(&joined, "%.*s%s", (int)(slash + 1 - path), path, name) <
	    0)
		return NULL;
	return joined;
}

/* Where a file would be made that does not exist, through links to it. */
static char *path_of_new(const char *path)
{
	char *found = strdup(path), target[PATH_MAX];
	ssize_t size = 0;

	for (int i = 0; found && size >= 0; i++) {
		char *next;

		size = readlink(found, target, sizeof(target) - 1);
		if (size < 0)
			break;
		if (i == LINKS_MAX) {
			free(found);
			errno = ELOOP;
			return NULL;
		}
		target[size] = '\0';
		next = beside(found, target);
		free(found);
		found = next;
	}
	return found;
}

/* Devices, pipes and open descriptors have no contents to replace. */
static int open_any(struct whole_file *file)
{
	int fd = descriptor_of(file->path);
	struct stat st;
	bool exists;

	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	exists = !stat(file->path, &st);
	if (exists && !S_ISREG(st.st_mode)) {
		fd = open(file->path, O_WRONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	/* The file is replaced, not a link to it. */
	file->target =
		exists ? realpath(file->path, NULL) : path_of_new(file->path);
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

/* Gives the file, open as @fd, its temporary name. */
static int name_temporary(struct whole_file *file, int fd)
{
	char open_file[sizeof(OPEN_FILE) + 16];
	int ret;

	if (file->temporary)
		return 0;
	ret = set_temporary(file);
	if (ret)
		return ret;
	snprintf(open_file, sizeof(open_file), OPEN_FILE, fd);
	if (!linkat(AT_FDCWD, open_file, AT_FDCWD, file->temporary,
		    AT_SYMLINK_FOLLOW)) {
		remember(file->temporary);
		return 0;
	}
	ret = -errno;
	forget_temporary(file); /* it may be another's */
	return ret;
}

/* Writes the rest: after this, only its name can be wrong. */
static int finish(struct whole_file *file)
{
	int fd = file->target ? dup(fileno(file->out)) : -1;
	int ret = output_close(file->out);

	file->out = NULL;
	if (!ret && file->target)
		ret = fd < 0 ? -EMFILE : name_temporary(file, fd);
	if (fd >= 0)
		close(fd);
	return fail(file, ret);
}

static int set_name(struct whole_file *file)
{
	if (!file->target)
		return 0;
	if (rename(file->temporary, file->target))
		return fail(file, -errno);
	forget_temporary(file);
	return 0;
}

int whole_files_commit(struct whole_file *const *files, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = finish(files[i]);
	for (size_t i = nr; i-- > 0 && !ret;)
		ret = set_name(files[i]);
	for (size_t i = 0; i < nr; i++)
		whole_file_discard(files[i]);
	return ret;
}

int whole_file_commit(struct whole_file *file)
{
	return whole_files_commit(&file, 1);
}

void whole_file_discard(struct whole_file *file)
{
	if (file->out && file->out != stdout)
		fclose(file->out);
	if (file->temporary)
		unlink(file->temporary);
	forget_temporary(file);
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
