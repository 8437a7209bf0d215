// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "mapped_id.h"
#include "buildid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

static struct pmscope_build_id *read_id(const struct mmap2_record *map)
{
	struct pmscope_build_id *id = calloc(1, sizeof(*id));
	char path[96];

	snprintf(path, sizeof(path),
		 "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, map->tid,
		 map->start, map->start + map->len);
	if (id && pmscope_buildid_of_file(path, id))
		return id;
	free(id);
	return NULL;
}

const struct pmscope_build_id *pmscope_mapped_id(struct named *ids,
						 const struct mmap2_record *map)
{
	const struct stat file = {
		.st_dev = makedev(map->maj, map->min),
		.st_ino = map->ino,
	};
	bool is_new;
	void **id;

	if (!map->ino)
		return NULL;
	id = named_file(ids, &file, &is_new);
	if (id && is_new)
		*id = read_id(map);
	return id ? *id : NULL;
}
