// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/rows.h"

#include <pmscope/source.h>

/* No CPU has so many codes; in a damaged trace the rest is called "other". */
#define MAX_SOURCES 64

static struct row_source *source_add(struct row_parts *parts, uint16_t code,
				     const char *name)
{
	struct row_source *sources;

	if (array_room(parts->sources, parts->nr_sources, parts->max_sources))
		return NULL;
	sources = &parts->sources[parts->nr_sources++];
	*sources = (struct row_source){.name = name, .code = code};
	return sources;
}

/* The address of a name in a library table, below 2^48. */
static uint64_t source_key(uint16_t code, const char *name)
{
	return (uintptr_t)name << 16 | code;
}

static struct row_source *source_find(struct row_parts *parts, uint16_t code,
				      const char *name)
{
	uint32_t index;

	if (parts->nr_sources > MAX_SOURCES)
		return map_get(&parts->source_of_name, source_key(code, name),
			       &index)
			       ? &parts->sources[index]
			       : NULL;
	for (size_t i = 0; i < parts->nr_sources; i++)
		if (parts->sources[i].code == code &&
		    parts->sources[i].name == name)
			return &parts->sources[i];
	return NULL;
}

/* NULL when memory is short. */
static struct row_source *source_get(struct row_parts *parts, uint16_t code,
				     const char *name)
{
	struct row_source *source = source_find(parts, code, name);
	size_t first;

	if (source)
		return source;
	source = source_add(parts, code, name);
	if (!source || parts->nr_sources <= MAX_SOURCES)
		return source;
	/* From here on by the map. */
	first = parts->source_of_name.count ? parts->nr_sources - 1 : 0;
	for (size_t i = first; i < parts->nr_sources; i++)
		if (map_set(&parts->source_of_name,
			    source_key(parts->sources[i].code,
				       parts->sources[i].name),
			    i))
			return NULL;
	return source;
}

int row_parts_add(struct row_parts *parts, const struct row_kind *kind,
		  uint64_t samples)
{
	struct row_source *source;
	uint16_t code = kind->source;

	parts->samples += samples;
	for (uint64_t events = kind->events; events; events &= events - 1)
		parts->events[__builtin_ctzll(events)] += samples;
	if (!(kind->source & KIND_SOURCED))
		return 0;
	source = source_get(parts, code,
			    pmscope_source_name(kind->source >> 32, code));
	if (!source)
		return -ENOMEM;
	source->samples += samples;
	parts->sourced += samples;
	return 0;
}

int row_parts_join(struct row_parts *parts, const struct row_parts *from)
{
	for (size_t i = 0; i < from->nr_sources; i++) {
		const struct row_source *source = &from->sources[i];
		struct row_source *to =
			source_get(parts, source->code, source->name);

		if (!to)
			return -ENOMEM;
		to->samples += source->samples;
	}
	for (size_t bit = 0; bit < 64; bit++)
		parts->events[bit] += from->events[bit];
	parts->samples += from->samples;
	parts->sourced += from->sourced;
	return 0;
}

/* A code may have other names on other CPUs. */
static COMPARISON(compare_sources, struct row_source,
		  COMPARE(y->samples, x->samples) ?: COMPARE(x->code, y->code)
		  ?: compare_texts(x->name, y->name));

void row_parts_finish(struct row_parts *parts)
{
	struct row_source *other;

	if (!parts->nr_sources)
		return;
	qsort(parts->sources, parts->nr_sources, sizeof(*parts->sources),
	      compare_sources);
	if (parts->nr_sources <= MAX_SOURCES)
		return;
	other = &parts->sources[MAX_SOURCES - 1];
	for (size_t i = MAX_SOURCES; i < parts->nr_sources; i++)
		other->samples += parts->sources[i].samples;
	other->code = UINT16_MAX;
	other->name = "other";
	parts->nr_sources = MAX_SOURCES;
}

static struct row_source *source_named(struct row_source *sources, size_t nr,
				       const char *name)
{
	for (size_t i = 0; name && i < nr; i++)
		if (sources[i].name && !strcmp(sources[i].name, name))
			return &sources[i];
	return NULL;
}

void row_parts_by_name(struct row_parts *parts)
{
	size_t nr = 0;

	for (size_t i = 0; i < parts->nr_sources; i++) {
		const struct row_source *source = &parts->sources[i];
		struct row_source *same =
			source_named(parts->sources, nr, source->name);

		if (same)
			same->samples += source->samples;
		else
			parts->sources[nr++] = *source;
	}
	parts->nr_sources = nr;
	if (nr)
		qsort(parts->sources, nr, sizeof(*parts->sources),
		      compare_sources);
}

void row_parts_fini(struct row_parts *parts)
{
	map_fini(&parts->source_of_name);
	free(parts->sources);
	*parts = (struct row_parts){};
}
