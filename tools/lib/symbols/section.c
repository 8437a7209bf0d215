// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "section.h"
#include "base/notes.h"

#include <stdint.h>
#include <string.h>

/* Debug information unpacks to 2 to 10 times its compressed size. */
#define UNPACKED_SMALL (UINT64_C(64) << 20)
#define UNPACKED_TIMES 32

static bool ends(const char *file, size_t size, const GElf_Shdr *strings)
{
	uint64_t end = strings->sh_offset + strings->sh_size;

	return !strings->sh_size || end < strings->sh_size || end > size ||
	       !file[end - 1];
}

bool sections_strings_end(Elf *file)
{
	size_t size;
	const char *data = elf_rawfile(file, &size);
	GElf_Shdr header;

	for (Elf_Scn *s = NULL; data && (s = elf_nextscn(file, s));)
		if (gelf_getshdr(s, &header) && header.sh_type == SHT_STRTAB &&
		    !ends(data, size, &header))
			return false;
	return true;
}

/* The older .zdebug format: "ZLIB", then the size as a big-endian number. */
static uint64_t size_in_zdebug(Elf_Scn *scn)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);
	const uint8_t *bytes = data ? data->d_buf : NULL;
	uint64_t size = 0;

	if (!bytes || data->d_size < 12 || memcmp(bytes, "ZLIB", 4) != 0)
		return 0;
	for (size_t i = 4; i < 12; i++)
		size = size << 8 | bytes[i];
	return size;
}

static uint64_t unpacked_size(Elf *file, size_t strings, Elf_Scn *scn)
{
	GElf_Shdr header;
	GElf_Chdr packed;
	const char *name;

	if (!gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
		return 0;
	if (header.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &packed) ? packed.ch_size : 0;
	name = elf_strptr(file, strings, header.sh_name);
	return name && !strncmp(name, ".zdebug", 7) ? size_in_zdebug(scn) : 0;
}

uint64_t sections_unpacked(Elf *file, uint64_t limit)
{
	uint64_t total = 0;
	size_t strings;

	if (elf_getshdrstrndx(file, &strings))
		return 0;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(file, s));) {
		uint64_t more = unpacked_size(file, strings, s);

		if (more > limit - total)
			return UINT64_MAX;
		total += more;
	}
	return total;
}

/*
 * Checks that the compressed sections unpack to no more than a compiler would
 * write. libdw unpacks them all, and sections may overlap in the file.
 */
static bool are_bounded(Elf *file)
{
	uint64_t limit;
	size_t size;

	if (!elf_rawfile(file, &size))
		return false;
	limit = UNPACKED_SMALL + UNPACKED_TIMES * (uint64_t)size;
	return sections_unpacked(file, limit) <= limit;
}

bool sections_are_sound(Elf *file)
{
	return sections_strings_end(file) && are_bounded(file) &&
	       notes_are_sound(file);
}

static bool is_sound(Elf *file, Elf_Scn *scn, const GElf_Shdr *symbols)
{
	size_t each = gelf_fsize(file, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *strings = elf_getscn(file, symbols->sh_link);
	GElf_Shdr header;

	return each && symbols->sh_entsize == each &&
	       symbols->sh_size % each == 0 &&
	       symbols->sh_info <= symbols->sh_size / each &&
	       elf_getdata(scn, NULL) && strings &&
	       gelf_getshdr(strings, &header) && header.sh_type == SHT_STRTAB &&
	       elf_getdata(strings, NULL);
}

bool sections_symbols_are_sound(Elf *file)
{
	GElf_Shdr header;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(file, s));)
		if (gelf_getshdr(s, &header) && header.sh_type == SHT_SYMTAB &&
		    !is_sound(file, s, &header))
			return false;
	return true;
}

bool section_find(Elf *file, const char *name, struct section *found)
{
	size_t strings;

	if (elf_getshdrstrndx(file, &strings))
		return false;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(file, s));) {
		const char *text;

		if (!gelf_getshdr(s, &found->header))
			continue;
		text = elf_strptr(file, strings, found->header.sh_name);
		if (!text || strcmp(text, name) != 0)
			continue;
		found->scn = s;
		return true;
	}
	return false;
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
