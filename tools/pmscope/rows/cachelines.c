// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/cachelines.h"

#include <pmscope/operation.h>
#include <pmscope/source.h>

static uint64_t hash_of(uint64_t address, uint64_t other)
{
	return hash_finish(address * UINT64_C(0x9e3779b97f4a7c15) +
			   other * UINT64_C(0xc2b2ae3d27d4eb4f));
}

static uint64_t address_of(const struct view *v)
{
	return v->has & PMSCOPE_HAS_PA ? v->pa : v->va;
}

/* Physical memory, and the kernel's, is the same for all processes. */
static uint32_t process_of(const struct view *v)
{
	return v->has & PMSCOPE_HAS_PA || v->va >> 63 ? PMSCOPE_NO_ID
						      : v->sample->pid;
}

/* The address of a line, and its kind. */
static uint64_t memory_of(const struct view *v)
{
	return (uint64_t) !!(v->has & PMSCOPE_HAS_PA) << 32 | process_of(v);
}

static struct cache_line line_of(const struct cache_lines *all,
				 const struct view *v)
{
	return (struct cache_line){
		.address = address_of(v) & -(uint64_t)all->config.size,
		.pid = process_of(v),
		.physical = v->has & PMSCOPE_HAS_PA,
	};
}

static uint64_t line_hash(const struct cache_line *line)
{
	return hash_of(line->address,
		       (uint64_t)line->physical << 32 | line->pid);
}

static int line_add(struct cache_lines *all, const struct cache_line *line,
		    uint32_t *index)
{
	return keyed_get(&all->line_of_hash, sizeof(*line), line_hash(line),
			 line, index);
}

static int thread_get(struct cache_lines *all,
		      const struct thread_cache *current, uint32_t *index)
{
	const struct pmscope_sample *sample = &current->sample;
	const struct line_thread thread = {
		.pid = sample->pid, .tid = sample->tid, .comm = sample->comm};

	return keyed_get(&all->thread_of_hash, sizeof(thread),
			 hash_finish(current->thread), &thread, index);
}

static void site_init(struct line_site *site, const struct cache_lines *all,
		      const struct view *v, const struct cached_symbol *code)
{
	*site = (struct line_site){};
	if (!code)
		return;
	site->name = code->name;
	site->pc = v->pc;
	site->has_pc = true;
	pmscope_recording_place(all->load->recording, v->sample, v->pc,
				&site->place);
	if (site->place.build_id_size)
		memcpy(site->build_id, site->place.build_id,
		       site->place.build_id_size);
}

static int site_get(struct cache_lines *all, const struct view *v,
		    const struct cached_symbol *code, uint32_t *index)
{
	uint64_t hash =
		hash_of(v->has & PMSCOPE_HAS_PC ? v->pc : 0, code_key(code));
	struct line_site site;

	if (keyed_find(&all->site_of_hash, hash, index))
		return 0;
	site_init(&site, all, v, code);
	return keyed_add(&all->site_of_hash, sizeof(site), hash, &site, index);
}

static int find_variable(struct cache_lines *all,
			 const struct thread_cache *current,
			 const struct view *v, struct line_use *use)
{
	const struct data_names names =
		data_names_find(all->variables, &all->load->names, current, 0);
	struct line_anchor anchor = {.va = v->va};
	uint64_t hash;

	if (!names.variable || !names.variable->name)
		return 0;
	use->variable = names.variable->name;
	hash = hash_of(names.variable->start, names.variable->space);
	if (!keyed_find(&all->anchor_of_hash, hash, &use->anchor)) {
		data_place(&all->load->names, v->sample, v->va, &anchor.place);
		if (anchor.place.build_id_size)
			memcpy(anchor.build_id, anchor.place.build_id,
			       anchor.place.build_id_size);
		if (keyed_add(&all->anchor_of_hash, sizeof(anchor), hash,
			      &anchor, &use->anchor))
			return -ENOMEM;
	}
	use->from = v->va - all->anchors[use->anchor].va;
	return 0;
}

static int use_new(struct cache_lines *all, const struct thread_cache *current,
		   const struct view *v, uint64_t hash, uint32_t *index)
{
	const struct cached_symbol *code = NULL;
	const struct cache_line line = line_of(all, v);
	struct line_use use = {
		.offset = address_of(v) & (all->config.size - 1),
		.cpu = v->sample->cpu,
		.key = hash,
	};

	if (v->has & PMSCOPE_HAS_PC)
		code = symbol_cache_find(all->codes, &all->load->names,
					 current);
	if (line_add(all, &line, &use.line) ||
	    thread_get(all, current, &use.thread) ||
	    site_get(all, v, code, &use.site) ||
	    find_variable(all, current, v, &use))
		return -ENOMEM;
	return keyed_add(&all->use_of_hash, sizeof(use), hash, &use, index);
}

