// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples into rows, a run at a time. The row of most records is remembered
 * from an earlier one (read/caches.h) and found without any name.
 */
#include "read/caches.h"
#include "rows/rows.h"

#include <pmscope/events.h>

#define MEMO_BITS	15
#define BLOCK		256 /* records looked up before any is added */
#define SLOW_START_BITS 10

/* What the row depends on, if the address and its mapping determine it. */
#define BY_INSTRUCTION (DEP_OFFSET | DEP_PC | DEP_LINE)

/* An entry of the code holds the row plus one. */
#define ROW_DROPPED (UINT32_MAX - 1)

struct row_memo {
	uint64_t hash; /* 0: empty */
	uint32_t row;
};

/* Where a function starts, in memory and in its file. */
struct slow_start {
	uint64_t space;
	uint64_t start;
	uint64_t in_file;
};

/* Finds the row by its names. */
static int memo_fill(struct row_table *table, const struct load *load,
		     const struct pmscope_sample *sample,
		     const struct data_names *names, uint32_t callers,
		     struct row_memo *memo)
{
	struct row *row;
	struct view view;

	view_fill(&view, sample, load->recording, load->symbols);
	if (table->deps & DEP_LINE)
		view_line(&view, load->recording, load->symbols);
	data_names_show(names, &view);
	view.callers = stacks_text(load->stacks, callers);
	memo->row = ROW_DROPPED;
	if (load->filter->deps && !filter_named(load->filter, &view))
		return 0;
	row = row_of(table, &view);
	if (!row ||
	    (table->with_places && row_places_add(table, row, &view, load)))
		return -ENOMEM;
	memo->row = row - table->rows;
	return 0;
}

/* The callers are those of the time of the sample. */
static uint32_t callers_find(const struct load *load,
			     struct thread_cache *current,
			     const struct cached_symbol *code)
{
	thread_cache_set_time(current, &load->names);
	return stacks_number(load->stacks, current, code);
}

/* A function's own stack needs no name in its code. */
static const char *object_of(const struct data_names *names)
{
	const char *name = names->variable->name, *dso = names->variable->dso;

	if (names->memory == PMSCOPE_MEMORY_THREAD)
		return names->member ?: "[thread-local]";
	if (names->memory == PMSCOPE_MEMORY_STACK ||
	    (!name && dso && !strncmp(dso, "[stack", 6)))
		return "[stack]";
	return name ?: dso;
}

static int data_add(struct row *row, const struct data_names *names,
		    const struct pmscope_sample *sample)
{
	const struct pmscope_batch *batch = sample->batch;
	size_t at = sample->row;
	struct row_used used = {.key = deps_data(0, names),
				.member = names->member,
				.samples = 1};

	if (!names->variable)
		return 0;
	used.object = object_of(names);
	if (used.object && names->member &&
	    names->memory == PMSCOPE_MEMORY_THREAD)
		used.length = strcspn(used.object, ".[");
	else if (used.object)
		used.length = strlen(used.object);
	used.own = row_own_cycles(batch->total[at], batch->issue[at],
				  batch->translate[at]);
	return row_data_add(row, &used);
}

static int memo_find(struct row_table *table, const struct load *load,
		     struct thread_cache *current,
		     const struct cached_symbol *code, uint32_t *row)
{
	uint64_t hash = deps_hash(table->deps, current, code);
	struct data_names names = {};
	uint32_t callers = STACKS_NONE;
	struct row_memo *memo;

	if (table->deps & DEP_DATA) {
		names = data_names_find(table->variables, &load->names, current,
					table->deps);
		hash = deps_data(hash, &names);
	}
	if (table->deps & DEP_CALLERS && load->stacks) {
		callers = callers_find(load, current, code);
		hash = hash_finish(hash +
				   callers * UINT64_C(0x9fb21c651e98df25));
	}
	memo = &table->memos[hash >> (64 - MEMO_BITS)];
	if (memo->hash != hash) {
		memo->hash = hash;
		if (memo_fill(table, load, &current->sample, &names, callers,
			      memo))
			return -ENOMEM;
	}
	*row = memo->row;
	return table->with_members && *row != ROW_DROPPED
		       ? data_add(&table->rows[*row], &names, &current->sample)
		       : 0;
}

