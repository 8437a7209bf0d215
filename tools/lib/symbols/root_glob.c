// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "root_glob.h"

#include <limits.h>
#include <string.h>

/* Any directory may be called like a pattern, such as "perf[1].symfs". */
static char *escape(char *to, const char *name)
{
	for (; *name; name++) {
		if (strchr("*?[\\", *name))
			*to++ = '\\';
		*to++ = *name;
	}
	return to;
}

bool root_glob(const char *root, const char *pattern, glob_t *found)
{
	char path[2 * PATH_MAX]; /* all of the root may be escaped */

	if (!root)
		root = "";
	if (strlen(root) + strlen(pattern) >= PATH_MAX)
		return false;
	strcpy(escape(path, root), pattern);
	*found = (glob_t){};
	if (!glob(path, 0, NULL, found))
		return true;
	globfree(found);
	return false;
}
