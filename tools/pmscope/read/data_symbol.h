/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cache for the symbols of data addresses: a large array is looked up once
 * for many addresses in it.
 */
#ifndef PMSCOPE_READ_DATA_SYMBOL_H
#define PMSCOPE_READ_DATA_SYMBOL_H

#include "read/symbol_cache.h"

struct data_symbols;

/* As symbol_cache_new(). */
struct data_symbols *data_symbols_new(void);
void data_symbols_free(struct data_symbols *variables);

/*
 * Finds the symbol of the data address of @current; NULL if it has none. Valid
 * until the next call.
 */
const struct cached_symbol *
data_symbol_find(struct data_symbols *variables, const struct load *load,
		 const struct thread_cache *current);

#endif /* PMSCOPE_READ_DATA_SYMBOL_H */
