/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Finds the files of kernel modules. Recordings call a module
 * by its path, such as /lib/modules/6.1.0/kernel/fs/a-b.ko.xz, or by its name,
 * "[a_b]".
 */
#pragma once

#include "dso.h"

/* Returns "[a_b]" for either form, to be freed, or NULL if out of memory. */
char *module_name(const char *dso);

/*
 * Fills in @dso from the module's installed file, stripped or not, or from its
 * debug file. Returns 0, -ENOENT or -ENOMEM.
 */
int module_try(struct dso_symbols *dso, struct dso_search *search,
	       const struct pmscope_place *place);
