// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "dso.h"
#include "module.h"
#include "text/text.h"

#include <elf.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define VDSO "[vdso]"

bool dso_build_id_path(char *path, size_t size, const char *dir,
		       const struct pmscope_place *place, const char *suffix)
{
	char hex[64], *p = hex;

	if (place->build_id_size < 2 || place->build_id_size > 20)
		return false;
	for (size_t i = 0; i < place->build_id_size; i++)
		p = text_hex(p, place->build_id[i], 2);
	*p = '\0';
	return snprintf(path, size, "%s/%.2s/%s%s", dir, hex, hex + 2, suffix) <
	       (int)size;
}

int dso_try(struct dso_symbols *dso, const char *path,
	    const struct pmscope_place *place)
{
	int ret = elf_read(path, &dso->debug, place->build_id,
			   place->build_id_size, &dso->elf);

	if (ret)
		return ret;
	dso->path = strdup(path);
	return dso->path ? 0 : -ENOMEM;
}

bool dso_may_be_named(const struct dso_search *search,
		      const struct pmscope_place *place)
{
	return search->options->symfs || search->options->same_machine ||
	       place->build_id_size;
}

/* The file itself. */
static int try_name(struct dso_symbols *dso, struct dso_search *search,
		    const struct pmscope_place *place)
{
	const struct pmscope_symbols_options *options = search->options;
	char path[PATH_MAX];

	if (*place->dso != '/' || !dso_may_be_named(search, place))
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s%s",
		     options->symfs ? options->symfs : "",
		     place->dso) >= (int)sizeof(path))
		return -ENOENT;
	return dso_try(dso, path, place);
}

static int try_build_id(struct dso_symbols *dso, const char *root,
			const char *below, const char *suffix,
			const struct pmscope_place *place)
{
	char dir[PATH_MAX - 128], path[PATH_MAX];

	if (!root ||
	    snprintf(dir, sizeof(dir), "%s%s", root, below) >=
		    (int)sizeof(dir) ||
	    !dso_build_id_path(path, sizeof(path), dir, place, suffix))
		return -ENOENT;
	return dso_try(dso, path, place);
}

static int try_build_ids(struct dso_symbols *dso, struct dso_search *search,
			 const struct pmscope_place *place)
{
	static const char debug[] = "/usr/lib/debug/.build-id";
	const char *kept = strcmp(place->dso, VDSO) ? "/elf" : "/vdso";
	int ret;

	ret = try_build_id(dso, getenv("HOME"), "/.debug/.build-id", kept,
			   place);
	if (ret == -ENOENT)
		ret = try_build_id(dso, search->options->symfs, debug, ".debug",
				   place);
	if (ret == -ENOENT)
		ret = try_build_id(dso, "", debug, ".debug", place);
	return ret;
}

/* Kernels install a copy of the file that they map. */
static int try_vdso(struct dso_symbols *dso, struct dso_search *search,
		    const struct pmscope_place *place)
{
	const char *root = search->options->symfs;
	char pattern[PATH_MAX];
	glob_t found;
	int ret = -ENOENT;

	if (strcmp(place->dso, VDSO) != 0 || (!root && !place->build_id_size) ||
	    snprintf(pattern, sizeof(pattern), "%s/lib/modules/*/vdso/vdso.so",
		     root ? root : "") >= (int)sizeof(pattern) ||
	    glob(pattern, 0, NULL, &found))
		return -ENOENT;
	/* Of several kernels, only the build-id tells which it was. */
	if (found.gl_pathc == 1 || place->build_id_size)
		for (size_t i = 0; i < found.gl_pathc && ret == -ENOENT; i++)
			ret = dso_try(dso, found.gl_pathv[i], place);
	globfree(&found);
	return ret;
}

/* An image that is whole in memory, up to its section headers; or -1. */
static int image_file(const Elf64_Ehdr *image)
{
	size_t size = image->e_shoff + image->e_shnum * image->e_shentsize;
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	if (fd < 0 || write(fd, image, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -1;
}

/* That of the running kernel is in our own memory. */
static int try_own_vdso(struct dso_symbols *dso, struct dso_search *search,
			const struct pmscope_place *place)
{
	const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (strcmp(place->dso, VDSO) != 0 || !image ||
	    image->e_ident[EI_CLASS] != ELFCLASS64 ||
	    (!search->options->same_machine && !place->build_id_size))
		return -ENOENT;
	return elf_read_file(image_file(image), VDSO, &dso->debug,
			     place->build_id, place->build_id_size, &dso->elf);
}

static int try_debuginfod(struct dso_symbols *dso, struct dso_search *search,
			  const struct pmscope_place *place)
{
	char *path = debuginfod_path(&search->debuginfod, place->build_id,
				     place->build_id_size);
	int ret = path ? dso_try(dso, path, place) : -ENOENT;

	free(path);
	return ret;
}

int dso_open(struct dso_symbols *dso, struct dso_search *search,
	     const struct pmscope_place *place)
{
	static int (*const ways[])(struct dso_symbols *, struct dso_search *,
				   const struct pmscope_place *) = {
		module_try, try_name,	  try_build_ids,
		try_vdso,   try_own_vdso, try_debuginfod};
	int ret = -ENOENT;

	dso->debug = (struct debug_search){search->options->symfs, place->dso};
	dso->elf.is_module = place->kernel && module_is(place->dso);
	if (dso->elf.is_module && !(dso->module = module_name(place->dso)))
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		ret = ways[i](dso, search, place);
		if (ret != -ENOENT)
			break;
	}
	return ret == -ENOENT ? 0 : ret;
}

int dso_line(struct dso_symbols *dso, uint64_t file_offset,
	     struct pmscope_line *line)
{
	uint64_t address;

	if (!dso->path || !elf_address(&dso->elf, file_offset, &address, NULL))
		return -ENOENT;
	if (!dso->lines_open)
		lines_open(&dso->lines, dso->path, &dso->debug);
	dso->lines_open = true;
	return lines_find(&dso->lines, address, line);
}

void dso_fini(struct dso_symbols *dso)
{
	elf_fini(&dso->elf);
	lines_fini(&dso->lines);
	free(dso->path);
	free(dso->module);
	free(dso->file);
}
