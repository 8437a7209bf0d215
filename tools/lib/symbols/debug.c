// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * libdwfl finds debug files beside the file and in this machine's
 * /usr/lib/debug; those of another machine's root, and those perf keeps, are
 * found here.
 */
#include "debug.h"
#include "dso.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_DIR "/usr/lib/debug"

static bool has_build_id(int fd, const struct pmscope_place *wanted)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *id;
	ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	bool has = size >= 0 && (size_t)size == wanted->build_id_size &&
		   !memcmp(id, wanted->build_id, size);

	elf_end(elf);
	return has;
}

/* The file at @path if it has that build-id, or -1. */
static int open_file(const char *path, const struct pmscope_place *wanted)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && !has_build_id(fd, wanted)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_by_id(const char *root, const char *below, const char *suffix,
		      const struct pmscope_place *wanted, char *path)
{
	char dir[PATH_MAX - 128];

	if (!root ||
	    snprintf(dir, sizeof(dir), "%s%s/.build-id", root, below) >=
		    (int)sizeof(dir) ||
	    !dso_build_id_path(path, PATH_MAX, dir, wanted, suffix))
		return -1;
	return open_file(path, wanted);
}

/* DIR/usr/bin/LINK of /usr/bin/NAME */
static int open_by_link(const char *root, const char *name, const char *link,
			const struct pmscope_place *wanted, char *path)
{
	const char *slash = name ? strrchr(name, '/') : NULL;

	if (!link || !slash ||
	    snprintf(path, PATH_MAX, "%s" DEBUG_DIR "%.*s/%s", root,
		     (int)(slash - name), name, link) >= PATH_MAX)
		return -1;
	return open_file(path, wanted);
}

static int open_any(const struct debug_search *search, const char *link,
		    const struct pmscope_place *wanted, char *path)
{
	const char *root = search->symfs ? search->symfs : "";
	int fd = -1;

	if (search->symfs)
		fd = open_by_id(root, DEBUG_DIR, ".debug", wanted, path);
	if (fd < 0)
		fd = open_by_link(root, search->name, link, wanted, path);
	if (fd < 0)
		fd = open_by_id(getenv("HOME"), "/.debug", "/debug", wanted,
				path);
	return fd;
}

static int find_debuginfo(Dwfl_Module *module, void **userdata,
			  const char *name, Dwarf_Addr base,
			  const char *file_name, const char *link,
			  GElf_Word crc, char **found)
{
	const struct debug_search *search = *userdata;
	struct pmscope_place wanted = {};
	char path[PATH_MAX];
	GElf_Addr address;
	int size, fd = -1;

	/* Only a build-id tells that two files belong together. */
	size = dwfl_module_build_id(module, &wanted.build_id, &address);
	if (size > 0 && search) {
		wanted.build_id_size = size;
		fd = open_any(search, link, &wanted, path);
	}
	if (fd < 0)
		return dwfl_standard_find_debuginfo(module, userdata, name,
						    base, file_name, link, crc,
						    found);
	*found = strdup(path);
	return fd;
}

Dwfl *debug_begin(const char *path, const struct debug_search *search,
		  Dwfl_Module **module)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	void **userdata;

	*module = NULL;
	if (!dwfl)
		return NULL;
	*module = dwfl_report_offline(dwfl, path, path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (*module && dwfl_module_info(*module, &userdata, NULL, NULL, NULL,
					NULL, NULL, NULL))
		*userdata = (void *)search;
	return dwfl;
}
