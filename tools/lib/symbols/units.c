// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * .debug_aranges maps addresses to units. GCC, the GNU assembler and rustc
 * write it, Clang only with -gdwarf-aranges. The ranges of other units are read
 * one by one, on the first miss.
 */
#include "source_lines.h"
#include "base/io.h"

#include <dwarf.h>

struct unit_range {
	uint64_t begin;
	uint64_t end;
	Dwarf_Die unit;
	Dwarf_Addr bias;
};

/* Returns false if out of memory. */
static bool read_unit(struct units *units, Dwarf_Die *unit, Dwarf_Addr bias)
{
	struct unit_range range = {.unit = *unit, .bias = bias};
	Dwarf_Addr base, begin, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(unit, next, &base, &begin, &end)) > 0) {
		range.begin = begin + bias;
		range.end = end + bias;
		if (range.begin < range.end &&
		    array_add(units->ranges, units->nr_ranges,
			      units->max_ranges, range))
			return false;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void read_units(struct units *units, Dwfl_Module *module,
		       struct unreadable_files *missing)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	units->read = true;
	while ((unit = dwfl_module_nextcu(module, unit, &bias)))
		if (!read_unit(units, unit, bias)) {
			missing->memory = true;
			break;
		}
	if (units->nr_ranges)
		qsort(units->ranges, units->nr_ranges, sizeof(*units->ranges),
		      compare);
}

bool units_find(struct units *units, Dwfl_Module *module,
		struct unreadable_files *missing, uint64_t address,
		Dwarf_Die *unit, Dwarf_Addr *bias)
{
	Dwarf_Die *listed = dwfl_module_addrdie(module, address, bias);
	size_t nr;

	if (listed) {
		*unit = *listed;
		return true;
	}
	if (!units->read)
		read_units(units, module, missing);
	nr = array_count_until(units->ranges, units->nr_ranges,
			       sizeof(*units->ranges), address);
	if (!nr || address >= units->ranges[nr - 1].end)
		return false;
	*unit = units->ranges[nr - 1].unit;
	*bias = units->ranges[nr - 1].bias;
	return true;
}

/*
 * Limit in bytes, reached by some 500 units in one file: libdw opens the file
 * for each of them, and keeps all its units each time.
 */
#define MAX_AGAIN (UINT64_C(352) << 20)

struct split_file {
	bool lies;
	bool counted;
	uint64_t size; /* memory that libdw uses for it */
};

static const char *string_of(Dwarf_Die *unit, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, name, &attribute));
}

/* libdw keeps each unit that it passes while it looks for one. */
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

/* The file was opened before, for another unit: limit the memory for that. */
static bool file_admits(struct splits *splits, struct split_file *file,
			const char *path)
{
	if (file->lies)
		return false;
	if (!file->counted) {
		file->counted = true;
		file->size = size_of(path);
	}
	if (splits->again <= MAX_AGAIN)
		splits->again += file->size;
	return splits->again <= MAX_AGAIN;
}

/* Returns true if libdw may open the file; it would also open pipes. */
static bool file_is_sound(struct unreadable_files *missing, const char *path)
{
	struct stat st;
	int fd = regular_open(path, 0, &st);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool sound = fd >= 0 && (!elf || link_is_sound(elf));
	bool readable = !sound || !elf || sections_are_readable(elf);

	unreadable_add(missing, path, readable ? fd : -EOPNOTSUPP);
	limits_raise(path);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return sound;
}

/*
 * Returns true if libdw may open @path, or if it is missing. @last is the file
 * that the previous call admitted.
 */
static bool path_admits(struct splits *splits, struct unreadable_files *missing,
			const char *path, struct split_file **last)
{
	struct split_file **file;
	struct stat st;
	bool is_new;

	if (stat(path, &st)) {
		unreadable_add(missing, path, -errno);
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
	if (!(*file)->lies)
		unreadable_found(missing, path);
	return !(*file)->lies;
}

/*
 * Writes the path that @link in @file stands for: relative to @dir, which may
 * be relative to the directory of @file, as is @link if @dir is NULL. Returns
 * false if it is too long.
 */
static bool link_path(char *path, size_t size, const char *file,
		      const char *dir, const char *link)
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

/* Checks both paths that libdw tries. */
static bool link_admits(struct splits *splits, struct unreadable_files *missing,
			const char *file, const char *dir, const char *link)
{
	char path[PATH_MAX];
	struct split_file *last = NULL;

	return (!link_path(path, sizeof(path), file, NULL, link) ||
		path_admits(splits, missing, path, &last)) &&
	       (!link_path(path, sizeof(path), file, dir, link) ||
		path_admits(splits, missing, path, &last));
}

static bool unit_admits(struct splits *splits, struct unreadable_files *missing,
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

static bool split_admits(struct splits *splits,
			 struct unreadable_files *missing, Dwfl_Module *module,
			 Dwarf_Die *unit)
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

Dwarf_Die units_whole(struct units *units, Dwfl_Module *module,
		      struct unreadable_files *missing, Dwarf_Die unit)
{
	Dwarf_Die split = {};
	uint8_t type;

	if (!split_admits(&units->splits, missing, module, &unit) ||
	    dwarf_cu_info(unit.cu, NULL, &type, NULL, &split, NULL, NULL,
			  NULL) ||
	    type != DW_UT_skeleton || !split.addr)
		return unit;
	return split;
}

void units_fini(struct units *units)
{
	free(units->ranges);
	map_fini(&units->splits.admitted);
	named_fini(&units->splits.files, free);
}
