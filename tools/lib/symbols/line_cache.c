// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "line_cache.h"
#include "base/array.h"
#include "reader_child.h"

/*
 * Limit for the strings of all files, in bytes. DWARF strings may overlap, so
 * that a small file can name many; compilers' strings are smaller than the
 * file.
 */
#define MAX_TEXTS (UINT64_C(512) << 20)

/* At least so many bytes are asked for, in powers of 2 up to READER_AHEAD. */
#define AHEAD_MIN 128

/*
 * Copies @text into the cache. Returns 0; -EFBIG if all strings together exceed
 * the limit; or -ENOMEM.
 */
static int keep(struct line_cache *cache, struct unreadable_files *missing,
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

static int item_add(struct line_cache *cache, struct unreadable_files *missing,
		    const struct reader_lines *lines, size_t i)
{
	const struct reader_run *run = &lines->runs[i], *last = run - !!i;
	struct pmscope_line *item;
	int ret = 0;

	if (array_room(cache->items, cache->nr_items, cache->max_items))
		return -ENOMEM;
	item = &cache->items[cache->nr_items];
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

static int runs_add(struct line_cache *cache, struct unreadable_files *missing,
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

static int ask(struct line_cache *cache, struct reader *reader,
	       uint64_t address, uint64_t limit)
{
	struct reader_lines lines;
	int ret =
		reader_find_lines(reader, &cache->file, address, limit, &lines);

	return ret ?: runs_add(cache, reader->missing, address, &lines);
}

/*
 * How many bytes to ask for: more, the more often code near @address was asked
 * for, so that few answers suffice for much code, and little is read for one
 * address. Returns 0 if out of memory.
 */
static uint64_t window_size(struct line_cache *cache, uint64_t address)
{
	uint64_t block = address / READER_AHEAD, size;
	uint32_t times = 0;

	map_get(&cache->asked, block, &times);
	size = (uint64_t)AHEAD_MIN << times;
	if (size < READER_AHEAD && map_set(&cache->asked, block, times + 1))
		return 0;
	return size;
}

/* Reads the lines of @address and others @around it, none of them cached. */
static int read_lines(struct line_cache *cache, struct reader *reader,
		      uint64_t address, const struct pmscope_around *around)
{
	uint64_t size = window_size(cache, address);
	uint64_t before = address & (size - 1), behind = size - 1 - before;
	int ret;

	if (!size)
		return -ENOMEM;
	if (before > around->before)
		before = around->before;
	if (behind > around->behind)
		behind = around->behind;
	ret = ask(cache, reader, address - before, before + behind);
	if (!ret && before && !space_find(&cache->index_of_any, address, NULL))
		ret = ask(cache, reader, address, behind);
	if (ret == -EFBIG) {
		cache->file.error = ret;
		unreadable_add(reader->missing, cache->file.path, ret);
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
		ret = read_lines(cache, reader, address, &around);
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
static int keep_at(struct line_cache *cache, struct unreadable_files *missing,
		   const char *texts, uint32_t at, const char **kept)
{
	*kept = NULL;
	return at ? keep(cache, missing, texts + at - 1, kept) : 0;
}

static int frame_keep(struct line_cache *cache,
		      struct unreadable_files *missing, const char *texts,
		      const struct reader_frame *f, struct pmscope_frame *frame)
{
	*frame = (struct pmscope_frame){
		.line = f->line,
		.discriminator = f->discriminator,
		.start = f->start,
	};
	return keep_at(cache, missing, texts, f->name, &frame->name)
		       ?: keep_at(cache, missing, texts, f->linkage,
				  &frame->linkage)
		       ?: keep_at(cache, missing, texts, f->file, &frame->file);
}

/* The first frame at @address, of the newest answer; NULL if it has none. */
static const struct reader_frame *frames_at(const struct frames_ahead *ahead,
					    uint64_t address, uint64_t *behind)
{
	const struct reader_frame *f = ahead->from.frames;
	uint64_t at = address - ahead->address;

	if (address < ahead->address || at >= ahead->size)
		return NULL;
	while (at >= f->size) {
		at -= f->size;
		f += f->nr + !f->nr;
	}
	*behind = f->size - 1 - at;
	return f;
}

/* Keeps a copy of an answer. */
static int ahead_set(struct frames_ahead *ahead, uint64_t address,
		     const struct reader_frames *from)
{
	char *copy = realloc((void *)ahead->from.frames, from->size);

	ahead->size = 0;
	if (!copy)
		return -ENOMEM;
	memcpy(copy, from->frames, from->size);
	ahead->from.frames = (const void *)copy;
	ahead->from.nr = from->nr;
	ahead->from.texts = copy + from->nr * sizeof(*from->frames);
	ahead->address = address;
	for (size_t i = 0; i < from->nr; i++)
		if (__builtin_add_overflow(ahead->size, from->frames[i].size,
					   &ahead->size))
			ahead->size = UINT64_MAX;
	return 0;
}

/* Reads more, the longer the caller goes from one address to the next. */
static int ask_frames(struct line_cache *cache, struct reader *reader,
		      uint64_t address)
{
	struct frames_ahead *ahead = &cache->ahead;
	struct reader_frames from;
	uint64_t gone = address - ahead->address;
	bool goes_on = ahead->size && address > ahead->address &&
		       gone < ahead->size + ahead->limit + AHEAD_MIN;
	int ret;

	ahead->limit = goes_on ? 2 * ahead->limit + AHEAD_MIN / 4 : 0;
	if (ahead->limit > READER_AHEAD)
		ahead->limit = READER_AHEAD;
	ret = reader_find_frames(reader, &cache->file, address, ahead->limit,
				 &from);
	return ret ?: ahead_set(ahead, address, &from);
}

int line_cache_frames(struct line_cache *cache, struct reader *reader,
		      uint64_t address, struct pmscope_frame *frames,
		      uint64_t *behind)
{
	const struct frames_ahead *ahead = &cache->ahead;
	const struct reader_frame *f = frames_at(ahead, address, behind);
	int ret = f ? 0 : ask_frames(cache, reader, address);

	if (!f && !ret)
		f = frames_at(ahead, address, behind);
	for (size_t i = 0; !ret && i < f->nr; i++)
		ret = frame_keep(cache, reader->missing, ahead->from.texts,
				 &f[i], &frames[i]);
	if (ret == -EFBIG) {
		cache->file.error = ret;
		unreadable_add(reader->missing, cache->file.path, ret);
	}
	if (ret)
		return ret == -ENOMEM ? ret : -ENOENT;
	return f->nr ? (int)f->nr : -ENOENT;
}

void line_cache_fini(struct line_cache *cache)
{
	map_fini(&cache->index_of_address);
	space_pool_fini(&cache->pool);
	free(cache->items);
	strings_fini(&cache->texts);
	map_fini(&cache->asked);
	free((void *)cache->ahead.from.frames);
}
