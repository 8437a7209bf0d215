// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "split.h"
#include "base/regular.h"
#include "process_limits.h"
#include "link.h"
#include "section.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes: some 500 units, each of which is opened with all of them. */
#define MAX_AGAIN (UINT64_C(352) << 20)

struct split_file {
	bool lies;
	bool counted;
	uint64_t size; /* what libdw keeps of it */
};

static const char *string_of(Dwarf_Die *unit, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, name, &attribute));
}

/* libdw keeps all units that it passes on its way to the one it looks for. */
#define BYTES_A_UNIT 1400

static uint64_t count_units(Dwarf *dwarf)
{
	Dwarf_Off at = 0;
	uint64_t count = 0;
	size_t header;

	while (!dwarf_next_unit(dwarf, at, &at, &header, NULL, NULL, NULL, NULL,
				NULL, NULL))
		count++;
	return count;
}

static uint64_t size_of(const char *path)
{
	struct stat st;
	int fd = regular_open(path, 0, &st);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	uint64_t unpacked = elf ? sections_unpacked(elf, MAX_AGAIN) : 0;
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	uint64_t units = dwarf ? count_units(dwarf) * BYTES_A_UNIT : 0;

	dwarf_end(dwarf);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return unpacked < MAX_AGAIN ? unpacked + units : MAX_AGAIN;
}

static bool spend(struct splits *splits, uint64_t size)
{
	if (splits->again <= MAX_AGAIN)
		splits->again += size;
	return splits->again <= MAX_AGAIN;
}

/* One that was opened before, for another unit. */
static bool file_admits(struct splits *splits, struct split_file *file,
			const char *path)
{
	if (file->lies)
		return false;
	if (!file->counted) {
		file->counted = true;
		file->size = size_of(path);
	}
	return spend(splits, file->size);
}

/* May libdw open it? It would open pipes, too. */
static bool file_is_sound(struct missing *missing, const char *path)
{
	struct stat st;
	int fd = regular_open(path, 0, &st);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool sound = fd >= 0 && (!elf || (link_is_sound(elf)));

	missing_file(missing, path, fd);
	limits_raise(path);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return sound;
}

/* What is not there is not opened. @last: the file that was admitted before. */
static bool path_admits(struct splits *splits, struct missing *missing,
			const char *path, struct split_file **last)
{
	struct split_file **file;
	struct stat st;
	bool is_new;

	if (stat(path, &st)) {
		missing_file(missing, path, -errno);
		return true;
	}
	file = (struct split_file **)named_file(&splits->files, &st, &is_new);
	if (file && is_new)
		*file = calloc(1, sizeof(**file));
	missing->memory |= !file || !*file;
	if (!file || !*file)
		return false;
	if (*file == *last)
		return true;
	*last = *file;
	if (!is_new)
		return file_admits(splits, *file, path);
	(*file)->lies = !file_is_sound(missing, path);
	return !(*file)->lies;
}

/* libdw tries both. */
static bool link_admits(struct splits *splits, struct missing *missing,
			const char *file, const char *dir, const char *link)
{
	char path[PATH_MAX];
	struct split_file *last = NULL;

	return (!link_path(path, sizeof(path), file, NULL, link) ||
		path_admits(splits, missing, path, &last)) &&
	       (!link_path(path, sizeof(path), file, dir, link) ||
		path_admits(splits, missing, path, &last));
}

static bool unit_admits(struct splits *splits, struct missing *missing,
			Dwfl_Module *module, Dwarf_Die *unit)
{
	const char *link = string_of(unit, DW_AT_dwo_name), *file, *debug;

	if (!link)
		link = string_of(unit, DW_AT_GNU_dwo_name);
	if (!link)
		return true;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, &debug);
	if (debug)
		file = debug;
	return file && link_admits(splits, missing, file,
				   string_of(unit, DW_AT_comp_dir), link);
}

bool split_admits(struct splits *splits, struct missing *missing,
		  Dwfl_Module *module, Dwarf_Die *unit)
{
	uint64_t key = dwarf_dieoffset(unit);
	uint32_t admitted;

	if (map_get(&splits->admitted, key, &admitted))
		return admitted;
	admitted = unit_admits(splits, missing, module, unit);
	if (!map_set(&splits->admitted, key, admitted))
		return admitted;
	missing->memory = true;
	return false;
}

void splits_fini(struct splits *splits)
{
	map_fini(&splits->admitted);
	named_fini(&splits->files, free);
}
