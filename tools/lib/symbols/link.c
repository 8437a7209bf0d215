// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "link.h"
#include "base/regular.h"
#include "section.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

bool link_shares(Elf *elf)
{
	struct section section;

	return section_find(elf, ".gnu_debugaltlink", &section);
}

bool link_is_sound(Elf *elf)
{
	return sections_are_sound(elf) && !link_shares(elf);
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
