/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Caches the source lines of one file. */
#pragma once

#include "base/map.h"
#include "base/space.h"
#include "base/strings.h"
#include "reader.h"

/* Empty when zeroed, except for the path and name of @file. */
struct line_cache {
	struct reader_file file;
	struct map index_of_address; /* addresses asked for */
	struct space index_of_any;   /* their neighbours, too */
	struct space_pool pool;
	struct pmscope_line *items;
	size_t nr_items;
	size_t max_items;
	struct strings texts;
	struct map asked; /* how often, of each READER_AHEAD bytes of code */
	struct frames_ahead {
		struct reader_frames from; /* the newest answer; a copy */
		uint64_t address;
		uint64_t size;
		uint64_t limit; /* 0: not read ahead */
	} ahead;
};

/*
 * Finds the source line at the link address @address. Returns 0; -ENOENT if it
 * is unknown; or -ENOMEM. The strings of @line stay valid until
 * line_cache_fini().
 */
int line_cache_find(struct line_cache *cache, struct reader *reader,
		    uint64_t address, struct pmscope_line *line);

/*
 * Finds the functions at the link address @address, as
 * pmscope_symbols_frames(). For callers that look for one address behind the
 * other, some of those that come next are read ahead.
 */
int line_cache_frames(struct line_cache *cache, struct reader *reader,
		      uint64_t address, struct pmscope_frame *frames,
		      uint64_t *behind);
void line_cache_fini(struct line_cache *cache);
