/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Finds the file of a kernel module in depmod's modules.dep. */
#pragma once

#include "base/strings.h"

/* Caches each modules.dep file that was read. Initialize to zeros. */
struct module_index {
	struct strings paths;
	struct named files; /* key: "NUMBER MODULE", the number from @paths */
};

/*
 * Looks up @module ("a_b") in the modules.dep at @path; *@file is NULL if it is
 * not listed. Returns 0 or -errno, but errors of open(2) only at the first
 * call for @path.
 */
int module_index_find(struct module_index *index, const char *path,
		      const char *module, const char **file);
void module_index_fini(struct module_index *index);
