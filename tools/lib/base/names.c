// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "names.h"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *module_file_end(const char *name)
{
	const char *at = strstr(base_of(name), ".ko");

	while (at && at[3] && at[3] != '.')
		at = strstr(at + 1, ".ko");
	return at ? at + 3 : NULL;
}

bool module_is(const char *name)
{
	return name && !is_kernel_name(name) &&
	       (*name == '[' || module_file_end(name));
}

void module_name_of(const char *name, char module[MODULE_NAME_SIZE])
{
	const char *end = module_file_end(name);
	const char *start = *name == '[' ? name + 1 : base_of(name);
	size_t length = end ? (size_t)(end - 3 - start) : strcspn(start, "]");

	snprintf(module, MODULE_NAME_SIZE, "%.*s", (int)length, start);
	for (char *p = module; *p; p++)
		if (*p == '-')
			*p = '_';
}
