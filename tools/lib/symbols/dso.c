// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "dso.h"
#include "base/array.h"
#include "base/build_id.h"
#include "base/names.h"
#include "base/regular.h"
#include "base/text.h"
#include "module.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Tries the recorded path. Reports a file that only other users may see. */
static int try_name(struct dso_symbols *dso, struct dso_search *search,
		    const struct pmscope_place *place)
{
	const struct pmscope_symbols_options *options = search->options;
	char path[PATH_MAX];
	struct stat st;

	if (*place->dso != '/' || !dso_may_be_named(search, place))
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s%s",
		     options->symfs ? options->symfs : "",
		     place->dso) >= (int)sizeof(path))
		return -ENOENT;
	if (!stat(path, &st))
		return dso_try_known(dso, search, path, &st, place);
	if (options->symfs || options->same_machine)
		unread_file(&search->unread, path, -errno);
	return -ENOENT;
}

/* While the process runs, /proc/PID/root shows its container's files. */
static int try_container(struct dso_symbols *dso, struct dso_search *search,
			 const struct pmscope_place *place)
{
	const struct pmscope_symbols_options *options = search->options;
	char path[PATH_MAX];

	if (*place->dso != '/' || !options->same_machine || options->symfs ||
	    !place->build_id_size || place->pid == PMSCOPE_NO_ID)
		return -ENOENT;
	if (snprintf(path, sizeof(path), "/proc/%u/root%s", place->pid,
		     place->dso) >= (int)sizeof(path))
		return -ENOENT;
	return dso_try(dso, search, path, place);
}

static int try_build_id(struct dso_symbols *dso, struct dso_search *search,
			const char *root, const char *below, const char *suffix,
			const struct pmscope_place *place)
{
	char dir[PATH_MAX - 128], path[PATH_MAX];

	if (!root ||
	    snprintf(dir, sizeof(dir), "%s%s", root, below) >=
		    (int)sizeof(dir) ||
	    !build_id_path(path, sizeof(path), dir, place, suffix))
		return -ENOENT;
	return dso_try(dso, search, path, place);
}

static int try_build_ids(struct dso_symbols *dso, struct dso_search *search,
			 const struct pmscope_place *place)
{
	static const char debug[] = "/usr/lib/debug/.build-id";
	const char *kept = strcmp(place->dso, VDSO) ? "/elf" : "/vdso";
	int ret;

	ret = try_build_id(dso, search, getenv("HOME"), "/.debug/.build-id",
			   kept, place);
	if (ret == -ENOENT)
		ret = try_build_id(dso, search, search->options->symfs, debug,
				   ".debug", place);
	if (ret == -ENOENT)
		ret = try_build_id(dso, search, "", debug, ".debug", place);
	return ret;
}

/* Kernel packages install a copy of the vDSO. */
static int try_vdso(struct dso_symbols *dso, struct dso_search *search,
		    const struct pmscope_place *place)
{
	const char *root = search->options->symfs;
	glob_t found;
	int ret = -ENOENT;

	if (strcmp(place->dso, VDSO) != 0 || (!root && !place->build_id_size) ||
	    !root_glob(root, "/lib/modules/*/vdso/vdso.so", &found))
		return -ENOENT;
	/*
	 * If there are several kernels, only a build-id tells which one it was.
	 */
	if (found.gl_pathc == 1 || place->build_id_size)
		for (size_t i = 0; i < found.gl_pathc && ret == -ENOENT; i++)
			ret = dso_try(dso, search, found.gl_pathv[i], place);
	globfree(&found);
	return ret;
}

static int try_own_vdso(struct dso_symbols *dso, struct dso_search *search,
			const struct pmscope_place *place)
{
	static const struct stat none;
	const Elf64_Ehdr *image = dso_own_vdso();

	if (strcmp(place->dso, VDSO) != 0 || !image ||
	    image->e_ident[EI_CLASS] != ELFCLASS64 ||
	    (!search->options->same_machine && !place->build_id_size))
		return -ENOENT;
	return dso_try_known(dso, search, NULL, &none, place);
}

static int try_debuginfod(struct dso_symbols *dso, struct dso_search *search,
			  const struct pmscope_place *place)
{
	const char *path;

	for (int kind = DEBUGINFOD_EXECUTABLE; kind <= DEBUGINFOD_DEBUGINFO;
	     kind++) {
		path = debuginfod_path(&search->debuginfod, &search->missing,
				       kind, place->build_id,
				       place->build_id_size);
		if (path)
			return dso_try(dso, search, path, place);
	}
	return -ENOENT;
}

static const char *const patterns[] = {
	"/boot/vmlinux*",
	"/lib/modules/*/vmlinux",
	"/lib/modules/*/build/vmlinux",
	"/usr/lib/modules/*/vmlinux",
	"/usr/lib/debug/boot/vmlinux*",
	"/usr/lib/debug/lib/modules/*/vmlinux*",
	"/usr/lib/debug/usr/lib/modules/*/vmlinux*",
};

static int try_pattern(struct dso_symbols *dso, struct dso_search *search,
		       const char *pattern, const struct pmscope_place *place)
{
	glob_t found;
	int ret = -ENOENT;

	if (!root_glob(search->options->symfs, pattern, &found))
		return -ENOENT;
	for (size_t i = 0; i < found.gl_pathc && ret == -ENOENT; i++)
		ret = dso_try(dso, search, found.gl_pathv[i], place);
	globfree(&found);
	return ret;
}

/* The image that the user chose, unless it is known to be another kernel's. */
static int try_vmlinux(struct dso_symbols *dso, struct dso_search *search,
		       const struct pmscope_place *place)
{
	const char *path = search->options->vmlinux;
	int ret, why;

	if (!path || !place->kernel || !is_kernel_name(place->dso))
		return -ENOENT;
	ret = dso_try(dso, search, path, place);
	why = search->unread.error ? search->unread.error : -ESTALE;
	if (ret == -ENOENT && !access(path, F_OK))
		unreadable_add(&search->missing, path, why);
	search->unread = (struct unread){};
	return ret;
}

/* There may be several kernels; only a build-id tells which one it was. */
static int kernel_file_try(struct dso_symbols *dso, struct dso_search *search,
			   const struct pmscope_place *place)
{
	int ret = -ENOENT;

	if (!place->kernel || !is_kernel_name(place->dso) ||
	    !place->build_id_size)
		return -ENOENT;
	for (size_t i = 0;
	     i < sizeof(patterns) / sizeof(patterns[0]) && ret == -ENOENT; i++)
		ret = try_pattern(dso, search, patterns[i], place);
	return ret;
}

int dso_open(struct dso_symbols *dso, struct dso_search *search,
	     const struct pmscope_place *place)
{
	static int (*const ways[])(struct dso_symbols *, struct dso_search *,
				   const struct pmscope_place *) = {
		try_vmlinux,   module_try,	try_name,
		try_container, try_build_ids,	try_vdso,
		try_own_vdso,  kernel_file_try, try_debuginfod};
	int ret = -ENOENT;

	search->unread = (struct unread){};
	dso->reader = &search->reader;
	dso->name = place->dso;
	dso->is_module = place->kernel && module_is(place->dso);
	if (dso->is_module && !(dso->module = module_name(place->dso)))
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		ret = ways[i](dso, search, place);
		if (ret != -ENOENT)
			break;
	}
	if (ret != -ENOENT)
		return ret;
	unreadable_add_first(&search->missing, &search->unread);
	return 0;
}
