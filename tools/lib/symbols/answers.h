/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What the child told of one file, which is asked for once. */
#pragma once

#include "base/map.h"
#include "base/space.h"
#include "base/strings.h"
#include "reader.h"

/* Functions and lines. Empty when zeroed, except for path and name of @file. */
struct line_cache {
	struct reader_file file;
	struct space ranges; /* by address: numbers of @items */
	struct space_pool pool;
	struct code_range *items;
	size_t nr_items;
	size_t max_items;
	struct pmscope_frame *frames; /* of all items */
	size_t nr_frames;
	size_t max_frames;
	struct strings texts;
	struct map asked; /* how often, of each READER_AHEAD bytes of code */
};

/*
 * Finds the source line at the link address @address. Returns 0; -ENOENT if it
 * is unknown; or -ENOMEM. The strings of @line stay valid until
 * line_cache_fini().
 */
int line_cache_find(struct line_cache *cache, struct reader *reader,
		    uint64_t address, struct pmscope_line *line);

/* The same of the functions there, as pmscope_symbols_frames(). */
int line_cache_frames(struct line_cache *cache, struct reader *reader,
		      uint64_t address, struct pmscope_frame *frames,
		      uint64_t *behind);
void line_cache_fini(struct line_cache *cache);

/* The members of variables of one kind, by their place in the variable. */
struct members {
	KEYED(struct reader_layout *, layouts, nr_layouts, layout_of_start);
};

/* Room for a path; a longer one ends there. */
#define MEMBER_PATH 1024

/*
 * Writes the path of the member that is @offset bytes behind @address, which is
 * as @kind says and of @file, called @name or, if that is NULL, as DWARF does.
 * Sets @stride if the paths repeat, and to the size if nothing else is known.
 * Returns 0; -ENOENT if the variable or its type is unknown; or -ENOMEM.
 */
int members_path(struct members members[READER_KINDS], struct reader *reader,
		 struct reader_file *file, enum reader_kind kind,
		 uint64_t address, uint64_t offset, const char *name,
		 char path[MEMBER_PATH], uint64_t *stride);
void members_fini(struct members *members);