static unsigned int access_of(const struct view *v)
{
	const struct pmscope_batch *b = v->sample->batch;
	size_t row = v->sample->row;
	unsigned int access;
	uint32_t flags;

	if (!(v->has & PMSCOPE_HAS_OPERATION))
		return 0;
	flags = pmscope_operation_flags(b->op_class[row], b->op[row]);
	access = (flags & PMSCOPE_OP_LOAD ? LINE_LOADS : 0) |
		 (flags & PMSCOPE_OP_STORE ? LINE_STORES : 0) |
		 (flags & PMSCOPE_OP_ATOMIC ? LINE_ATOMIC : 0);
	if (access & LINE_LOADS &&
	    pmscope_source_is_peer(b, row, v->sample->midr))
		access |= LINE_PEER;
	return access;
}

/* What neither loads nor stores has its own uses, which offsets omit. */
static uint64_t use_hash(struct cache_lines *all,
			 const struct thread_cache *current,
			 const struct view *v, unsigned int access)
{
	const struct cached_symbol *code = NULL;
	uint64_t hash;

	if (v->has & PMSCOPE_HAS_PC)
		code = symbol_cache_find(all->codes, &all->load->names,
					 current);
	hash = hash_of(address_of(v), memory_of(v)) + current->on_cpu;
	hash = hash_of(hash, code_key(code) + (code ? v->pc : 0));
	return hash + !(access & (LINE_LOADS | LINE_STORES));
}

/* Samples of each line, and whether several threads use it */
static void count_lines(struct cache_lines *all)
{
	for (size_t i = 0; i < all->nr_uses; i++) {
		const struct line_use *use = &all->uses[i];
		struct cache_line *line = &all->lines[use->line];

		line->sums.samples += use_samples(use);
		if (!line->threads++)
			line->first = use->thread;
		else if (line->first == use->thread)
			line->threads--;
	}
}

/* A line that threads share is worth as much as one with more samples. */
static bool is_kept(const struct cache_lines *all, const struct line_use *use,
		    uint64_t least)
{
	const struct cache_line *line = &all->lines[use->line];

	return line->sums.samples * (line->threads > 1 ? 16 : 1) >= least;
}

static uint64_t least_of(const struct cache_lines *all)
{
	uint64_t least = 1;
	size_t kept;

	do {
		least *= 2;
		kept = 0;
		for (size_t i = 0; i < all->nr_uses; i++)
			kept += is_kept(all, &all->uses[i], least);
	} while (kept > all->config.room / 2);
	return least;
}

/* Adds use @i of @old, and its line, to @all. */
static int keep_use(struct cache_lines *all, const struct cache_lines *old,
		    size_t i, uint32_t *number)
{
	struct line_use use = old->uses[i];
	struct cache_line line = old->lines[use.line];

	line.sums = (struct line_sums){};
	line.threads = line.first = 0;
	if (line_add(all, &line, &use.line) ||
	    keyed_add(&all->use_of_hash, sizeof(use), use.key, &use, number))
		return -ENOMEM;
	++*number;
	return 0;
}

static int lines_forget(struct cache_lines *all)
{
	struct cache_lines old = *all;
	uint32_t *numbers = calloc(old.nr_uses, sizeof(*numbers));
	uint64_t least;
	int ret = 0;

	if (!numbers)
		return -ENOMEM;
	free(all->seen);
	all->seen = calloc(1 << LINES_SEEN_BITS, sizeof(*all->seen));
	if (!all->seen) {
		free(numbers);
		return -ENOMEM;
	}
	count_lines(&old);
	least = least_of(&old);
	all->line_of_hash = (struct keyed){};
	all->use_of_hash = (struct keyed){};
	for (size_t i = 0; i < old.nr_uses && !ret; i++)
		if (is_kept(&old, &old.uses[i], least))
			ret = keep_use(all, &old, i, &numbers[i]);
		else
			all->left_out += use_samples(&old.uses[i]);
	ret = ret ?: all->config.forgot(all->config.context, numbers);
	keyed_fini(&old.line_of_hash);
	keyed_fini(&old.use_of_hash);
	free(numbers);
	return ret;
}

/*
 * Once some were forgotten, one sample of a line is not worth a use: most lines
 * never have another. False for the first since then, or, rarely, a later one.
 */
static bool is_seen_again(struct cache_lines *all, const struct view *v)
{
	const struct cache_line line = line_of(all, v);
	uint64_t hash = line_hash(&line), bit = UINT64_C(1) << hash % 64;
	uint64_t *word = &all->seen[hash >> (64 - LINES_SEEN_BITS)];
	bool was = *word & bit;
	uint32_t index;

	*word |= bit;
	return was || keyed_find(&all->line_of_hash, hash, &index);
}

