/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol of each record's data, remembered: of a large array it is found
 * once for many places in it.
 */
#ifndef PMSCOPE_READ_DATA_SYMBOL_H
#define PMSCOPE_READ_DATA_SYMBOL_H

#include "read/symbol_cache.h"

struct data_symbols;

/* As symbol_cache_new(). */
struct data_symbols *data_symbols_new(void);
void data_symbols_free(struct data_symbols *variables);

/*
 * For the data address of @current; NULL without one. Valid until the next
 * call.
 */
const struct cached_symbol *
data_symbol_find(struct data_symbols *variables, const struct load *load,
		 const struct thread_cache *current);

#endif /* PMSCOPE_READ_DATA_SYMBOL_H */
