/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache for the results of the filter. */
#pragma once

#include "fields/filter.h"
#include "read/thread_cache.h"

/*
 * Does the sample of @current pass the filter of @load? @view was filled by
 * view_begin(). Counts samples that do not pass.
 */
bool filter_passes(struct load *load, struct view *view,
		   const struct thread_cache *current);

/* The same of @current alone: its time must be set. */
bool filter_passes_sample(struct load *load,
			  const struct thread_cache *current);

/* Is the time of the group in those of the filter? Its other terms are of
 * samples. */
bool filter_passes_group(const struct load *load,
			 const struct pmscope_sample *group);

/* Stores a result of filter_passes() in @load. */
void filter_memo_free(struct filter_memo *memo);
