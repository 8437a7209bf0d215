/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The files of kernel modules. Recordings call a module by its file, as
 * /lib/modules/6.1.0/kernel/fs/a-b.ko.xz, or "[a_b]".
 */
#ifndef PMSCOPE_SYMBOLS_MODULE_H
#define PMSCOPE_SYMBOLS_MODULE_H

#include "dso.h"

/* "[a_b]" of either name, to be freed; NULL when memory is short. */
char *module_name(const char *dso);

/*
 * Fills in @dso from the module's file, stripped or not, as it is installed, or
 * from its debug file. Returns 0, -ENOENT or -ENOMEM.
 */
int module_try(struct dso_symbols *dso, struct dso_search *search,
	       const struct pmscope_place *place);

#endif /* PMSCOPE_SYMBOLS_MODULE_H */
