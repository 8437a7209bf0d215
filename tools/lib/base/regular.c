// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

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
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
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

int regular_open_at(int dir, const char *path, int flags, struct stat *st)
{
	int named = openat(dir, path, O_PATH | O_CLOEXEC | flags), ret;

	if (named < 0)
		return -errno;
	ret = check(named, st);
	if (!ret)
		ret = reopen(named);
	close(named);
	return ret;
}

int regular_open(const char *path, int flags, struct stat *st)
{
	return regular_open_at(AT_FDCWD, path, flags, st);
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
