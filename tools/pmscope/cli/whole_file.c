// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"
#include "cli/cli.h"
#include "base/io.h"

#define OPEN_FILE "/proc/self/fd/%d"
#define NAMED_MAX 8 /* files with temporary names at once */

/* Signals that end the program, and with which no temporary file stays. */
static const int ending[] = {SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/* Temporary names that exist; a free one is empty. */
static struct {
	int directory;
	char name[NAME_MAX + 1];
} named[NAMED_MAX];

static void remove_named(int sig)
{
	for (size_t i = 0; i < NAMED_MAX; i++)
		if (*named[i].name)
			unlinkat(named[i].directory, named[i].name, 0);
	raise(sig); /* by default, as soon as this returns */
}

/* Leaves signals alone that are ignored or that the command itself handles. */
static void watch_signals(void)
{
	static bool watching;
	struct sigaction action = {.sa_handler = remove_named,
				   .sa_flags = SA_RESETHAND};
	struct sigaction old;

	for (size_t i = 0; !watching && i < ARRAY_SIZE(ending); i++)
		if (!sigaction(ending[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
	watching = true;
}

/* The first character comes last: a signal sees all of the name or none. */
static void remember(const struct whole_file *file)
{
	const char *name = file->temporary;
	size_t size = strlen(name) + 1;

	watch_signals();
	for (size_t i = 0; i < NAMED_MAX && size <= sizeof(named->name); i++) {
		if (*named[i].name)
			continue;
		named[i].directory = file->directory;
		memcpy(named[i].name + 1, name + 1, size - 1);
		__atomic_store_n(named[i].name, *name, __ATOMIC_RELEASE);
		return;
	}
}

static void forget(const struct whole_file *file)
{
	for (size_t i = 0; i < NAMED_MAX; i++)
		if (named[i].directory == file->directory &&
		    !strcmp(named[i].name, file->temporary))
			*named[i].name = '\0';
}

static int fail(const struct whole_file *file, int ret)
{
	if (ret)
		error("%s: %s%s", file->path,
		      ret == -EXDEV ? "another user's link or pipe is there; "
				      "remove it, or name another file"
				    : strerror(-ret),
		      ret == -ENOENT && strchr(file->path, '/')
			      ? "; its directory has to exist"
			      : "");
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
		forget(file);
	free(file->temporary);
	file->temporary = NULL;
}

/* Opens @name in @file's directory; with O_TMPFILE it is the directory. */
static int open_there(const struct whole_file *file, const char *name,
		      int flags, mode_t mode)
{
	int fd = openat(file->directory, name, flags | O_WRONLY | O_CLOEXEC,
			mode);

	return fd < 0 ? -errno : fd;
}

/*
 * A file without a name, so that nothing stays after an interrupt; or, where
 * the file system has none, with a temporary one.
 */
static int open_new(struct whole_file *file, mode_t mode)
{
	int fd = open_there(file, ".", O_TMPFILE, mode), ret;

	if (fd >= 0)
		return fd;
	ret = set_temporary(file);
	if (ret)
		return ret;
	fd = open_there(file, file->temporary, O_CREAT | O_EXCL, mode);
	if (fd >= 0)
		remember(file);
	else
		forget_temporary(file);
	return fd;
}

/* The mode of @old stays, or what of it its group allows if that changes. */
static int open_like(struct whole_file *file, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;
	struct stat st;
	int fd = open_new(file, 0600);

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && st.st_gid != old->st_gid &&
	    fchown(fd, -1, old->st_gid))
		mode &= ~070;
	if (!fchmod(fd, mode))
		return fd;
	close(fd);
	return -errno;
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

/*
 * Opens the directory that @path names and sets the target to the name in it.
 * The kernel follows links to the directory, with its checks.
 */
static int open_directory(struct whole_file *file, const char *path)
{
	const char *name = strrchr(path, '/');
	char directory[PATH_MAX];
	int at = file->directory;

	name = name ? name + 1 : path;
	free(file->target);
	file->target = NULL;
	if (snprintf(directory, sizeof(directory), "%.*s.", (int)(name - path),
		     path) >= (int)sizeof(directory))
		return -ENAMETOOLONG;
	file->directory = openat(at, directory, O_PATH | O_CLOEXEC);
	close_open(&at);
	if (file->directory < 0)
		return -errno;
	file->target = strdup(name);
	return file->target ? 0 : -ENOMEM;
}

/*
 * Finds what @path names, through links that may be followed: it is replaced,
 * not a link to it. Returns a descriptor opened with O_PATH; -ENOENT if a file
 * can be made there.
 */
static int find(struct whole_file *file, const char *path)
{
	char link[PATH_MAX];
	int fd, ret = open_directory(file, path);

	for (int i = 0; !ret; i++) {
		fd = openat(file->directory, *file->target ? file->target : ".",
			    O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		ret = regular_link(fd, link);
		if (ret > 0 && regular_is_magic(fd) && *link != '/') {
			close(fd);
			fd = openat(file->directory, file->target,
				    O_PATH | O_CLOEXEC);
			return fd < 0 ? -errno : fd;
		}
		if (!ret)
			return fd;
		close(fd);
		if (ret > 0)
			ret = i == REGULAR_LINKS ? -ELOOP
						 : open_directory(file, link);
	}
	return ret;
}

/* Devices and pipes have no contents to replace. */
static int open_device(struct whole_file *file, int found,
		       const struct stat *st)
{
	char path[sizeof(OPEN_FILE) + 16];
	struct stat directory;
	int fd;

	if (fstat(file->directory, &directory))
		return -errno;
	free(file->target);
	file->target = NULL;
	if (S_ISFIFO(st->st_mode) && !regular_is_trusted(st) &&
	    directory.st_mode & S_ISVTX)
		return -EXDEV;
	snprintf(path, sizeof(path), OPEN_FILE, found);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_any(struct whole_file *file, mode_t mode)
{
	int found, fd = descriptor_of(file->path);
	struct stat st;

	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	found = find(file, file->path);
	if (found < 0)
		return found == -ENOENT && file->target && *file->target
			       ? open_new(file, mode)
			       : found;
	if (fstat(found, &st))
		fd = -errno;
	else if (!S_ISREG(st.st_mode))
		fd = open_device(file, found, &st);
	else if (st.st_uid == geteuid())
		fd = open_like(file, &st);
	else
		fd = open_new(file, mode);
	close(found);
	return fd;
}

int whole_file_open(struct whole_file *file, const char *path, mode_t mode)
{
	int fd;

	*file = (struct whole_file){.path = path, .directory = AT_FDCWD};
	if (!strcmp(path, "-")) {
		file->out = stdout;
		return 0;
	}
	fd = open_any(file, mode);
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
	if (!linkat(AT_FDCWD, open_file, file->directory, file->temporary,
		    AT_SYMLINK_FOLLOW)) {
		remember(file);
		return 0;
	}
	ret = -errno;
	forget_temporary(file); /* it may be another's */
	return ret;
}

/* Writes the rest: after this, only its name can be wrong. */
static int finish(struct whole_file *file)
{
	CLOSED int fd = file->target ? dup(fileno(file->out)) : -1;
	int ret = output_close(file->out);

	file->out = NULL;
	if (!ret && file->target)
		ret = fd < 0 ? -EMFILE : name_temporary(file, fd);
	return fail(file, ret);
}

static int set_name(struct whole_file *file)
{
	if (!file->target)
		return 0;
	if (renameat(file->directory, file->temporary, file->directory,
		     file->target))
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
		unlinkat(file->directory, file->temporary, 0);
	forget_temporary(file);
	if (file->path && file->directory >= 0)
		close(file->directory);
	free(file->target);
	*file = (struct whole_file){};
}

int whole_file_begin(struct whole_file *file, const char *path)
{
	int ret;

	if (!path || !strcmp(path, "-"))
		return 0;
	ret = whole_file_open(file, path, WHOLE_FILE_MODE);
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
