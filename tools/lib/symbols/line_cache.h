/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Source lines of one file that were asked for: each is read once. */
#ifndef PMSCOPE_SYMBOLS_LINE_CACHE_H
#define PMSCOPE_SYMBOLS_LINE_CACHE_H

#include "base/map.h"
#include "base/space.h"
#include "base/strings.h"
#include "reader.h"

/* Zeros but for the path and name of @file know none. */
struct line_cache {
	struct reader_file file;
	struct map index_of_address; /* of those that were asked for */
	struct space index_of_any;   /* of those beside them, too */
	struct space_pool pool;
	struct pmscope_line *items;
	size_t nr_items;
	size_t max_items;
	struct strings texts;
};

/*
 * @address as linked. Returns 0; -ENOENT when nothing is known; -ENOMEM. What
 * @line points to stays until line_cache_fini().
 */
int line_cache_find(struct line_cache *cache, struct reader *reader,
		    uint64_t address, struct pmscope_line *line);
void line_cache_fini(struct line_cache *cache);

#endif /* PMSCOPE_SYMBOLS_LINE_CACHE_H */
