// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "buildid.h"
#include "base/kernel_name.h"
#include "base/module_name.h"
#include "base/notes.h"
#include "base/regular.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTES_MAX 8192

static bool set_id(struct pmscope_build_id *id, const void *bytes, size_t size)
{
	if (!size || size > sizeof(id->id))
		return false;
	memcpy(id->id, bytes, size);
	id->size = size;
	return true;
}

bool pmscope_buildid_of_file(const char *path, struct pmscope_build_id *id)
{
	const void *bytes;
	struct stat st;
	ssize_t size;
	bool found;
	Elf *elf;
	int fd;

	fd = regular_open(path, 0, &st);
	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size = notes_build_id(elf, &bytes);
	found = size > 0 && set_id(id, bytes, size);
	elf_end(elf);
	close(fd);
	return found;
}

/* Searches ELF notes without an ELF file around them, as in sysfs. */
static bool find_in_notes(const char *path, struct pmscope_build_id *id)
{
	char buf[NOTES_MAX];
	size_t size, at = 0;
	Elf64_Nhdr note;
	FILE *file;

	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(buf, 1, sizeof(buf), file);
	fclose(file);
	while (size - at >= sizeof(note)) {
		size_t name_at, desc_at;

		memcpy(&note, buf + at, sizeof(note));
		name_at = at + sizeof(note);
		desc_at = name_at + ((note.n_namesz + 3UL) & ~3UL);
		at = desc_at + ((note.n_descsz + 3UL) & ~3UL);
		if (at > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(buf + name_at, "GNU", 4))
			return set_id(id, buf + desc_at, note.n_descsz);
	}
	return false;
}

/* Finds the loaded module of ".../a-b.ko.xz" or "[a_b]": a_b. */
static bool find_module(const char *name, struct pmscope_build_id *id)
{
	char module[MODULE_NAME_SIZE], path[128];

	module_name_of(name, module);
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id",
		 module);
	return find_in_notes(path, id);
}

bool pmscope_buildid_find(const char *name, struct pmscope_build_id *id)
{
	id->name = name;
	if (is_kernel_name(name)) {
		id->name = KERNEL_NAME;
		return find_in_notes("/sys/kernel/notes", id);
	}
	if (name[0] == '[')
		return find_module(name, id);
	if (name[0] != '/')
		return false;
	if (module_file_end(name) && find_module(name, id))
		return true;
	return pmscope_buildid_of_file(name, id);
}