static inline bool has_code(const struct thread_cache *current)
{
	const struct pmscope_sample *sample = &current->sample;

	return sample->batch->has[sample->row] & PMSCOPE_HAS_PC;
}

/* If code alone determines the row, the row is stored with it. */
static inline int row_of_code(struct row_table *table, const struct load *load,
			      struct thread_cache *current, uint32_t *row)
{
	struct cached_symbol *code;
	int ret;

	if (!has_code(current))
		return memo_find(table, load, current, NULL, row);
	code = symbol_cache_find(table->codes, &load->names, current);
	if (!code->row) {
		ret = memo_find(table, load, current, code, row);
		code->row = ret ? 0 : *row + 1;
		return ret;
	}
	*row = code->row - 1;
	return 0;
}

static inline int row_of_parts(struct row_table *table, const struct load *load,
			       struct thread_cache *current, uint32_t *row)
{
	struct cached_symbol *code = NULL;

	if (table->deps & DEP_CODE && has_code(current))
		code = symbol_cache_find(table->codes, &load->names, current);
	return memo_find(table, load, current, code, row);
}

/* If the instruction, with or without the thread, determines it: the row. */
static inline int row_of_instruction(struct row_table *table,
				     const struct load *load,
				     struct thread_cache *current,
				     uint32_t *row)
{
	struct cached_symbol *code = NULL;
	uint64_t pc, space, key = 0;
	uint32_t *number;
	int ret;

	if (!has_code(current))
		return memo_find(table, load, current, NULL, row);
	pc = code_pc(&current->sample, current->sample.row);
	space = code_space(pc, current);
	if (table->deps & DEP_THREAD)
		key = hash_finish(space + current->thread);
	number = code_number(table->numbers, key ?: space, pc);
	if (*number) {
		*row = *number - 1;
		return 0;
	}
	if (table->deps & DEP_CODE)
		code = symbol_cache_find(table->codes, &load->names, current);
	ret = memo_find(table, load, current, code, row);
	/* Not of code whose symbols change. */
	if (!ret && (!code || code->space == space))
		*number = *row + 1;
	return ret;
}

/* Without call chains, all samples have the same callers: none. */
static bool is_by_instruction(const struct row_table *table,
			      const struct load *load)
{
	unsigned int deps =
		table->deps & ~(load->stacks ? 0 : (unsigned int)DEP_CALLERS);

	return deps & BY_INSTRUCTION &&
	       !(deps & ~(BY_INSTRUCTION | DEP_CODE | DEP_THREAD));
}

static int memos_begin(struct row_table *table, const struct load *load)
{
	bool by_instruction = is_by_instruction(table, load);

	if (!table->memos)
		table->memos =
			calloc((size_t)1 << MEMO_BITS, sizeof(*table->memos));
	if (!table->currents)
		table->currents =
			calloc(THREAD_CACHES, sizeof(*table->currents));
	if (!table->codes)
		table->codes = symbol_cache_new();
	if (!table->kinds)
		table->kinds = row_kinds_new();
	if (!table->needs)
		table->needs = calloc(1, sizeof(*table->needs));
	if (!table->variables && table->deps & DEP_DATA)
		table->variables = data_symbols_new();
	if (!table->slow_starts && table->with_slow)
		table->slow_starts = calloc((size_t)1 << SLOW_START_BITS,
					    sizeof(*table->slow_starts));
	if (!table->numbers && by_instruction)
		table->numbers = code_numbers_new();
	return table->memos && table->currents && table->codes &&
			       table->kinds && table->needs &&
			       (table->variables ||
				!(table->deps & DEP_DATA)) &&
			       (table->numbers || !by_instruction) &&
			       (table->slow_starts || !table->with_slow)
		       ? 0
		       : -ENOMEM;
}

