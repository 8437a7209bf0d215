/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples pass the filter of a recording, remembered. */
#ifndef PMSCOPE_READ_FILTER_MEMO_H
#define PMSCOPE_READ_FILTER_MEMO_H

#include "fields/filter.h"
#include "read/thread_cache.h"

/*
 * Does the sample of @current, which view_begin() filled in @view of, pass the
 * filter of @load? Counts those that do not.
 */
bool filter_passes(struct load *load, struct view *view,
		   const struct thread_cache *current);

/* Stores a result of filter_passes() in @load. */
void filter_memo_free(struct filter_memo *memo);

#endif /* PMSCOPE_READ_FILTER_MEMO_H */
