// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "module.h"
#include "base/names.h"
#include "elf_file.h"

#include <sys/utsname.h>

#define INDEX "/modules.dep"

char *module_name(const char *dso)
{
	char module[MODULE_NAME_SIZE], *name;

	module_name_of(dso, module);
	return asprintf(&name, "[%s]", module) < 0 ? NULL : name;
}

static int try_ends(struct dso_symbols *dso, struct dso_search *search,
		    const char *root, const char *dir, const char *file,
		    const struct pmscope_place *place)
{
	static const char *const ends[] = {"", ".xz", ".zst", ".gz", ".debug"};
	char path[PATH_MAX];
	int ret = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(ends) && ret == -ENOENT; i++)
		if (snprintf(path, sizeof(path), "%s%s%s%s", root, dir, file,
			     ends[i]) < (int)sizeof(path))
			ret = dso_try(dso, search, path, place);
	return ret;
}

/* @file ends with ".ko"; it may be compressed differently by now. */
static int try_file(struct dso_symbols *dso, struct dso_search *search,
		    const char *root, const char *file,
		    const struct pmscope_place *place)
{
	static const char *const dirs[] = {"", "/usr", "/usr/lib/debug",
					   "/usr/lib/debug/usr"};
	int ret = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && ret == -ENOENT; i++)
		ret = try_ends(dso, search, root, dirs[i], file, place);
	return ret;
}

/*
 * Looks the module up in the modules.dep at @path. On the recorded machine its
 * directory was in @dir.
 */
static int try_index(struct dso_symbols *dso, struct dso_search *search,
		     const char *root, const char *dir, const char *path,
		     const struct pmscope_place *place)
{
	const char *end = path + strlen(path) - strlen(INDEX);
	const char *release = memrchr(path, '/', end - path);
	char module[MODULE_NAME_SIZE], *indexed;
	const char *file;
	int ret;

	module_name_of(dso->module, module);
	ret = module_index_find(&search->modules, path, module, &file);
	if (ret == -ENOMEM)
		return ret;
	unread_file(&search->unread, path, ret);
	if (ret || !file)
		return -ENOENT;
	if (asprintf(&indexed, "%s%.*s/%.*s", dir, (int)(end - release),
		     release, (int)(module_file_end(file) - file), file) < 0)
		return -ENOMEM;
	free(dso->indexed);
	dso->name = dso->indexed = indexed;
	return try_file(dso, search, root, indexed, place);
}

/* Returns the directory of the modules.dep files found, or NULL. */
static const char *find_indices(const char *root, const char *release,
				glob_t *found)
{
	static const char *const dirs[] = {"/lib/modules", "/usr/lib/modules"};
	char pattern[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s" INDEX, dirs[i],
			 release);
		if (root_glob(root, pattern, found))
			return dirs[i];
	}
	return NULL;
}

/* If there are several kernels, only a build-id tells which one it was. */
static int try_indices(struct dso_symbols *dso, struct dso_search *search,
		       const char *root, const char *release,
		       const struct pmscope_place *place)
{
	glob_t found;
	const char *dir = find_indices(root, release, &found);
	int ret = -ENOENT;

	if (!dir)
		return -ENOENT;
	if (found.gl_pathc == 1 || place->build_id_size)
		for (size_t i = 0; i < found.gl_pathc && ret == -ENOENT; i++)
			ret = try_index(dso, search, root, dir,
					found.gl_pathv[i], place);
	globfree(&found);
	return ret;
}

int module_try(struct dso_symbols *dso, struct dso_search *search,
	       const struct pmscope_place *place)
{
	const char *root = search->options->symfs;
	const char *end = module_file_end(place->dso);
	struct utsname uts;
	char file[PATH_MAX];

	if (!dso->module || !dso_may_be_named(search, place))
		return -ENOENT;
	if (*place->dso == '/' && end) {
		snprintf(file, sizeof(file), "%.*s", (int)(end - place->dso),
			 place->dso);
		return try_file(dso, search, root ? root : "", file, place);
	}
	if (!root && search->options->same_machine && !uname(&uts))
		return try_indices(dso, search, "", uts.release, place);
	return try_indices(dso, search, root ? root : "", "*", place);
}
