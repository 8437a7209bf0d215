/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats the lines of records. Text that depends only on the code, the thread
 * and so on is formatted once and then copied.
 */
#ifndef PMSCOPE_SCRIPT_TEXT_CACHE_H
#define PMSCOPE_SCRIPT_TEXT_CACHE_H

#include "cli/output.h"
#include "read/sample_key.h"
#include "read/data_symbol.h"
#include "script/plan.h"

struct piece;

/**
 * struct text_cache - what the lines of one thread have in common
 * @pieces: the texts of each segment that is remembered
 * @variables: only if the plan has a field of the data symbol
 * @to: symbol of the newest record's target, if the plan has a field for it
 * @before: the same of the target of the branch before
 */
struct text_cache {
	const struct plan *plan;
	const struct load *load;
	struct symbol_cache *codes;
	struct data_symbols *variables;
	struct piece *pieces[PLAN_PARTS];
	struct pmscope_place place;
	struct pmscope_place target_place;
	struct pmscope_symbol to;
	struct pmscope_symbol before;
};

/* Returns 0 or -ENOMEM; call text_cache_fini() in both cases. */
int text_cache_init(struct text_cache *cache, const struct plan *plan,
		    const struct load *load);
void text_cache_fini(struct text_cache *cache);

/*
 * Writes the line of the record in @current; view_begin() has filled in @view
 * from it. Returns its length; 0 if out of memory, and then @out has failed.
 */
size_t line_print(struct text_cache *cache, struct output *out,
		  struct view *view, const struct thread_cache *current);

/* The same for a group. */
size_t group_print(const struct plan *plan, struct output *out,
		   const struct view *view);

#endif /* PMSCOPE_SCRIPT_TEXT_CACHE_H */
