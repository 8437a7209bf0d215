// SPDX-License-Identifier: GPL-2.0-or-later
#include "script/text_cache.h"
#include "base/text.h"
#include "read/stacks.h"

#include <errno.h>
#include <stdlib.h>

#define PIECE_BITS 12

/* The text of a segment for the records with this hash. */
struct piece {
	uint64_t hash; /* 0: none */
	char *text;
	size_t length;
	size_t size;
};

int text_cache_init(struct text_cache *cache, const struct plan *plan,
		    const struct load *load)
{
	*cache = (struct text_cache){
		.plan = plan,
		.load = load,
		.codes = symbol_cache_new(),
	};
	if (!cache->codes)
		return -ENOMEM;
	if (plan->deps & DEP_DATA) {
		cache->variables = data_symbols_new();
		if (!cache->variables)
			return -ENOMEM;
	}
	for (size_t i = 0; i < plan->nr_segments; i++) {
		if (!plan->segments[i].remembered)
			continue;
		cache->pieces[i] =
			calloc(1 << PIECE_BITS, sizeof(struct piece));
		if (!cache->pieces[i])
			return -ENOMEM;
	}
	return 0;
}

void text_cache_fini(struct text_cache *cache)
{
	for (size_t i = 0; i < PLAN_PARTS; i++) {
		struct piece *pieces = cache->pieces[i];

		for (size_t j = 0; pieces && j < 1 << PIECE_BITS; j++)
			free(pieces[j].text);
		free(pieces);
	}
	symbol_cache_free(cache->codes);
	data_symbols_free(cache->variables);
}

/* A record and its context. */
struct row {
	struct view *view;
	const struct thread_cache *current;
	const struct cached_symbol *code; /* NULL without a PC */
	const struct cached_symbol
		*variable; /* NULL without an address of data */
	uint32_t callers;  /* see stacks_text() */
};

static void set_callers(const struct text_cache *cache, struct row *row)
{
	const struct stacks *stacks = cache->load->stacks;

	row->callers = stacks_number(stacks, row->current, row->code);
	row->view->callers = stacks_text(stacks, row->callers);
}

static void find_place(const struct load *load, const struct view *view,
		       uint32_t has, uint64_t address,
		       struct pmscope_place *place)
{
	if (view->has & has)
		pmscope_recording_place(load->recording, view->sample, address,
					place);
}

static void find_places(struct text_cache *cache, struct view *view)
{
	find_place(cache->load, view, PMSCOPE_HAS_PC, view->pc, &cache->place);
	find_place(cache->load, view, PMSCOPE_HAS_TARGET, view->target,
		   &cache->target_place);
	if (view->has & PMSCOPE_HAS_PC) {
		view->place = &cache->place;
		view->file_offset = cache->place.file_offset;
	}
	if (view->has & PMSCOPE_HAS_TARGET)
		view->target_place = &cache->target_place;
}

static void find_code(const struct load *load, const struct view *view,
		      uint32_t has, uint64_t address,
		      struct pmscope_symbol *symbol)
{
	struct pmscope_place place;

	*symbol = (struct pmscope_symbol){};
	find_place(load, view, has, address, &place);
	if (view->has & has)
		pmscope_symbols_find(load->symbols, &place, address, symbol);
}

static void find_branches(struct text_cache *cache, struct view *view)
{
	find_code(cache->load, view, PMSCOPE_HAS_TARGET, view->target,
		  &cache->to);
	find_code(cache->load, view, PMSCOPE_HAS_PREVIOUS, view->previous,
		  &cache->before);
	view->to = &cache->to;
	view->before = &cache->before;
}

/* Names that several parts may need. */
static void find_names(struct text_cache *cache, struct row *row)
{
	struct view *view = row->view;

	if (cache->plan->deps & DEP_CODE && view->has & PMSCOPE_HAS_PC) {
		row->code = symbol_cache_find(cache->codes, cache->load,
					      row->current);
		view->symbol = code_symbol(row->code, view->pc);
	}
	if (cache->plan->deps & DEP_CALLERS)
		set_callers(cache, row);
	if (cache->plan->deps & DEP_PLACE)
		find_places(cache, view);
	if (cache->plan->deps & DEP_BRANCH)
		find_branches(cache, view);
	if (!cache->variables)
		return;
	row->variable =
		data_symbol_find(cache->variables, cache->load, row->current);
	if (row->variable)
		view->data = code_symbol(row->variable, view->va);
}

