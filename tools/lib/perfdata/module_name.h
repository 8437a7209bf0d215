/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_PERFDATA_MODULE_NAME_H
#define PMSCOPE_PERFDATA_MODULE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Where ".ko" ends in the name of a file that a module is in, NULL without it:
 * behind it is how the file is compressed, ".xz" for instance.
 */
static inline const char *module_file_end(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *at = strstr(slash ? slash : name, ".ko");

	while (at && at[3] && at[3] != '.')
		at = strstr(at + 1, ".ko");
	return at ? at + 3 : NULL;
}

/* "a_b" is in a_b.ko or a-b.ko, perhaps compressed. */
static inline bool is_module_file(const char *path, const char *module)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;

	for (; *module; file++, module++)
		if (*file != *module && !(*file == '-' && *module == '_'))
			return false;
	return !strncmp(file, ".ko", 3);
}

#endif /* PMSCOPE_PERFDATA_MODULE_NAME_H */
