// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "link.h"
#include "section.h"
#include "input/regular.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

/* A file with holes may be of any size; no debug file is so large. */
#define SIZE_LIMIT (UINT64_C(8) << 30)

bool link_path(char *path, size_t size, const char *file, const char *dir,
	       const char *link)
{
	char target[PATH_MAX];
	int length;

	if (!dir)
		dir = ".";
	if (*link == '/')
		length = snprintf(path, size, "%s", link);
	else if (*dir == '/')
		length = snprintf(path, size, "%s/%s", dir, link);
	else if (realpath(file, target))
		length = snprintf(path, size, "%.*s/%s/%s",
				  (int)(strrchr(target, '/') - target), target,
				  dir, link);
	else
		return false;
	return length < (int)size;
}

/* libdw opens whatever it is; and devices and pipes may take forever. */
static bool is_none_or_regular(const char *file, const char *link)
{
	char path[PATH_MAX];
	struct stat st;

	return !link_path(path, sizeof(path), file, NULL, link) ||
	       stat(path, &st) || S_ISREG(st.st_mode);
}

/* It begins with the name. */
bool link_shared_is_sound(Elf *elf, const char *path)
{
	struct section section;
	Elf_Data *data;

	if (!section_find(elf, ".gnu_debugaltlink", &section))
		return true;
	data = elf_rawdata(section.scn, NULL);
	return !data || !data->d_buf ||
	       !memchr(data->d_buf, '\0', data->d_size) ||
	       is_none_or_regular(path, data->d_buf);
}

bool link_crc_is(int fd, uint32_t crc)
{
	const uint8_t *data;
	size_t size;
	bool is;

	if (regular_map(fd, &data, &size))
		return false;
	is = data && size <= SIZE_LIMIT && crc32_z(0, data, size) == crc;
	regular_unmap(data, size);
	return is;
}
