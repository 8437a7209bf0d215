/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_KERNEL_FILE_H
#define PMSCOPE_SYMBOLS_KERNEL_FILE_H

#include "dso.h"

/* A vmlinux where distributions and kernel developers have it. See dso_try().
 */
int kernel_file_try(struct dso_symbols *dso, struct dso_search *search,
		    const struct pmscope_place *place);

#endif /* PMSCOPE_SYMBOLS_KERNEL_FILE_H */
