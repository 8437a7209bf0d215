// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "dso.h"

/* Bytes for all files; the source lines have their part of it. */
#define MAX_LAYOUTS (UINT64_C(512) << 20)

/* More than one: members of a union, or bits of the same bytes. */
#define CANDIDATES 4

struct candidates {
	struct {
		uint32_t at;
		uint64_t offset; /* in it */
	} found[CANDIDATES];
	unsigned int nr;
};

struct path {
	char *end;
	const char *limit;
};

/* NULL: no memory. */
static const struct reader_layout *
layout_of(struct members *members, struct reader *reader,
	  struct reader_file *file, enum reader_kind kind, uint64_t address)
{
	struct reader_layout *l;
	uint32_t number;

	if (keyed_find(&members->layout_of_start, address, &number))
		return members->layouts[number];
	l = reader->missing->texts < MAX_LAYOUTS
		    ? reader_find_layout(reader, file, address, kind)
		    : calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	reader->missing->texts += l->nr * sizeof(*l->part) + l->size_of_texts;
	if (!keyed_add(&members->layout_of_start, sizeof(l), address, &l,
		       &number))
		return l;
	free(l);
	return NULL;
}

static void path_add(struct path *path, const char *text)
{
	while (*text && path->end < path->limit)
		*path->end++ = *text++;
	*path->end = '\0';
}

static bool has_data(const struct reader_layout *l, uint32_t at, uint64_t end,
		     uint64_t offset);

/*
 * What is at @offset among parts; a struct without a name is not a level, and
 * one that has nothing there is none.
 */
static void find_candidates(const struct reader_layout *l, uint32_t at,
			    uint64_t end, uint64_t offset, struct candidates *c)
{
	while (at < end) {
		const struct reader_part *p = &l->part[at];
		uint64_t next = at + UINT64_C(1) + p->below;

		if (next > end)
			next = end;
		if (offset < p->offset || offset - p->offset >= p->size) {
			at = next;
			continue;
		}
		if (!p->name) {
			find_candidates(l, at + 1, next, offset - p->offset, c);
		} else if (has_data(l, at, next, offset - p->offset)) {
			if (c->nr < CANDIDATES) {
				c->found[c->nr].at = at;
				c->found[c->nr].offset = offset - p->offset;
			}
			c->nr++;
		}
		at = next;
	}
}

static bool has_data(const struct reader_layout *l, uint32_t at, uint64_t end,
		     uint64_t offset)
{
	const struct reader_part *p = &l->part[at];
	struct candidates c = {};

	if (end == at + UINT64_C(1))
		return true;
	find_candidates(l, at + 1, end, p->stride ? offset % p->stride : offset,
			&c);
	return c.nr;
}

static const char *name_of(const struct reader_layout *l, uint32_t at)
{
	return l->texts + l->part[at].name - 1;
}

/* From the variable down to what has no parts, or to several at one place. */
static void put_path(const struct reader_layout *l, uint64_t offset,
		     struct path *path)
{
	uint32_t at = 0;

	while (l->part[at].below) {
		const struct reader_part *p = &l->part[at];
		uint64_t end = at + UINT64_C(1) + p->below;
		struct candidates c = {};

		if (p->stride)
			offset %= p->stride;
		find_candidates(l, at + 1, end < l->nr ? end : l->nr, offset,
				&c);
		if (!c.nr)
			path_add(path, ".[padding]");
		for (unsigned int i = 0; i < c.nr && i < CANDIDATES; i++) {
			path_add(path, i ? "|" : ".");
			path_add(path, name_of(l, c.found[i].at));
		}
		if (c.nr > CANDIDATES)
			path_add(path, "|...");
		if (c.nr != 1)
			break;
		at = c.found[0].at;
		offset = c.found[0].offset;
	}
}

int members_path(struct members members[READER_KINDS], struct reader *reader,
		 struct reader_file *file, enum reader_kind kind,
		 uint64_t address, uint64_t offset, const char *name,
		 char text[MEMBER_PATH], uint64_t *stride)
{
	struct path path = {text, text + MEMBER_PATH - 1};
	const struct reader_layout *l =
		layout_of(&members[kind], reader, file, kind, address);
	const char *own;

	if (!l)
		return -ENOMEM;
	offset += address - l->start;
	*stride = l->nr ? 0 : l->size;
	if (!l->nr || offset >= l->size)
		return -ENOENT;
	*stride = l->part[0].stride;
	own = l->part[0].name ? name_of(l, 0) : "";
	/* The brackets of an array. */
	path_add(&path, name ? name : own);
	if (name)
		path_add(&path, strchr(own, '[') ?: "");
	put_path(l, offset, &path);
	return 0;
}

void members_fini(struct members *members)
{
	for (size_t i = 0; i < members->nr_layouts; i++)
		free(members->layouts[i]);
	keyed_fini(&members->layout_of_start);
}