static bool is_dropped(const struct load *load, struct thread_cache *current)
{
	struct view view;

	thread_cache_set_time(current, &load->names);
	view_begin(&view, &current->sample);
	return !filter_plain(load->filter, &view);
}

/* Is it known that the translation took less than half of the own latency? */
static inline bool is_translated(const struct pmscope_batch *batch, size_t at)
{
	unsigned int translate = batch->translate[at];

	return batch->has[at] & PMSCOPE_HAS_TRANSLATE &&
	       (translate <= SLOW_CYCLES ||
		2 * translate + batch->issue[at] < batch->total[at]);
}

/* Class 3 of operations is none: the record does not tell. */
enum row_cause row_cause_at(const struct row_kinds *kinds,
			    const struct row_kind *kind, unsigned int number,
			    const struct pmscope_batch *batch, size_t at)
{
	bool known = batch->has[at] & PMSCOPE_HAS_OPERATION;
	unsigned int cause = number == MAX_KINDS ? row_cause_of(kind)
						 : kinds->causes[number];

	if (cause == CAUSE_TLB && is_translated(batch, at))
		cause = number == MAX_KINDS ? row_cause_translated(kind)
					    : kinds->translated[number];
	return kinds->of_op[cause][known ? batch->op_class[at] & 3 : 3]
			   [batch->op[at]];
}

static inline int row_count(struct row_table *table, struct row *row,
			    const struct pmscope_batch *batch, size_t at,
			    uint32_t midr)
{
	struct row_kind kind = row_kind_of(batch, at, midr);
	unsigned int number = row_kind_number(table->kinds, &kind);
	unsigned int cause =
		row_cause_at(table->kinds, &kind, number, batch, at);

	if (row_waits_add(&row->waits, table->needs, cause, batch->total[at],
			  batch->issue[at], batch->translate[at]))
		return -ENOMEM;
	if (number == MAX_KINDS)
		return row_add_kind(row, &kind, number, 1);
	return histogram_add(&row->kinds, number);
}

/* Each operation was sampled with a probability of 1 / @interval. */
static void row_weigh(struct row_weight *weight, uint64_t interval,
		      const struct pmscope_batch *batch, size_t at)
{
	if (batch->has[at] & PMSCOPE_HAS_TOTAL) {
		weight->cycles += interval * batch->total[at];
		weight->own += interval * row_own_cycles(batch->total[at],
							 batch->issue[at],
							 batch->translate[at]);
	}
	weight->operations += interval;
	weight->variance += interval * (interval - 1);
}

static inline int row_add(struct row_table *table, struct row *row,
			  const struct pmscope_run *run, size_t at)
{
	const struct pmscope_batch *batch = run->batch;
	uint32_t has = batch->has[at];
	int ret;

	if (table->varies && run->interval)
		row_weigh(&row->weight, run->interval, batch, at);
	if (table->only_samples) {
		row->samples++;
		return 0;
	}
	ret = row_count(table, row, batch, at, run->midr);
	if (table->with_totals && run->cpu <= UINT16_MAX)
		ret |= histogram_add(&row->cpus, run->cpu);
	if (has & PMSCOPE_HAS_TOTAL)
		ret |= histogram_add(&row->total, batch->total[at]);
	if (!table->all_latencies)
		return ret;
	if (has & PMSCOPE_HAS_ISSUE && has & PMSCOPE_HAS_TOTAL)
		row_own_add(&table->own, batch->total[at], batch->issue[at]);
	if (has & PMSCOPE_HAS_ISSUE)
		ret |= histogram_add(&row->issue, batch->issue[at]);
	if (has & PMSCOPE_HAS_TRANSLATE)
		ret |= histogram_add(&row->translate, batch->translate[at]);
	return ret;
}

