// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "dso.h"

/*
 * Limit for the strings of all files, in bytes. DWARF strings may overlap, so
 * that a small file can name many; compilers' strings are smaller than the
 * file.
 */
#define MAX_TEXTS (UINT64_C(512) << 20)

/* At least so many bytes are asked for, in powers of 2 up to READER_AHEAD. */
#define AHEAD_MIN 128

/* A list of inlined functions: nobody reads more, or longer ones. */
#define MAX_INLINED 16
#define TEXT_MAX    16384
#define BETWEEN	    " < "

/* Addresses that have the same functions and line, which has the first frame */
struct code_range {
	size_t first;
	unsigned int nr;     /* 0: only the line, if any */
	const char *inlined; /* names of several; NULL: not made yet */
};

/* Copies @text into the cache. 0; -EFBIG: strings exceed the limit; -ENOMEM. */
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

/* The same of the string at @at, an offset plus 1. */
static int keep_at(struct line_cache *cache, struct unreadable_files *missing,
		   const char *texts, uint32_t at, const char **kept)
{
	return at ? keep(cache, missing, texts + at - 1, kept) : 0;
}

static int frame_add(struct line_cache *cache, struct unreadable_files *missing,
		     const char *texts, const struct reader_frame *f)
{
	struct pmscope_frame frame = {
		.line = f->line,
		.discriminator = f->discriminator,
		.start = f->start,
	};

	return keep_at(cache, missing, texts, f->name, &frame.name)
		       ?: keep_at(cache, missing, texts, f->linkage,
				  &frame.linkage)
		       ?: keep_at(cache, missing, texts, f->file, &frame.file)
		       ?: array_add(cache->frames, cache->nr_frames,
				    cache->max_frames, frame);
}

static int ranges_add(struct line_cache *cache,
		      struct unreadable_files *missing, uint64_t address,
		      const struct reader_frames *from)
{
	const struct reader_frame *f = from->frames, *end = f + from->nr;
	int ret = 0;

	while (f < end && !ret) {
		const struct reader_frame *next = f + f->nr + !f->nr;
		const struct code_range item = {cache->nr_frames, f->nr, NULL};
		struct mapping m = {.start = address, .dso = cache->nr_items};

		if (__builtin_add_overflow(address, f->size, &m.end))
			m.end = UINT64_MAX;
		for (; f < next && !ret; f++)
			ret = frame_add(cache, missing, from->texts, f);
		ret = ret
			      ?: array_add(cache->items, cache->nr_items,
					   cache->max_items, item);
		if (!ret && m.end > m.start)
			ret = space_map(&cache->pool, &cache->ranges, &m);
		address = m.end;
	}
	return ret;
}

static int ask(struct line_cache *cache, struct reader *reader,
	       uint64_t address, uint64_t limit)
{
	struct reader_frames frames;
	int ret = reader_find_frames(reader, &cache->file, address, limit,
				     &frames);

	return ret ?: ranges_add(cache, reader->missing, address, &frames);
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

/* What is over the limit of all strings is not read any more. */
static int settle(struct line_cache *cache, struct reader *reader, int ret)
{
	if (ret != -EFBIG)
		return ret;
	cache->file.error = ret;
	unreadable_add(reader->missing, cache->file.path, ret);
	return -ENOENT;
}

/* Reads what is at @address and others @around it, none of them cached. */
static int read_ranges(struct line_cache *cache, struct reader *reader,
		       uint64_t address, const struct pmscope_around *around)
{
	static const struct reader_frame none = {.size = 1};
	const struct reader_frames unknown = {.frames = &none, .nr = 1};
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
	if (!ret && before && !space_find(&cache->ranges, address, NULL))
		ret = ask(cache, reader, address, behind);
	ret = settle(cache, reader, ret);
	return ret && ret != -ENOMEM
		       ? ranges_add(cache, NULL, address, &unknown)
		       : ret;
}

/* Sets @found. Returns 0, -ENOENT or -ENOMEM. */
static int find(struct line_cache *cache, struct reader *reader,
		uint64_t address, struct pmscope_around *around,
		struct code_range **found)
{
	const struct pmscope_around all = {address, UINT64_MAX - address};
	const struct mapping *m;
	int ret;

	*around = all;
	m = space_find(&cache->ranges, address, around);
	if (!m) {
		ret = read_ranges(cache, reader, address, around);
		if (ret)
			return ret;
		*around = all;
		m = space_find(&cache->ranges, address, around);
	}
	*found = m ? &cache->items[m->dso] : NULL;
	return m ? 0 : -ENOENT;
}

/* Joins the names, innermost first, as far as they fit. */
static int join(struct line_cache *cache, struct unreadable_files *missing,
		struct code_range *range)
{
	char text[TEXT_MAX], *end = text;

	for (unsigned int i = 0; i < range->nr && i < MAX_INLINED; i++) {
		const char *name = cache->frames[range->first + i].name;

		if (!name || strlen(name) + sizeof(BETWEEN) >
				     (size_t)(text + sizeof(text) - end))
			break;
		end = stpcpy(stpcpy(end, i ? BETWEEN : ""), name);
	}
	return end > text ? keep(cache, missing, text, &range->inlined) : 0;
}

int line_cache_find(struct line_cache *cache, struct reader *reader,
		    uint64_t address, struct pmscope_line *line)
{
	struct pmscope_around around;
	struct code_range *range;
	int ret = find(cache, reader, address, &around, &range);

	if (!ret && range->nr > 1 && !range->inlined)
		ret = settle(cache, reader,
			     join(cache, reader->missing, range));
	if (ret)
		return ret;
	*line = (struct pmscope_line){
		.file = cache->frames[range->first].file,
		.line = cache->frames[range->first].line,
		.frames = range->inlined,
	};
	return line->file ? 0 : -ENOENT;
}

int line_cache_frames(struct line_cache *cache, struct reader *reader,
		      uint64_t address, struct pmscope_frame *frames,
		      uint64_t *behind)
{
	struct pmscope_around around;
	struct code_range *range;
	int ret = find(cache, reader, address, &around, &range);

	if (ret)
		return ret;
	*behind = around.behind;
	memcpy(frames, cache->frames + range->first,
	       range->nr * sizeof(*frames));
	return range->nr ? (int)range->nr : -ENOENT;
}

void line_cache_fini(struct line_cache *cache)
{
	space_pool_fini(&cache->pool);
	free(cache->items);
	free(cache->frames);
	strings_fini(&cache->texts);
	map_fini(&cache->asked);
}
