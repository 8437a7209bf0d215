/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Where a process writes the description of its generated code. */
#ifndef PMSCOPE_SYMBOLS_JIT_FILES_H
#define PMSCOPE_SYMBOLS_JIT_FILES_H

#include <pmscope/symbols.h>

#include "jit.h"

/*
 * Adds the description of the process of @place to @jit; only files of the
 * recorded machine count. Returns 0 or -ENOMEM.
 */
int jit_files_read(const struct pmscope_symbols_options *options,
		   struct jit_index *index, const struct pmscope_place *place,
		   struct jit_symbols *jit);

#endif /* PMSCOPE_SYMBOLS_JIT_FILES_H */