static void gap_end_add(struct row_table *table, uint32_t row, uint64_t ns,
			bool between)
{
	struct row_gaps gaps = {ns, between ? ns : 0};

	if (row == ROW_DROPPED)
		return;
	row_gaps_join(&table->rows[row].gaps, &gaps);
	table->nr_gap_ends++;
}

/* Adds the gap before a sample. SPE samples no operations of idle CPUs. */
static void gap_add(struct row_table *table, const struct load *load,
		    const struct thread_cache *current, uint32_t row)
{
	const struct pmscope_sample *sample = &current->sample;
	const struct pmscope_batch *batch = sample->batch;
	struct gap_end end = {.row = row, .thread = current->thread}, from;

	end.known = sample->tid &&
		    batch->has[sample->row] & PMSCOPE_HAS_TIMESTAMP &&
		    pmscope_recording_time(load->recording,
					   batch->timestamp[sample->row],
					   &end.time);
	from = table->gap;
	table->gap = end;
	if (!from.known || !end.known || from.thread != end.thread ||
	    from.time > end.time)
		return;
	gap_end_add(table, from.row, end.time - from.time, from.row != row);
	gap_end_add(table, row, end.time - from.time, from.row != row);
}

static inline int row_of_sample(struct row_table *table, struct load *load,
				struct thread_cache *current, uint32_t *row)
{
	if (table->deps == DEP_CODE)
		return row_of_code(table, load, current, row);
	if (table->numbers)
		return row_of_instruction(table, load, current, row);
	return row_of_parts(table, load, current, row);
}

/* The rows of some records; ROW_DROPPED for filtered ones. */
static inline int find_rows(struct row_table *table, struct load *load,
			    const struct pmscope_run *run, size_t first,
			    size_t nr, struct thread_cache *current,
			    uint32_t *rows)
{
	bool all = !load->filter->nr_plain;
	int ret = 0;

	for (size_t i = 0; i < nr; i++) {
		thread_cache_set(current, &load->names, run, first + i);
		rows[i] = ROW_DROPPED;
		if (all || !is_dropped(load, current))
			ret |= row_of_sample(table, load, current, &rows[i]);
		if (table->with_gaps && !ret)
			gap_add(table, load, current, rows[i]);
	}
	return ret;
}

/* Sets where the instruction is. False if its function is not known. */
static bool slow_find(struct row_table *table, const struct load *load,
		      struct thread_cache *current, struct slow_code *code)
{
	const struct cached_symbol *symbol =
		symbol_cache_find(table->codes, &load->names, current);
	uint64_t pc = code_pc(&current->sample, current->sample.row);
	struct pmscope_place place;
	struct slow_start *known;

	if (!symbol->name)
		return false;
	code->offset = pc - symbol->start;
	known = &table->slow_starts[hash_finish(symbol->space +
						symbol->start) >>
				    (64 - SLOW_START_BITS)];
	if (known->space != symbol->space || known->start != symbol->start) {
		pmscope_recording_place(load->recording, &current->sample, pc,
					&place);
		*known = (struct slow_start){
			code_space(pc, current) == symbol->space ? symbol->space
								 : 0,
			symbol->start, place.file_offset - code->offset};
	}
	code->at = known->in_file + code->offset;
	return true;
}

static int slow_count(struct row_table *table, const struct load *load,
		      struct thread_cache *current,
		      const struct slow_code *code)
{
	struct row_place place;
	struct view view;

	if (!code->cycles || slow_codes_count(&table->slow, code))
		return 0;
	view_fill(&view, &current->sample, load->recording, load->symbols);
	row_place_set(&place, &view, load);
	return slow_codes_add(&table->slow, code, &place);
}

