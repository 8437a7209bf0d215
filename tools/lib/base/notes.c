// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "notes.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>

/* Linkers make at most one note segment per alignment. */
#define MAX_SEGMENTS 64

static bool take(uint64_t bytes, uint64_t *left)
{
	if (bytes > *left)
		return false;
	*left -= bytes;
	return true;
}

/* To find a build-id, libelf reads all notes before it. */
static bool segments_are_sound(Elf *file, uint64_t left)
{
	size_t nr, notes = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(file, &nr))
		return true;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(file, i, &header) &&
		    header.p_type == PT_NOTE &&
		    (notes++ == MAX_SEGMENTS || !take(header.p_filesz, &left)))
			return false;
	return true;
}

static bool sections_are_sound(Elf *file, uint64_t left)
{
	GElf_Shdr header;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(file, s));)
		if (gelf_getshdr(s, &header) && header.sh_type == SHT_NOTE &&
		    !take(header.sh_size, &left))
			return false;
	return true;
}

bool notes_are_sound(Elf *file)
{
	size_t size;

	return elf_rawfile(file, &size) && segments_are_sound(file, size) &&
	       sections_are_sound(file, size);
}

ssize_t notes_build_id(Elf *file, const void **id)
{
	return file && notes_are_sound(file) ? dwelf_elf_gnu_build_id(file, id)
					     : 0;
}
