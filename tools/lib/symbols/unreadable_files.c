// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "files.h"

/* Returns false for missing files, including dangling or circular links. */
static bool is_there(int fd)
{
	return fd < 0 && fd != -ENOENT && fd != -ENOTDIR && fd != -ELOOP &&
	       fd != -ENAMETOOLONG;
}

void unreadable_add(struct unreadable_files *missing, const char *path, int fd)
{
	size_t count = missing->files.count;
	uint32_t number;

	if (!is_there(fd))
		return;
	if (array_room(missing->errors, count, missing->max_errors) ||
	    strings_intern(&missing->files, path, strlen(path), &number))
		missing->memory = true;
	else if (number == count)
		missing->errors[number] = fd;
}

void unreadable_found(struct unreadable_files *missing, const char *path)
{
	uint32_t number;

	if (strings_intern(&missing->found, path, strlen(path), &number))
		missing->memory = true;
}

void unreadable_fini(struct unreadable_files *missing)
{
	strings_fini(&missing->files);
	strings_fini(&missing->found);
	free(missing->errors);
}

void unread_file(struct unread *unread, const char *path, int fd)
{
	if (unread->error || !is_there(fd))
		return;
	unread->error = fd;
	snprintf(unread->path, sizeof(unread->path), "%s", path);
}