/* Keeps which instruction it is if the sample took long. */
static int slow_add(struct row_table *table, struct load *load,
		    const struct pmscope_run *run, size_t at, uint32_t row,
		    struct thread_cache *current)
{
	const struct pmscope_batch *b = run->batch;
	bool capped = row_capped(b->total[at], b->issue[at]);
	unsigned int own =
		row_own_cycles(b->total[at], b->issue[at], b->translate[at]);
	unsigned int translate = MIN(b->translate[at], own);
	const struct row_kind kind = row_kind_of(b, at, run->midr);
	struct slow_code code = {.row = row};
	int ret = 0;

	thread_cache_set(current, &load->names, run, at);
	if (!has_code(current) || !slow_find(table, load, current, &code))
		return 0;
	code.cause = row_cause_at(table->kinds, &kind,
				  row_kind_number(table->kinds, &kind), b, at);
	code.cycles = code.cause == CAUSE_BRANCH
			      ? 1
			      : row_slow(code.cause, own - translate, capped);
	if (code.cause != CAUSE_NONE)
		ret = slow_count(table, load, current, &code);
	code.cause = CAUSE_TLB;
	code.cycles = row_slow(CAUSE_TLB, translate, false);
	return ret ?: slow_count(table, load, current, &code);
}

/* May the sample be slow_add()'s? */
static inline bool is_slow(const struct pmscope_batch *batch, size_t at)
{
	return batch->total[at] > batch->issue[at] + SLOW_CYCLES ||
	       row_capped(batch->total[at], batch->issue[at]) ||
	       batch->events[at] & PMSCOPE_EVENT_BIT(MISPRED);
}

/* In two steps, so that the waits for memory of many records overlap. */
static int add_block(struct row_table *table, struct load *load,
		     const struct pmscope_run *run, size_t first, size_t nr,
		     struct thread_cache *current)
{
	uint32_t rows[BLOCK];

	if (find_rows(table, load, run, first, nr, current, rows))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		bool counted = rows[i] != ROW_DROPPED;

		if (saturation_see(&load->saturation, run, first + i, counted))
			return -ENOMEM;
		if (!counted)
			load->filtered++;
		else if (row_add(table, &table->rows[rows[i]], run, first + i))
			return -ENOMEM;
		if (counted && table->with_slow &&
		    is_slow(run->batch, first + i) &&
		    slow_add(table, load, run, first + i, rows[i], current))
			return -ENOMEM;
	}
	return 0;
}

int row_table_add_run(struct row_table *table, struct load *load,
		      const struct pmscope_run *run)
{
	struct thread_cache *current;

	if (memos_begin(table, load))
		return -ENOMEM;
	if (table->with_totals && run->cpu <= UINT16_MAX &&
	    histogram_add_many(&table->cpus, run->cpu, run->end - run->first))
		return -ENOMEM;
	current = thread_cache_of(table->currents, run);
	table->gap.known = false;
	for (size_t at = run->first; at < run->end; at += BLOCK) {
		size_t nr = MIN(run->end - at, BLOCK);

		if (add_block(table, load, run, at, nr, current))
			return -ENOMEM;
	}
	return 0;
}

int row_table_link_run(struct row_table *table, struct load *load,
		       const struct pmscope_run *run)
{
	const struct gap_end none = {};
	struct thread_cache *current;
	struct gap_end *end;
	uint32_t row;

	if (memos_begin(table, load))
		return -ENOMEM;
	end = keyed_item(&table->gap_of_area, sizeof(none), run->area, &none);
	if (!end)
		return -ENOMEM;
	current = thread_cache_of(table->currents, run);
	table->gap = *end;
	table->gap.known &= !run->broken;
	if (find_rows(table, load, run, run->first, 1, current, &row))
		return -ENOMEM;
	table->gap.known &= run->end == run->first + 1;
	if (run->end > run->first + 1 &&
	    find_rows(table, load, run, run->end - 1, 1, current, &row))
		return -ENOMEM;
	*end = table->gap;
	return 0;
}
