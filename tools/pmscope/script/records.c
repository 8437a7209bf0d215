// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope script: every sample of a recording in one of three forms. */
#include "base/names.h"
#include "read/caches.h"
#include "script/script.h"

/*
 * Formats the lines of records. Text that depends only on the code, the thread
 * and so on is formatted once and then copied.
 */

/* What the lines of one thread have in common */
struct text_cache {
	const struct plan *plan;
	const struct load *load;
	struct symbol_cache *codes;
	/* only if the plan has a field of the data symbol */
	struct data_symbols *variables;
	/* the texts of each segment that is remembered */
	struct piece *pieces[PLAN_PARTS];
	struct pmscope_place place;
	struct pmscope_place target_place;
	/*
	 * symbol of the newest record's target, if the plan has a field for it
	 */
	struct pmscope_symbol to;
	/* the same of the target of the branch before */
	struct pmscope_symbol before;
};

#define PIECE_BITS 12

/* The text of a segment for the records with this hash. */
struct piece {
	uint64_t hash; /* 0: none */
	char *text;
	size_t length;
	size_t size;
};

/* Returns 0 or -ENOMEM; call text_cache_fini() in both cases. */
static int text_cache_init(struct text_cache *cache, const struct plan *plan,
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

static void text_cache_fini(struct text_cache *cache)
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
	struct data_names names;
	uint32_t callers; /* see stacks_text() */
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
		row->code = symbol_cache_find(cache->codes, &cache->load->names,
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
	row->names = data_names_find(cache->variables, &cache->load->names,
				     row->current, cache->plan->deps);
	data_names_show(&row->names, view);
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
	return deps & DEP_DATA ? deps_data(hash, &row->names) : hash;
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

/* Writes remembered texts, with room for all of the line. 0: no memory. */
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

/*
 * Writes the line of the record in @current; view_begin() has filled in @view
 * from it. Returns its length; 0 if out of memory, and then @out has failed.
 */
static size_t line_print(struct text_cache *cache, struct output *out,
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

/* The same for a group. */
static size_t group_print(const struct plan *plan, struct output *out,
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

#define LINE_ROOM 512 /* without the name */

/* Offsets in the records, from their headers on. */
enum {
	HEADER_TYPE = 0,
	HEADER_MISC = 4,
	MMAP_PID = 8,
	MMAP_TID = 12,
	MMAP_ADDR = 16,
	MMAP_LEN = 24,
	MMAP_PGOFF = 32,
	MMAP_NAME = 40,
	MMAP2_MAJ = 40,
	MMAP2_MIN = 44,
	MMAP2_INO = 48,
	MMAP2_GENERATION = 56,
	MMAP2_BUILD_ID_SIZE = 40,
	MMAP2_BUILD_ID = 44,
	MMAP2_PROT = 64,
	MMAP2_FLAGS = 68,
	MMAP2_NAME = 72,
};

static char *put_file(char *p, const uint8_t *record)
{
	size_t size = record[MMAP2_BUILD_ID_SIZE];

	if (!(get16(record + HEADER_MISC) & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return p + sprintf(p, "%02x:%02x %" PRIu64 " %" PRIu64,
				   get32(record + MMAP2_MAJ),
				   get32(record + MMAP2_MIN),
				   get64(record + MMAP2_INO),
				   get64(record + MMAP2_GENERATION));
	*p++ = '<';
	for (size_t i = 0; i < size && i < BUILD_ID_MAX; i++)
		p = text_hex(p, record[MMAP2_BUILD_ID + i], 2);
	*p++ = '>';
	return p;
}

static char *put_rights(char *p, const uint8_t *record)
{
	uint32_t prot = get32(record + MMAP2_PROT);
	uint32_t flags = get32(record + MMAP2_FLAGS);

	*p++ = prot & PROT_READ ? 'r' : '-';
	*p++ = prot & PROT_WRITE ? 'w' : '-';
	*p++ = prot & PROT_EXEC ? 'x' : '-';
	*p++ = flags & MAP_SHARED ? 's' : 'p';
	return p;
}

/* "PERF_RECORD_MMAP2 PID/TID: [ADDR(LEN) @ OFFSET MAJ:MIN INO GEN]: r-xp " */
static char *put_mapping(char *p, const uint8_t *record, bool second)
{
	bool data = get16(record + HEADER_MISC) & PERF_RECORD_MISC_MMAP_DATA;

	p += sprintf(p,
		     "PERF_RECORD_MMAP%s %" PRId32 "/%" PRId32 ": [%#" PRIx64
		     "(%#" PRIx64 ") @ %#" PRIx64,
		     second ? "2" : "", (int32_t)get32(record + MMAP_PID),
		     (int32_t)get32(record + MMAP_TID),
		     get64(record + MMAP_ADDR), get64(record + MMAP_LEN),
		     get64(record + MMAP_PGOFF));
	if (second)
		p = put_file(text_string(p, " "), record);
	p = text_string(p, "]: ");
	if (second)
		p = put_rights(p, record);
	else
		*p++ = data ? 'r' : 'x';
	*p++ = ' ';
	return p;
}

/*
 * Writes the line of a sample of kind PMSCOPE_SAMPLE_MAPPING. Returns its
 * length; 0 if its record is too short, or if out of memory.
 */
static size_t mapping_print(struct output *out,
			    const struct pmscope_sample *mapping)
{
	const uint8_t *record = mapping->record;
	bool second = get32(record + HEADER_TYPE) == PERF_RECORD_MMAP2;
	size_t at = second ? MMAP2_NAME : MMAP_NAME;
	const char *name = (const char *)record + at;
	char *begin, *p;

	if (mapping->record_size <= at)
		return 0;
	begin = output_reserve(out, LINE_ROOM + mapping->record_size);
	if (!begin)
		return 0;
	p = put_mapping(begin, record, second);
	p = text_clean(p, name, strnlen(name, mapping->record_size - at));
	*p++ = '\n';
	output_commit(out, p);
	return p - begin;
}

/* Per-thread state for printing. */
struct printing {
	struct load load;
	struct text_cache cache;
	struct thread_cache currents[THREAD_CACHES];
};

static size_t print_capture(struct printing *to,
			    const struct pmscope_sample *group,
			    struct output *out)
{
	struct pmscope_record record;
	struct view view = capture_view(group, &record);

	view.has_wall = to->load.has_wall;
	view.wall = to->load.wall;
	return filter_passes_group(&to->load, group)
		       ? group_print(to->cache.plan, out, &view)
		       : 0;
}

static void print_group(struct printing *to, const struct pmscope_run *run,
			struct output *out)
{
	size_t length = run->group->kind == PMSCOPE_SAMPLE_MAPPING
				? mapping_print(out, run->group)
				: print_capture(to, run->group, out);

	if (out->lines && length)
		lines_add(out->lines, UINT64_MAX, length);
}

/* Returns the length of its line; 0 if the filter removes it. */
static size_t print_record(struct printing *to,
			   const struct thread_cache *current,
			   struct output *out)
{
	struct view view;

	view_begin(&view, &current->sample);
	view.has_wall = to->load.has_wall;
	view.wall = to->load.wall;
	if (to->load.filter->nr_terms &&
	    !filter_passes(&to->load, &view, current))
		return 0;
	return line_print(&to->cache, out, &view, current);
}

static void print_records(struct printing *to, const struct pmscope_run *run,
			  struct output *out)
{
	struct thread_cache *current = thread_cache_of(to->currents, run);

	for (size_t row = run->first; row < run->end && !out->failed; row++) {
		size_t length;

		thread_cache_set(current, &to->load.names, run, row);
		thread_cache_set_time(current, &to->load.names);
		length = print_record(to, current, out);
		if (out->lines)
			lines_add(out->lines,
				  current->sample.has_time
					  ? current->sample.time
					  : 0,
				  length);
	}
}

/* Marks rows for sorting; false if out of memory. */
static bool begin_lines(const struct pmscope_run *run, struct lines *lines)
{
	return run->group ? lines_begin(lines, LINES_NO_AREA, UINT64_MAX, 1)
			  : lines_begin(lines, run->area, run->due,
					run->end - run->first);
}

/* 1 if a write or an allocation failed; output_finish() reports which. */
static int print(void *worker, const struct pmscope_run *run,
		 struct output *out)
{
	struct printing *to = worker;

	if (out->lines && !begin_lines(run, out->lines)) {
		out->failed = true;
		return 1;
	}
	if (run->group)
		print_group(to, run, out);
	else
		print_records(to, run, out);
	return out->failed;
}

/* Samples of one area are in time order already. */
static int print_runs(struct load *load, struct work *work)
{
	size_t areas = pmscope_recording_areas(load->recording);
	int ret;

	/* Of a pipe, nobody knows how many areas there will be. */
	work->in_order = load->stream;
	if (areas < 2 || load->stream)
		return load_runs(load, work);
	work->merge = time_merge_new(areas, work->out);
	if (!work->merge)
		return -ENOMEM;
	ret = load_runs(load, work);
	time_merge_end(work->merge);
	time_merge_free(work->merge);
	return ret;
}

static int print_all(struct load *load, struct printing *printing)
{
	struct output out = {};
	void *workers[MAX_THREADS];
	struct work work = {
		.threads = load->threads,
		.take = print,
		.workers = workers,
		.out = &out,
	};
	char *header = output_reserve(&out, PLAN_HEADER);
	int ret;

	for (unsigned int i = 0; i < load->threads; i++)
		workers[i] = &printing[i];
	if (header)
		output_commit(&out, plan_header(printing->cache.plan, header));
	ret = print_runs(load, &work);
	if (ret < 0)
		error("%s: %s", load->name, strerror(-ret));
	/* The header is all there is, and the buffer has room for more. */
	if (is_unreadable(load))
		out.used = 0;
	for (unsigned int i = 0; i < load->threads; i++)
		load->filtered += printing[i].load.filtered;
	return output_finish(&out) || ret < 0;
}

/* Prints with one text cache per thread. */
static int print_with(struct load *load, const struct plan *plan,
		      struct printing *printing)
{
	int ret =
		plan->deps & DEP_CALLERS ? stacks_read(load, &load->stacks) : 0;

	for (unsigned int i = 0; i < load->threads && !ret; i++) {
		printing[i].load = *load;
		ret = text_cache_init(&printing[i].cache, plan, load);
	}
	if (ret)
		error("out of memory");
	else
		ret = print_all(load, printing);
	for (unsigned int i = 0; i < load->threads; i++) {
		text_cache_fini(&printing[i].cache);
		filter_memo_free(printing[i].load.memo);
	}
	return ret;
}

int script_records(struct load *load, const struct script_config *config)
{
	struct printing *printing;
	struct plan plan;
	int ret;

	plan_make(&plan, config->format, config->fields, config->nr_fields,
		  load_has_streams(load));
	load->names_data = (plan.deps | load->filter->deps) & DEP_DATA;
	printing = calloc(load->threads, sizeof(*printing));
	if (!printing)
		return no_memory() < 0;
	ret = print_with(load, &plan, printing);
	free(printing);
	if (ret)
		return 1;
	losses_print(load, stderr, "pmscope: ");
	return exit_status(load);
}