/* Returns 0, or -ENOMEM, or -ENOSPC if there are too many uses. */
static int use_get(struct cache_lines *all, const struct thread_cache *current,
		   const struct view *v, unsigned int access, uint32_t *use)
{
	uint64_t hash = use_hash(all, current, v, access);

	if (keyed_find(&all->use_of_hash, hash, use))
		return 0;
	if (all->config.room && all->nr_uses >= all->config.room &&
	    lines_forget(all))
		return -ENOMEM;
	if (all->nr_uses >= LINES_USES || (all->seen && !is_seen_again(all, v)))
		return -ENOSPC;
	return use_new(all, current, v, hash, use);
}

static void use_count(struct line_use *use, const struct view *v,
		      unsigned int access)
{
	const struct pmscope_batch *b = v->sample->batch;
	size_t row = v->sample->row;

	if (v->has & PMSCOPE_HAS_TOTAL) {
		use->timed++;
		use->latency += v->total;
	}
	use->loads += !!(access & LINE_LOADS);
	use->stores += !!(access & LINE_STORES);
	use->others += !(access & (LINE_LOADS | LINE_STORES));
	use->atomics += !!(access & LINE_ATOMIC);
	use->peers += !!(access & LINE_PEER);
	if (access & LINE_LOADS)
		use->far += pmscope_source_is_far(b, row, v->sample->midr);
}

static int add_access(struct cache_lines *all,
		      const struct thread_cache *current,
		      const struct view *view)
{
	const struct lines_config *config = &all->config;
	unsigned int access = access_of(view);
	uint32_t use;
	int ret = use_get(all, current, view, access, &use);

	all->samples++;
	all->left_out += ret == -ENOSPC;
	if (ret)
		return ret == -ENOSPC ? 0 : ret;
	use_count(&all->uses[use], view, access);
	return config->counted ? config->counted(config->context, all, use,
						 access, view)
			       : 0;
}

static int add_sample(struct cache_lines *all, const struct pmscope_run *run,
		      const struct thread_cache *current)
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

int cache_lines_add_run(struct cache_lines *all, const struct pmscope_run *run)
{
	struct thread_cache *current = thread_cache_of(all->currents, run);
	int ret = 0;

	if (run->group)
		return 0;
	for (size_t at = run->first; at < run->end && !ret; at++) {
		thread_cache_set(current, &all->load->names, run, at);
		if (all->load->filter->nr_plain || all->config.counted)
			thread_cache_set_time(current, &all->load->names);
		ret = add_sample(all, run, current);
	}
	return ret;
}

/* Lines that threads share come first, then those with the most peers. */
static int compare(const void *a, const void *b, void *context)
{
	const struct cache_line *x = a, *y = b;
	const struct cache_lines *all = context;
	int order = 0;

	if (all->config.by_latency)
		order = COMPARE(y->sums.latency, x->sums.latency);
	return order ?: COMPARE(line_is_shared(y), line_is_shared(x))
			?: COMPARE(y->sums.peers, x->sums.peers)
			?: COMPARE(y->sums.samples, x->sums.samples)
			?: COMPARE(x->address, y->address)
			?: COMPARE(y->physical, x->physical)
			?: COMPARE(x->pid, y->pid);
}

void cache_lines_fini(struct cache_lines *all)
{
	free(all->order);
	free(all->seen);
	keyed_fini(&all->line_of_hash);
	keyed_fini(&all->use_of_hash);
	keyed_fini(&all->thread_of_hash);
	keyed_fini(&all->site_of_hash);
	symbol_cache_free(all->codes);
	data_symbols_free(all->variables);
	keyed_fini(&all->anchor_of_hash);
}

int cache_lines_begin(struct cache_lines *all, struct load *load,
		      const struct lines_config *config)
{
	*all = (struct cache_lines){
		.config = *config,
		.load = load,
		.codes = symbol_cache_new(),
		.variables = data_symbols_new(),
	};
	return all->codes && all->variables ? 0 : -ENOMEM;
}

int cache_lines_finish(struct cache_lines *all)
{
	if (lines_judge(all))
		return -ENOMEM;
	if (all->nr)
		qsort_r(all->lines, all->nr, sizeof(*all->lines), compare, all);
	return 0;
}

const char *line_verdict_name(const struct cache_line *line)
{
	static const char *const names[] = {
		[LINE_ONE_THREAD] = "one thread",
		[LINE_READ_ONLY] = "read only",
		[LINE_FALSE_SHARING] = "false sharing",
		[LINE_TRUE_SHARING] = "true sharing",
	};

	return names[line->verdict];
}