/* Code already has a hash; fields that all records share need none. */
static uint64_t hash_of(const struct row *row, unsigned int deps)
{
	uint64_t hash;

	if (!deps || (deps == DEP_CODE && row->code))
		return deps ? row->code->key : 1;
	hash = deps_hash(deps, row->current, row->code);
	if (deps & DEP_CALLERS)
		hash = hash_finish(hash +
				   row->callers * UINT64_C(0x9fb21c651e98df25));
	return deps & DEP_DATA ? deps_data(hash, row->variable) : hash;
}

static bool piece_reserve(struct piece *piece, size_t size)
{
	if (size <= piece->size)
		return true;
	free(piece->text);
	piece->text = malloc(size);
	piece->size = piece->text ? size : 0;
	return piece->text;
}

/* Formats a text that is not in the cache. */
static bool piece_fill(const struct text_cache *cache, struct piece *piece,
		       const struct segment *s, const struct row *row)
{
	const struct plan *plan = cache->plan;
	const struct part *parts = &plan->parts[s->first];
	const struct load *load = cache->load;
	struct view *view = row->view;

	view_operation(view);
	if (s->deps & DEP_LINE)
		view_line(view, load->recording, load->symbols);
	view->event_filter = pmscope_recording_event_filter(load->recording,
							    view->sample->cpu);
	piece->hash = 0;
	if (!piece_reserve(piece, parts_room(parts, s->nr, view)))
		return false;
	piece->length =
		parts_put(piece->text, plan->format, parts, s->nr, view) -
		piece->text;
	return true;
}

static const struct piece *piece_find(struct text_cache *cache, size_t i,
				      const struct row *row)
{
	const struct segment *s = &cache->plan->segments[i];
	uint64_t hash = hash_of(row, s->deps);
	struct piece *piece = &cache->pieces[i][hash >> (64 - PIECE_BITS)];

	if (piece->hash != hash || !hash) {
		if (!piece_fill(cache, piece, s, row))
			return NULL;
		piece->hash = hash;
	}
	return piece;
}

/*
 * Writes the remembered texts of a line, with room for all of it. Returns 0 if
 * out of memory.
 */
static size_t find_pieces(struct text_cache *cache, const struct row *row,
			  const struct piece **pieces)
{
	const struct plan *plan = cache->plan;
	size_t room = PLAN_END;

	for (size_t i = 0; i < plan->nr_segments; i++) {
		const struct segment *s = &plan->segments[i];

		if (!s->remembered) {
			room += parts_room(&plan->parts[s->first], s->nr,
					   row->view);
			continue;
		}
		pieces[i] = piece_find(cache, i, row);
		if (!pieces[i])
			return 0;
		room += pieces[i]->length;
	}
	return room;
}

static char *put_segments(char *p, const struct plan *plan,
			  const struct piece **pieces, const struct view *view)
{
	for (size_t i = 0; i < plan->nr_segments; i++) {
		const struct segment *s = &plan->segments[i];

		p = s->remembered
			    ? text_bytes(p, pieces[i]->text, pieces[i]->length)
			    : parts_put(p, plan->format, &plan->parts[s->first],
					s->nr, view);
	}
	return p;
}

/* Ends the line that begins at @begin. Returns its bytes. */
static size_t commit(const struct plan *plan, struct output *out, char *begin,
		     char *p)
{
	p = plan_end(plan, begin, p);
	output_commit(out, p);
	return p - begin;
}

size_t line_print(struct text_cache *cache, struct output *out,
		  struct view *view, const struct thread_cache *current)
{
	struct row row = {.view = view, .current = current};
	const struct piece *pieces[PLAN_PARTS];
	char *begin = NULL;
	size_t room;

	find_names(cache, &row);
	room = find_pieces(cache, &row, pieces);
	if (room)
		begin = output_reserve(out, room);
	if (!begin) {
		out->failed = true;
		return 0;
	}
	return commit(cache->plan, out, begin,
		      put_segments(begin, cache->plan, pieces, view));
}

size_t group_print(const struct plan *plan, struct output *out,
		   const struct view *view)
{
	size_t room = parts_room(plan->parts, plan->nr_parts, view);
	char *begin = output_reserve(out, room + PLAN_END);

	if (!begin)
		return 0;
	return commit(plan, out, begin,
		      parts_put(begin, plan->format, plan->parts,
				plan->nr_parts, view));
}
