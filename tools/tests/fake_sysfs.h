/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder that looks like sysfs, for code that reads sysfs. */
#ifndef PMSCOPE_TESTS_FAKE_SYSFS_H
#define PMSCOPE_TESTS_FAKE_SYSFS_H

#include <stddef.h>

#define FAKE_SYSFS_PATH 64

/* Makes a folder that is empty, and says where. */
void fake_sysfs_make(char path[FAKE_SYSFS_PATH]);

/* Writes @size bytes into @path/@file, with the folders on the way. */
void fake_sysfs_file(const char *path, const char *file, const void *data,
		     size_t size);

/* The same for a string, and for a symbolic link. */
void fake_sysfs_text(const char *path, const char *file, const char *text);
void fake_sysfs_link(const char *path, const char *file, const char *target);

void fake_sysfs_remove(const char *path);

#endif /* PMSCOPE_TESTS_FAKE_SYSFS_H */
