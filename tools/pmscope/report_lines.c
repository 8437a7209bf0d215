// SPDX-License-Identifier: GPL-2.0-or-later
#include "report_lines.h"
#include "deps.h"
#include "filter.h"
#include "message.h"
#include "output.h"
#include "table/array.h"
#include "verdict.h"
#include "view.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>
#include <pmscope/source.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNOOP_EVENTS                                            \
	(PMSCOPE_EVENT_BIT(HITM) | PMSCOPE_EVENT_BIT(SNOOPED) | \
	 PMSCOPE_EVENT_BIT(REMOTE_ACCESS))

static uint64_t hash_of(uint64_t address, uint64_t other)
{
	return hash_finish(address * UINT64_C(0x9e3779b97f4a7c15) +
			   other * UINT64_C(0xc2b2ae3d27d4eb4f));
}

static struct cache_line *line_get(struct cache_lines *all,
				   const struct view *v)
{
	bool physical = v->has & PMSCOPE_HAS_PA;
	/* All processes have the same memory of the kernel's. */
	uint32_t pid = physical || v->va >> 63 ? PMSCOPE_NO_ID : v->sample->pid;
	uint64_t address =
		(physical ? v->pa : v->va) & -(uint64_t)all->config.size;
	uint64_t hash = hash_of(address, (uint64_t)physical << 32 | pid);
	struct cache_line *lines;
	uint32_t index;

	if (map_get(&all->line_of_hash, hash, &index))
		return &all->lines[index];
	lines = array_reserve(all->lines, all->nr, &all->max, sizeof(*lines));
	if (!lines)
		return NULL;
	all->lines = lines;
	if (map_set(&all->line_of_hash, hash, all->nr))
		return NULL;
	lines += all->nr++;
	*lines = (struct cache_line){
		.address = address, .pid = pid, .physical = physical};
	return lines;
}

/* The function of the sample. */
static int symbol_get(struct cache_lines *all, const struct current *current,
		      const struct view *v, uint32_t *symbol)
{
	const char *name = NULL;

	if (v->has & PMSCOPE_HAS_PC)
		name = code_find(all->codes, all->load, current)->name;
	if (!name)
		name = "[unknown]";
	if (map_get(&all->symbol_of_name, (uintptr_t)name, symbol))
		return 0;
	if (strings_intern(&all->symbols, name, strlen(name), symbol))
		return -ENOMEM;
	return map_set(&all->symbol_of_name, (uintptr_t)name, *symbol);
}

/* Room for one more; NULL when memory is short. */
static struct line_code *code_new(struct cache_line *line)
{
	struct line_code *many;

	if (line->nr_codes < LINE_CODES)
		return &line->few[line->nr_codes++];
	many = array_reserve(line->many, line->nr_codes, &line->max_codes,
			     sizeof(*many));
	if (!many)
		return NULL;
	if (!line->many)
		memcpy(many, line->few, sizeof(line->few));
	line->many = many;
	return &many[line->nr_codes++];
}

static uint64_t code_key_of(const struct cache_lines *all,
			    const struct cache_line *line, uint32_t symbol)
{
	return (uint64_t)(line - all->lines) << 32 | symbol;
}

/* One of the first few, or by its number; NULL: it is new. */
static struct line_code *code_get(const struct cache_lines *all,
				  struct cache_line *line, uint32_t symbol)
{
	struct line_code *codes = line->many ? line->many : line->few;
	uint32_t number;

	for (size_t i = 0; i < line->nr_codes && i < LINE_CODES; i++)
		if (codes[i].symbol == symbol)
			return &codes[i];
	if (line->many && map_get(&all->code_of_line,
				  code_key_of(all, line, symbol), &number))
		return &codes[number];
	return NULL;
}

static int add_code(struct cache_lines *all, struct cache_line *line,
		    uint32_t symbol, bool store)
{
	struct line_code *code = code_get(all, line, symbol);

	if (!code) {
		code = code_new(line);
		if (!code ||
		    (line->many &&
		     map_set(&all->code_of_line, code_key_of(all, line, symbol),
			     line->nr_codes - 1)))
			return -ENOMEM;
		*code = (struct line_code){.symbol = symbol};
	}
	*(store ? &code->stores : &code->loads) += 1;
	return 0;
}

/* Did another core, or its caches, answer? */
static bool is_peer(const struct view *v)
{
	static const char *const words[] = {"peer", "cluster", "remote", "chip",
					    "HITM"};
	const char *name;

	if (v->events & SNOOP_EVENTS)
		return true;
	if (!(v->has & PMSCOPE_HAS_SOURCE))
		return false;
	name = pmscope_source_name(v->sample->midr, v->source);
	for (size_t i = 0; name && i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]) && !strstr(name, "memory"))
			return true;
	return false;
}

/* What a load or a store does to the line. */
static int access_add(struct cache_lines *all, struct cache_line *line,
		      const struct view *v, uint32_t symbol, uint8_t eighth,
		      bool store)
{
	*(store ? &line->stores : &line->loads) += 1;
	*(store ? &line->written : &line->read) |= eighth;
	line->peers += !store && is_peer(v);
	if (add_code(all, line, symbol, store))
		return -ENOMEM;
	if (v->sample->cpu == PMSCOPE_NO_ID)
		return 0;
	return cpu_set_add(store ? &line->writers : &line->readers,
			   v->sample->cpu);
}

