// SPDX-License-Identifier: GPL-2.0-or-later
#include "fake_sysfs.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A test without its files would test nothing. */
static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

void fake_sysfs_make(char path[FAKE_SYSFS_PATH])
{
	strcpy(path, "/tmp/pmscope-test-XXXXXX");
	must(mkdtemp(path) != NULL, path);
}

static void full_path(char full[PATH_MAX], const char *path, const char *file)
{
	snprintf(full, PATH_MAX, "%s/%s", path, file);
	for (char *at = full + strlen(path) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0700);
		*at = '/';
	}
}

void fake_sysfs_file(const char *path, const char *file, const void *data,
		     size_t size)
{
	char full[PATH_MAX];
	FILE *f;

	full_path(full, path, file);
	f = fopen(full, "we");
	must(f && (!size || fwrite(data, 1, size, f) == size) && !fclose(f),
	     full);
}

void fake_sysfs_text(const char *path, const char *file, const char *text)
{
	fake_sysfs_file(path, file, text, strlen(text));
}

void fake_sysfs_link(const char *path, const char *file, const char *target)
{
	char full[PATH_MAX];

	full_path(full, path, file);
	must(!symlink(target, full), full);
}

static int remove_one(const char *path, const struct stat *st, int flag,
		      struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void fake_sysfs_remove(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
