// SPDX-License-Identifier: GPL-2.0-or-later
/* What a filter by names said, so that equal samples need no lookup. */
#include "read/caches.h"

#define MEMO_BITS 12

struct filter_memo {
	struct symbol_cache *codes;
	struct data_symbols *variables; /* where a term is of data */
	struct {
		uint64_t hash; /* 0: empty */
		bool passes;
	} seen[1 << MEMO_BITS];
};

static struct filter_memo *memo_new(unsigned int deps)
{
	struct filter_memo *memo = calloc(1, sizeof(*memo));

	if (!memo)
		return NULL;
	memo->codes = symbol_cache_new();
	if (deps & DEP_DATA)
		memo->variables = data_symbols_new();
	if (memo->codes && (memo->variables || !(deps & DEP_DATA)))
		return memo;
	filter_memo_free(memo);
	return NULL;
}

bool filter_passes_sample(struct load *load, const struct thread_cache *current)
{
	struct view view;

	if (!load->filter->nr_terms)
		return true;
	view_begin(&view, &current->sample);
	return filter_passes(load, &view, current);
}

bool filter_passes_group(const struct load *load,
			 const struct pmscope_sample *group)
{
	struct view view = {.sample = group};

	return filter_times(load->filter, &view);
}

void filter_memo_free(struct filter_memo *memo)
{
	if (memo) {
		symbol_cache_free(memo->codes);
		data_symbols_free(memo->variables);
	}
	free(memo);
}

static bool passes_named(const struct load *load, struct view *view,
			 const struct thread_cache *current)
{
	const struct filter *filter = load->filter;
	struct filter_memo *memo = load->memo;
	const struct cached_symbol *code = NULL;
	struct data_names names;
	uint64_t hash;
	size_t at;

	if (filter->deps & DEP_CODE && view->has & PMSCOPE_HAS_PC) {
		code = symbol_cache_find(memo->codes, &load->names, current);
		view->symbol = code_symbol(code, view->pc);
	}
	hash = deps_hash(filter->deps, current, code);
	if (filter->deps & DEP_DATA) {
		names = data_names_find(memo->variables, &load->names, current,
					filter->deps);
		data_names_show(&names, view);
		hash = deps_data(hash, &names);
	}
	at = hash >> (64 - MEMO_BITS);
	if (memo->seen[at].hash != hash) {
		memo->seen[at].hash = hash;
		memo->seen[at].passes = filter_named(filter, view);
	}
	return memo->seen[at].passes;
}

bool filter_passes(struct load *load, struct view *view,
		   const struct thread_cache *current)
{
	const struct filter *filter = load->filter;
	bool passed = filter_plain(filter, view);

	if (passed && filter->deps) {
		if (!load->memo)
			load->memo = memo_new(filter->deps);
		if (load->memo) {
			passed = passes_named(load, view, current);
		} else {
			view_names(view, load->recording, load->symbols);
			passed = filter_named(filter, view);
		}
	}
	load->filtered += !passed;
	return passed;
}