static int line_add(struct cache_lines *all, struct cache_line *line,
		    const struct view *v, uint32_t symbol)
{
	const struct pmscope_batch *b = v->sample->batch;
	unsigned int size = all->config.size;
	size_t row = v->sample->row;
	uint32_t flags = pmscope_operation_flags(b->op_class[row], b->op[row]);
	uint8_t eighth =
		1 << ((v->has & PMSCOPE_HAS_VA ? v->va : v->pa) & (size - 1)) /
			     (size / 8);

	line->samples++;
	if (v->has & PMSCOPE_HAS_TOTAL) {
		line->timed++;
		line->latency += v->total;
	}
	if (!(v->has & PMSCOPE_HAS_OPERATION) ||
	    !(flags & (PMSCOPE_OP_LOAD | PMSCOPE_OP_STORE)))
		return 0;
	return access_add(all, line, v, symbol, eighth,
			  flags & PMSCOPE_OP_STORE);
}

static int add_access(struct cache_lines *all, const struct current *current,
		      struct view *view)
{
	struct cache_line *line;
	uint32_t symbol;

	all->samples++;
	line = line_get(all, view);
	if (!line || symbol_get(all, current, view, &symbol))
		return -ENOMEM;
	return line_add(all, line, view, symbol);
}

static int add_sample(struct cache_lines *all, const struct pmscope_run *run,
		      const struct current *current)
{
	struct load *load = all->load;
	struct view view;
	bool passes, counted;

	view_begin(&view, &current->sample);
	passes = !load->filter->nr_terms || filter_passes(load, &view, current);
	counted = passes && view.has & (PMSCOPE_HAS_VA | PMSCOPE_HAS_PA);
	all->others += passes && !counted;
	if (saturation_see(&load->saturation, run, current->sample.row,
			   counted))
		return -ENOMEM;
	return counted ? add_access(all, current, &view) : 0;
}

static int add_run(void *worker, const struct pmscope_run *run,
		   struct output *out)
{
	struct cache_lines *all = worker;
	struct current *current = current_of(all->currents, run);

	(void)out;
	if (run->group)
		return 0;
	for (size_t row = run->first; row < run->end; row++) {
		current_set(current, all->load, run, row);
		if (all->load->filter->nr_plain)
			current_set_time(current, all->load);
		if (add_sample(all, run, current))
			return -ENOMEM;
	}
	return 0;
}

/* Lines with a writer and another CPU are shared; peers say how badly. */
static bool is_shared(const struct cache_line *line)
{
	return !cpu_set_is_empty(&line->writers) &&
	       cpu_set_count_either(&line->readers, &line->writers) > 1;
}

static int compare(const void *a, const void *b)
{
	const struct cache_line *x = a, *y = b;

	if (x->shared != y->shared)
		return x->shared ? -1 : 1;
	if (x->peers != y->peers)
		return x->peers > y->peers ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->physical != y->physical)
		return x->physical ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void sort_lines(struct cache_lines *all)
{
	for (size_t i = 0; i < all->nr; i++)
		all->lines[i].shared = is_shared(&all->lines[i]);
	if (all->nr)
		qsort(all->lines, all->nr, sizeof(*all->lines), compare);
}

static int compare_codes(const void *a, const void *b, void *symbols)
{
	const struct line_code *x = a, *y = b;
	uint64_t left = (uint64_t)x->loads + x->stores;
	uint64_t right = (uint64_t)y->loads + y->stores;

	if (left != right)
		return left > right ? -1 : 1;
	return strcmp(strings_get(symbols, x->symbol),
		      strings_get(symbols, y->symbol));
}

/* The first @nr lines as they are printed, the busiest functions first. */
static void sort_codes(struct cache_lines *all, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct cache_line *line = &all->lines[i];

		qsort_r(line->many ? line->many : line->few, line->nr_codes,
			sizeof(*line->few), compare_codes, &all->symbols);
	}
}

static void lines_fini(struct cache_lines *all)
{
	for (size_t i = 0; i < all->nr; i++) {
		cpu_set_fini(&all->lines[i].readers);
		cpu_set_fini(&all->lines[i].writers);
		free(all->lines[i].many);
	}
	free(all->lines);
	map_fini(&all->line_of_hash);
	map_fini(&all->symbol_of_name);
	map_fini(&all->code_of_line);
	codes_free(all->codes);
	strings_fini(&all->symbols);
}

static int lines_run(struct cache_lines *all)
{
	void *worker = all;
	const struct work work = {
		.threads = 1,
		.take = add_run,
		.workers = &worker,
	};
	size_t nr;
	int ret;

	ret = load_runs(all->load, &work);
	if (ret) {
		error("%s: %s", all->load->name, strerror(-ret));
		return 1;
	}
	sort_lines(all);
	nr = all->config.limit;
	if (!nr || nr > all->nr)
		nr = all->nr;
	sort_codes(all, nr);
	lines_print(all, nr);
	return output_written() ? 1 : verdict(all->load);
}

int report_lines(struct load *load, const struct lines_config *config)
{
	struct cache_lines all = {
		.config = *config,
		.load = load,
		.codes = codes_new(),
	};
	int status = 1;

	/* Millions of lines have one sample each: nobody reads those. */
	if (!all.config.limit && all.config.format == LINES_AS_TEXT)
		all.config.limit = LINES_IN_TEXT;
	if (all.codes)
		status = lines_run(&all);
	else
		error("out of memory");
	lines_fini(&all);
	return status;
}
