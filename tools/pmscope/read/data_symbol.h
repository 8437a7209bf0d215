/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol of each record's data, remembered: of a large array it is found
 * once for many places in it.
 */
#ifndef PMSCOPE_READ_DATA_SYMBOL_H
#define PMSCOPE_READ_DATA_SYMBOL_H

#include "read/symbol_cache.h"

struct variables;

/* As codes_new(). */
struct variables *variables_new(void);
void variables_free(struct variables *variables);

/*
 * For the data address of @current; NULL without one. Valid until the next
 * call.
 */
const struct code *variable_find(struct variables *variables,
				 const struct load *load,
				 const struct current *current);

#endif /* PMSCOPE_READ_DATA_SYMBOL_H */
