// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "line_cache.h"
#include "base/array.h"
#include "reader_child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Limit for the strings of all files, in bytes. DWARF strings may overlap, so
 * that a small file can name many; compilers' strings are smaller than the
 * file.
 */
#define MAX_TEXTS (UINT64_C(512) << 20)

/*
 * Copies @text into the cache. Returns 0; -EFBIG if all strings together exceed
 * the limit; or -ENOMEM.
 */
static int keep(struct line_cache *cache, struct missing *missing,
		const char *text, const char **kept)
{
	size_t before = cache->texts.bytes;
	uint32_t number;

	if (missing->texts >= MAX_TEXTS)
		return -EFBIG;
	if (strings_intern(&cache->texts, text, strlen(text), &number))
		return -ENOMEM;
	missing->texts += cache->texts.bytes - before;
	*kept = strings_get(&cache->texts, number);
	return 0;
}

static int item_add(struct line_cache *cache, struct missing *missing,
		    const struct reader_lines *lines, size_t i)
{
	const struct reader_run *run = &lines->runs[i], *last = run - !!i;
	struct pmscope_line *item;
	int ret = 0;

	item = array_reserve(cache->items, cache->nr_items, &cache->max_items,
			     sizeof(*item));
	if (!item)
		return -ENOMEM;
	cache->items = item;
	item += cache->nr_items;
	*item = (struct pmscope_line){.line = run->line};
	if (i && run->file == last->file)
		item->file = item[-1].file;
	else if (run->file)
		ret = keep(cache, missing, lines->texts + run->file - 1,
			   &item->file);
	if (i && run->frames == last->frames)
		item->frames = item[-1].frames;
	else if (run->frames && !ret)
		ret = keep(cache, missing, lines->texts + run->frames - 1,
			   &item->frames);
	cache->nr_items += !ret;
	return ret;
}

static int runs_add(struct line_cache *cache, struct missing *missing,
		    uint64_t address, const struct reader_lines *lines)
{
	for (size_t i = 0; i < lines->nr; i++) {
		struct mapping mapping = {
			.start = address,
			.end = address + lines->runs[i].size,
			.dso = cache->nr_items,
		};
		int ret = item_add(cache, missing, lines, i);

		if (!ret && mapping.end > address)
			ret = space_map(&cache->pool, &cache->index_of_any,
					&mapping);
		if (ret)
			return ret;
		address = mapping.end;
	}
	return 0;
}

/* Remembers that the line of @address is unknown and stays so. */
static int unknown_add(struct line_cache *cache, uint64_t address)
{
	static const struct reader_run none = {.size = 1};
	const struct reader_lines lines = {.runs = &none, .nr = 1};

	return runs_add(cache, NULL, address, &lines);
}

/*
 * Reads the lines from @address on; none up to @limit bytes after it is cached.
 */
static int read_lines(struct line_cache *cache, struct reader *reader,
		      uint64_t address, uint64_t limit)
{
	struct reader_lines lines;
	int ret =
		reader_find_lines(reader, &cache->file, address, limit, &lines);

	if (!ret)
		ret = runs_add(cache, reader->missing, address, &lines);
	if (ret == -EFBIG) {
		cache->file.error = ret;
		missing_file(reader->missing, cache->file.path, ret);
	}
	return ret && ret != -ENOMEM ? unknown_add(cache, address) : ret;
}

/* Adds @address to the cache. Returns 0, -ENOENT or -ENOMEM. */
static int line_add(struct line_cache *cache, struct reader *reader,
		    uint64_t address, uint32_t *index)
{
	struct pmscope_around around = {address, UINT64_MAX - address};
	const struct mapping *known =
		space_find(&cache->index_of_any, address, &around);
	int ret;

	if (!known) {
		ret = read_lines(cache, reader, address, around.behind);
		if (ret)
			return ret;
		known = space_find(&cache->index_of_any, address, NULL);
	}
	if (!known)
		return -ENOENT;
	*index = known->dso;
	return map_set(&cache->index_of_address, address, *index);
}

int line_cache_find(struct line_cache *cache, struct reader *reader,
		    uint64_t address, struct pmscope_line *line)
{
	uint32_t index;
	int ret = 0;

	if (!map_get(&cache->index_of_address, address, &index))
		ret = line_add(cache, reader, address, &index);
	if (ret)
		return ret;
	*line = cache->items[index];
	return line->file ? 0 : -ENOENT;
}

/* Copies the string at @at, an offset plus 1, into the cache. */
static int keep_at(struct line_cache *cache, struct missing *missing,
		   const struct reader_frames *from, uint32_t at,
		   const char **kept)
{
	*kept = NULL;
	return at ? keep(cache, missing, from->texts + at - 1, kept) : 0;
}

static int frame_keep(struct line_cache *cache, struct missing *missing,
		      const struct reader_frames *from, size_t i,
		      struct pmscope_frame *frame)
{
	const struct reader_frame *f = &from->frames[i];

	*frame = (struct pmscope_frame){
		.line = f->line,
		.discriminator = f->discriminator,
		.start = f->start,
	};
	return keep_at(cache, missing, from, f->name, &frame->name)
		       ?: keep_at(cache, missing, from, f->linkage,
				  &frame->linkage)
		       ?: keep_at(cache, missing, from, f->file, &frame->file);
}

int line_cache_frames(struct line_cache *cache, struct reader *reader,
		      uint64_t address, struct pmscope_frame *frames,
		      uint64_t *behind)
{
	struct reader_frames from;
	int ret = reader_find_frames(reader, &cache->file, address, &from);

	for (size_t i = 0; !ret && i < from.nr; i++)
		ret = frame_keep(cache, reader->missing, &from, i, &frames[i]);
	if (ret == -EFBIG) {
		cache->file.error = ret;
		missing_file(reader->missing, cache->file.path, ret);
	}
	if (ret)
		return ret == -ENOMEM ? ret : -ENOENT;
	*behind = from.behind;
	return from.nr ? (int)from.nr : -ENOENT;
}

void line_cache_fini(struct line_cache *cache)
{
	map_fini(&cache->index_of_address);
	space_pool_fini(&cache->pool);
	free(cache->items);
	strings_fini(&cache->texts);
}
