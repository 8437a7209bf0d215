/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When lines of memory were used: samples by use, kind of access, time and
 * latency.
 *
 * Memory is bounded: when there are too many cells, uses with few samples have
 * none. A use that has many samples later gets cells from then on.
 */
#ifndef PMSCOPE_HTML_MOMENTS_H
#define PMSCOPE_HTML_MOMENTS_H

#include "html/cells.h"
#include "rows/cachelines.h"

#define MOMENTS_MAX_CELLS (1U << 16)

/**
 * struct moments
 * @cells: their place is the index of the use, their kind what the samples did
 * @least: samples that a use needs to have cells
 * @of_use: the cells in the order of uses, after moments_sort()
 */
struct moments {
	struct cells cells;
	uint32_t least;
	const struct cube_cell **of_use;
};

/* Returns 0 or -ENOMEM, as all below do. End with moments_fini() anyway. */
int moments_begin(struct moments *moments);
void moments_fini(struct moments *moments);

/* For struct lines_config; @moments is the context. */
int moments_count(void *moments, const struct cache_lines *all, uint32_t use,
		  unsigned int access, const struct view *view);

/* Call after the last sample and change of cells. */
int moments_sort(struct moments *moments);

/* The cells of a use, and how many. */
const struct cube_cell **moments_of(const struct moments *moments, uint32_t use,
				    size_t *nr);

#endif /* PMSCOPE_HTML_MOMENTS_H */
