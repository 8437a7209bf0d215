// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "file_id.h"
#include "base/build_id.h"
#include "base/notes.h"
#include "unpack.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longer ones are not made, and only their beginning is recorded. */
#define ID_MAX 64

struct file_id {
	bool known;
	size_t size;
	uint8_t bytes[ID_MAX];
};

static void file_id_read(struct file_id *id, const char *path,
			 struct unread *unread)
{
	int fd = unpack_open(path);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *bytes;
	ssize_t size = notes_build_id(elf, &bytes);

	unread_file(unread, path, fd);
	id->known = true;
	if (size > 0) {
		id->size = size < ID_MAX ? size : ID_MAX;
		memcpy(id->bytes, bytes, id->size);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

/* A file that was requested before; NULL for another, or if out of memory. */
static struct file_id *file_id_get(struct named *ids, const char *path)
{
	struct file_id **id;
	struct stat st;
	bool is_new;

	if (stat(path, &st))
		return NULL;
	id = (struct file_id **)named_file(ids, &st, &is_new);
	if (!id)
		return NULL;
	if (is_new)
		*id = calloc(1, sizeof(**id));
	return is_new ? NULL : *id;
}

bool file_id_may_be(struct named *ids, const char *path,
		    const struct pmscope_place *place, struct unread *unread)
{
	struct file_id *id;

	if (!path || !place->build_id_size)
		return true;
	id = file_id_get(ids, path);
	if (!id)
		return true;
	if (!id->known)
		file_id_read(id, path, unread);
	return build_id_is(place->build_id, place->build_id_size, id->bytes,
			   id->size);
}
