/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cache for the variables and members of data addresses: a large array is
 * looked up once for many addresses in it.
 */
#pragma once

#include "read/symbol_cache.h"
#include "sample/fields.h"

struct data_symbols;

/* As symbol_cache_new(). */
struct data_symbols *data_symbols_new(void);
void data_symbols_free(struct data_symbols *variables);

/**
 * struct data_names - what a data address is
 * @variable: NULL without an address; its name is NULL if it is not known
 * @member: of the variable, or NULL
 * @memory: enum pmscope_memory, where the variable is not known
 */
struct data_names {
	struct cached_symbol *variable;
	const char *member;
	unsigned int memory;
};

/*
 * Finds what the data address of @current is; member and memory only if @deps
 * has DEP_MEMBER. Valid until the next call.
 */
struct data_names data_names_find(struct data_symbols *variables,
				  const struct load *load,
				  const struct thread_cache *current,
				  unsigned int deps);

/* The place of a data address that has a variable; false if none has. */
bool data_place(const struct load *load, const struct pmscope_sample *sample,
		uint64_t va, struct pmscope_place *place);

/* Sets the names in @view. */
static inline void data_names_show(const struct data_names *names,
				   struct view *view)
{
	if (names->variable)
		view->data = code_symbol(names->variable, view->va);
	view->member = names->member;
	view->memory = names->memory;
}
