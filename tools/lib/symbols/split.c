// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "split.h"
#include "link.h"
#include "input/regular.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>
#include <unistd.h>

/* libdw keeps some 1.3 KB for each. */
#define MAX_AGAIN (UINT64_C(1) << 18)

/* What is known of a file; from COUNTED on: how many units are in it. */
enum {
	LIES,
	OPENED,
	COUNTED
};

static const char *string_of(Dwarf_Die *unit, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, name, &attribute));
}

static uint32_t count_units(const char *path)
{
	struct stat st;
	int fd = regular_open(path, 0, &st);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	Dwarf_Off next = 0;
	size_t header;
	uint32_t nr = 0;

	while (dwarf && nr < MAX_AGAIN &&
	       !dwarf_next_unit(dwarf, next, &next, &header, NULL, NULL, NULL,
				NULL, NULL, NULL))
		nr++;
	dwarf_end(dwarf);
	if (fd >= 0)
		close(fd);
	return nr;
}

static bool spend(struct splits *splits, uint32_t units)
{
	splits->units += units;
	return splits->units <= MAX_AGAIN;
}

static bool file_admits(struct splits *splits, const char *path, uint64_t key)
{
	uint32_t known;

	if (!map_get(&splits->files, key, &known)) {
		known = link_is_sound(path) ? OPENED : LIES;
		return !map_set(&splits->files, key, known) && known == OPENED;
	}
	if (known == OPENED) {
		known = COUNTED + count_units(path);
		if (map_set(&splits->files, key, known))
			return false;
	}
	return known >= COUNTED && spend(splits, known - COUNTED);
}

/* What is not there is not opened. @last: the file that was admitted before. */
static bool path_admits(struct splits *splits, const char *path, uint64_t *last)
{
	struct stat st;
	uint64_t key;

	if (stat(path, &st))
		return true;
	key = st.st_ino ^ (uint64_t)st.st_dev << 32;
	if (key == *last)
		return true;
	*last = key;
	return file_admits(splits, path, key);
}

/* libdw tries both. */
static bool link_admits(struct splits *splits, const char *file,
			const char *dir, const char *link)
{
	char path[PATH_MAX];
	uint64_t last = 0;

	return (!link_path(path, sizeof(path), file, NULL, link) ||
		path_admits(splits, path, &last)) &&
	       (!link_path(path, sizeof(path), file, dir, link) ||
		path_admits(splits, path, &last));
}

static bool unit_admits(struct splits *splits, Dwfl_Module *module,
			Dwarf_Die *unit)
{
	const char *link = string_of(unit, DW_AT_dwo_name), *file, *debug;

	if (!link)
		link = string_of(unit, DW_AT_GNU_dwo_name);
	if (!link)
		return true;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, &debug);
	if (debug)
		file = debug;
	return file &&
	       link_admits(splits, file, string_of(unit, DW_AT_comp_dir), link);
}

bool split_admits(struct splits *splits, Dwfl_Module *module, Dwarf_Die *unit)
{
	uint64_t key = dwarf_dieoffset(unit);
	uint32_t admitted;

	if (map_get(&splits->admitted, key, &admitted))
		return admitted;
	admitted = unit_admits(splits, module, unit);
	return !map_set(&splits->admitted, key, admitted) && admitted;
}

void splits_fini(struct splits *splits)
{
	map_fini(&splits->admitted);
	map_fini(&splits->files);
}
