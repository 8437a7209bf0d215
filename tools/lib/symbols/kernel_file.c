// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "kernel_file.h"
#include "base/kernel_name.h"
#include "root_glob.h"

#include <errno.h>

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

/* Of several kernels, only the build-id tells which it was. */
int kernel_file_try(struct dso_symbols *dso, struct dso_search *search,
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
