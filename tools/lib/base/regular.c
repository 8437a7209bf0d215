// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "io.h"

#include <linux/magic.h>
#include <sys/vfs.h>

/*
 * Opening or reading a kernel file can change tracing, consume a message or
 * block. None of these files is a program.
 */
static bool is_pseudo(int fd)
{
	static const uint32_t kinds[] = {
		AAFS_MAGIC,	ANON_INODE_FS_MAGIC,   BINFMTFS_MAGIC,
		BPF_FS_MAGIC,	CGROUP2_SUPER_MAGIC,   CGROUP_SUPER_MAGIC,
		DEBUGFS_MAGIC,	DEVPTS_SUPER_MAGIC,    EFIVARFS_MAGIC,
		NSFS_MAGIC,	OPENPROM_SUPER_MAGIC,  PROC_SUPER_MAGIC,
		PSTOREFS_MAGIC, RDTGROUP_SUPER_MAGIC,  SECURITYFS_MAGIC,
		SELINUX_MAGIC,	SMACK_MAGIC,	       SYSFS_MAGIC,
		TRACEFS_MAGIC,	USBDEVICE_SUPER_MAGIC, XENFS_SUPER_MAGIC,
		0x0a647361, /* gadgetfs */
		0x19800202, /* mqueue */
		0x62656570, /* configfs */
		0x65735543, /* fusectl */
		0x67596969, /* rpc_pipefs */
		0x6e667364, /* nfsd */
		0xaee71ee7, /* functionfs */
	};
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((uint32_t)fs.f_type == kinds[i])
			return true;
	return false;
}

/* @fd was opened with O_PATH; the file is not open yet. */
static int check(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return -errno;
	if (S_ISREG(st->st_mode))
		return is_pseudo(fd) ? -ENOENT : 0;
	return S_ISDIR(st->st_mode) ? -EISDIR : -ENOENT;
}

/* By now the path may name another file, so reopen this descriptor. */
static int reopen(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Takes @named, which is open with O_PATH, or -errno. */
static int open_named(int named, struct stat *st)
{
	int ret = named < 0 ? named : check(named, st);

	if (!ret)
		ret = reopen(named);
	close_open(&named);
	return ret;
}

int regular_open_at(int dir, const char *path, int flags, struct stat *st)
{
	int named = openat(dir, path, O_PATH | O_CLOEXEC | flags);

	return open_named(named < 0 ? -errno : named, st);
}

int regular_open(const char *path, int flags, struct stat *st)
{
	return regular_open_at(AT_FDCWD, path, flags, st);
}

bool regular_is_trusted(const struct stat *st)
{
	return !st->st_uid || st->st_uid == geteuid();
}

int regular_link(int fd, char target[PATH_MAX])
{
	struct stat st;
	ssize_t size;

	*target = '\0';
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISLNK(st.st_mode))
		return 0;
	if (!regular_is_trusted(&st))
		return -EXDEV;
	size = readlinkat(fd, "", target, PATH_MAX);
	if (size < 0 || size == PATH_MAX)
		return size < 0 ? -errno : -ENAMETOOLONG;
	target[size] = '\0';
	return size;
}

bool regular_is_magic(int fd)
{
	struct statfs fs;
	struct stat st;

	return !fstat(fd, &st) && S_ISLNK(st.st_mode) && !fstatfs(fd, &fs) &&
	       (uint32_t)fs.f_type == PROC_SUPER_MAGIC;
}

/* Along a path */
struct walk {
	int root; /* where absolute links begin: / or /proc/PID/root */
	int at;	  /* the directory or file that was reached */
	int links;
	char rest[PATH_MAX]; /* the names that are still to come */
};

static int follow(struct walk *w, char target[PATH_MAX], const char *rest)
{
	size_t size = strlen(target);
	int fd = w->at;

	if (++w->links > REGULAR_LINKS)
		return -ELOOP;
	if (size + 1 + strlen(rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	target[size] = '/';
	strcpy(target + size + 1, rest);
	strcpy(w->rest, target);
	if (*target != '/')
		return 0;
	w->at = openat(w->root, ".", O_PATH | O_CLOEXEC);
	close(fd);
	return w->at < 0 ? -errno : 0;
}

static int enter(struct walk *w, int fd, const char *rest)
{
	close(w->at);
	w->at = fd;
	memmove(w->rest, rest, strlen(rest) + 1);
	return 0;
}

static int enter_magic(struct walk *w, const char *name, const char *rest)
{
	int root = openat(w->at, name, O_PATH | O_CLOEXEC);

	if (root < 0)
		return -errno;
	close(w->root);
	w->root = root;
	root = fcntl(root, F_DUPFD_CLOEXEC, 0);
	return root < 0 ? -errno : enter(w, root, rest);
}

/* Takes the next name of the path. */
static int step(struct walk *w, int flags)
{
	char name[NAME_MAX + 1], target[PATH_MAX];
	const char *next = w->rest + strspn(w->rest, "/");
	size_t size = strcspn(next, "/");
	int fd, ret;

	if (size > NAME_MAX)
		return -ENAMETOOLONG;
	*(char *)mempcpy(name, next, size) = '\0';
	next += size;
	next += strspn(next, "/");
	fd = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (regular_is_magic(fd))
		ret = enter_magic(w, name, next);
	else if ((flags & O_NOFOLLOW && !*next) ||
		 !(ret = regular_link(fd, target)))
		return enter(w, fd, next);
	else if (ret > 0)
		ret = follow(w, target, next);
	close(fd);
	return ret;
}

/* Opens @path with O_PATH, through no link of another user. */
static int walk_to(const char *path, int flags)
{
	struct walk w;
	int ret = 0;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(w.rest, path);
	w.links = 0;
	w.root = open("/", O_PATH | O_CLOEXEC);
	w.at = open(*path == '/' ? "/" : ".", O_PATH | O_CLOEXEC);
	if (w.root < 0 || w.at < 0)
		ret = -errno;
	while (!ret && w.rest[strspn(w.rest, "/")])
		ret = step(&w, flags);
	close_open(&w.root);
	if (ret && w.at >= 0)
		close(w.at);
	return ret ? ret : w.at;
}

int regular_open_trusted(const char *path, bool force, struct stat *st)
{
	return force ? regular_open(path, 0, st)
		     : open_named(walk_to(path, 0), st);
}

int regular_open_own(const char *path, bool force, struct stat *st)
{
	int named = force ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC)
			  : walk_to(path, O_NOFOLLOW);
	int ret = 0;

	if (named == -1)
		named = -errno;
	if (named < 0 || fstat(named, st))
		return open_named(named, st);
	if (S_ISLNK(st->st_mode))
		ret = -ELOOP;
	else if (S_ISREG(st->st_mode) && !force &&
		 (!regular_is_trusted(st) || st->st_nlink != 1))
		ret = -EXDEV;
	if (!ret)
		return open_named(named, st);
	close(named);
	return ret;
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
