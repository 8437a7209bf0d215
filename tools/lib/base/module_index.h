/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* depmod's modules.dep: which module is in which file. */
#ifndef PMSCOPE_BASE_MODULE_INDEX_H
#define PMSCOPE_BASE_MODULE_INDEX_H

#include "base/named.h"

/* All requested indexes; zeros are empty. Each is read once. */
struct module_index {
	struct strings paths;
	struct named files; /* of modules, by the number of a path and a name */
};

/*
 * Finds the file of @module, "a_b", in the index at @path; NULL if it is not
 * there. Returns 0, -ENOMEM or, at the first call, an error of open(2).
 */
int module_index_find(struct module_index *index, const char *path,
		      const char *module, const char **file);
void module_index_fini(struct module_index *index);

#endif /* PMSCOPE_BASE_MODULE_INDEX_H */
