// SPDX-License-Identifier: GPL-2.0-or-later
/* Which thread accessed which part of a line, and whether it is shared. */
#include "rows/cachelines.h"

static int compare_uses(const void *a, const void *b, void *context)
{
	const struct line_use *x = *(const struct line_use *const *)a;
	const struct line_use *y = *(const struct line_use *const *)b;
	const struct cache_lines *all = context;

	return COMPARE(x->offset, y->offset)
		       ?: COMPARE(use_agent(all, x), use_agent(all, y))
		       ?: COMPARE(x->cpu, y->cpu)
		       ?: COMPARE(all->sites[x->site].pc,
					  all->sites[y->site].pc);
}

static const struct line_use *use_at(const struct cache_lines *all,
				     const struct cache_line *line, uint32_t i)
{
	return &all->uses[all->order[line->first + i]];
}

/* The uses that load or store, in order. */
static int gather(struct cache_lines *all, const struct cache_line *line,
		  struct line_detail *detail)
{
	detail->nr_uses = 0;
	for (uint32_t i = 0; i < line->nr_uses; i++) {
		const struct line_use *use = use_at(all, line, i);

		if (!use_reads(use) && !use_writes(use))
			continue;
		if (array_add(detail->uses, detail->nr_uses, detail->max_uses,
			      use))
			return -ENOMEM;
	}
	if (detail->nr_uses > 1)
		qsort_r(detail->uses, detail->nr_uses, sizeof(*detail->uses),
			compare_uses, all);
	return 0;
}

static int compare_agents(const void *a, const void *b)
{
	return COMPARE(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* How many threads there are among the uses. */
static int count_threads(const struct cache_lines *all,
			 const struct line_detail *detail, uint32_t *threads)
{
	size_t nr = detail->nr_uses;
	FREED uint64_t *agents = NULL;

	*threads = nr;
	if (nr < 2)
		return 0;
	agents = malloc(nr * sizeof(*agents));
	if (!agents)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		agents[i] = use_agent(all, detail->uses[i]);
	qsort(agents, nr, sizeof(*agents), compare_agents);
	*threads = 1;
	for (size_t i = 1; i < nr; i++)
		*threads += agents[i] != agents[i - 1];
	return 0;
}

/* Is some address written by one thread and used by another? */
static bool shares_data(const struct cache_lines *all,
			const struct line_detail *detail)
{
	bool written = false, many = false;
	uint64_t first = 0;

	for (size_t i = 0; i < detail->nr_uses; i++) {
		const struct line_use *use = detail->uses[i];

		if (!i || use->offset != detail->uses[i - 1]->offset) {
			first = use_agent(all, use);
			written = many = false;
		}
		written |= use_writes(use);
		many |= use_agent(all, use) != first;
		if (written && many)
			return true;
	}
	return false;
}

static enum line_verdict verdict_of(const struct cache_lines *all,
				    const struct cache_line *line,
				    const struct line_detail *detail)
{
	if (line->threads < 2)
		return LINE_ONE_THREAD;
	if (!line->sums.stores && !line->sums.atomics)
		return LINE_READ_ONLY;
	return shares_data(all, detail) ? LINE_TRUE_SHARING
					: LINE_FALSE_SHARING;
}

/* Puts the uses of each line next to each other. */
static int order_uses(struct cache_lines *all)
{
	uint32_t first = 0;

	all->order = malloc((all->nr_uses + 1) * sizeof(*all->order));
	if (!all->order)
		return -ENOMEM;
	for (size_t i = 0; i < all->nr_uses; i++)
		all->lines[all->uses[i].line].nr_uses++;
	for (size_t i = 0; i < all->nr; i++) {
		all->lines[i].first = first;
		first += all->lines[i].nr_uses;
		all->lines[i].nr_uses = 0;
	}
	for (size_t i = 0; i < all->nr_uses; i++) {
		struct cache_line *line = &all->lines[all->uses[i].line];

		all->order[line->first + line->nr_uses++] = i;
	}
	return 0;
}

static int line_judge(struct cache_lines *all, struct cache_line *line,
		      struct line_detail *detail)
{
	int ret;

	for (uint32_t i = 0; i < line->nr_uses; i++)
		line_sums_add(&line->sums, use_at(all, line, i));
	ret = gather(all, line, detail)
		      ?: count_threads(all, detail, &line->threads);
	line->verdict = verdict_of(all, line, detail);
	return ret;
}

int lines_judge(struct cache_lines *all)
{
	CLEANUP(line_detail_fini) struct line_detail detail = {};
	int ret = order_uses(all);

	for (size_t i = 0; i < all->nr && !ret; i++) {
		ret = line_judge(all, &all->lines[i], &detail);
		all->latency += all->lines[i].sums.latency;
	}
	return ret;
}

static int find_parts(struct line_detail *detail)
{
	struct line_part *part = NULL;

	detail->nr_parts = 0;
	for (size_t i = 0; i < detail->nr_uses; i++) {
		const struct line_use *use = detail->uses[i];

		if (!part || part->offset != use->offset) {
			if (array_room(detail->parts, detail->nr_parts,
				       detail->max_parts))
				return -ENOMEM;
			part = &detail->parts[detail->nr_parts++];
			*part = (struct line_part){.offset = use->offset,
						   .first = i};
		}
		part->nr++;
		line_sums_add(&part->sums, use);
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One name per run of offsets in one variable; few occur twice. */
static int gather_variables(struct line_detail *detail)
{
	const char *last = NULL;

	detail->nr_variables = 0;
	for (size_t i = 0; i < detail->nr_uses; i++) {
		const char *name = detail->uses[i]->variable;

		if (!name || (last && !strcmp(name, last)))
			continue;
		if (array_add(detail->variables, detail->nr_variables,
			      detail->max_variables, last = name))
			return -ENOMEM;
	}
	return 0;
}

static int find_variables(struct line_detail *detail)
{
	const char **names;
	size_t nr = 0;

	if (gather_variables(detail))
		return -ENOMEM;
	names = detail->variables;
	if (detail->nr_variables > 1)
		qsort(names, detail->nr_variables, sizeof(*names),
		      compare_names);
	for (size_t i = 0; i < detail->nr_variables; i++)
		if (!nr || strcmp(names[i], names[nr - 1]))
			names[nr++] = names[i];
	detail->nr_variables = nr;
	return 0;
}

/* -1: the recording does not tell. */
static int node_of_cpu(struct cache_lines *all, uint32_t cpu)
{
	const struct pmscope_perfdata *perfdata =
		pmscope_recording_perfdata(all->load->recording);
	int32_t *node;

	if (!perfdata || cpu >= LINES_CPUS)
		return -1;
	node = &all->node_of_cpu[cpu];
	if (!*node)
		*node = pmscope_perfdata_node_of_cpu(perfdata, cpu) + 2;
	return *node - 2;
}

static int add_cpu(struct cache_lines *all, struct line_detail *detail,
		   const struct line_use *use)
{
	int node = node_of_cpu(all, use->cpu);

	if (use_reads(use) && cpu_set_add(&detail->readers, use->cpu))
		return -ENOMEM;
	if (use_writes(use) && cpu_set_add(&detail->writers, use->cpu))
		return -ENOMEM;
	return node < 0 ? 0 : cpu_set_add(&detail->nodes, node);
}

static void cpus_clear(struct line_detail *detail)
{
	cpu_set_fini(&detail->readers);
	cpu_set_fini(&detail->writers);
	cpu_set_fini(&detail->nodes);
	detail->readers = detail->writers = detail->nodes = (struct cpu_set){};
}

static int find_cpus(struct cache_lines *all, struct line_detail *detail)
{
	cpus_clear(detail);
	for (size_t i = 0; i < detail->nr_uses; i++) {
		const struct line_use *use = detail->uses[i];

		if (use->cpu != PMSCOPE_NO_ID && add_cpu(all, detail, use))
			return -ENOMEM;
	}
	return 0;
}

static void find_eighths(struct line_detail *detail, unsigned int size)
{
	detail->read = detail->written = 0;
	for (size_t i = 0; i < detail->nr_uses; i++) {
		const struct line_use *use = detail->uses[i];
		uint8_t eighth = 1 << use->offset / (size / 8);

		detail->read |= use_reads(use) ? eighth : 0;
		detail->written |= use_writes(use) ? eighth : 0;
	}
}

static COMPARISON(compare_places, struct line_code,
		  strcmp(x->name, y->name)
		  ?: compare_texts(x->line.file, y->line.file)
		  ?: COMPARE(x->line.line, y->line.line));

static COMPARISON(compare_codes, struct line_code,
		  COMPARE(y->loads + y->stores, x->loads + x->stores)
			  ?: compare_places(a, b));

/* Looked up when printed, because most are not. Returns 0 or -ENOMEM. */
static int site_find_line(struct cache_lines *all, struct line_site *site)
{
	if (!site->has_pc || site->line_known)
		return 0;
	site->line_known = true;
	site->place.build_id = site->build_id;
	return pmscope_symbols_line(all->load->symbols, &site->place, site->pc,
				    &site->line) == -ENOMEM
		       ? -ENOMEM
		       : 0;
}

/* The member that is @on bytes behind what is used. */
static struct pmscope_member member_at(struct cache_lines *all,
				       const struct line_use *use, uint64_t on)
{
	struct line_anchor *anchor = &all->anchors[use->anchor];
	struct pmscope_place place = anchor->place;
	struct pmscope_member member;

	place.build_id = anchor->build_id;
	place.file_offset += use->from + on;
	pmscope_symbols_member(all->load->symbols, &place,
			       anchor->va + use->from + on, &member);
	return member;
}

const char *use_member(struct cache_lines *all, const struct line_use *use)
{
	return use->variable ? member_at(all, use, 0).path : NULL;
}

size_t line_members(struct cache_lines *all, const struct line_detail *detail,
		    struct line_member *members)
{
	const struct line_use *use = NULL;
	const char *last = NULL;
	struct pmscope_member m;
	size_t nr = 0;

	for (size_t i = 0; i < detail->nr_uses && !use; i++)
		if (detail->uses[i]->variable)
			use = detail->uses[i];
	for (uint32_t at = 0; use && at < all->config.size; at++) {
		m = member_at(all, use, at - (uint64_t)use->offset);
		if (m.typed && m.path == last)
			members[nr - 1].size++;
		else if (m.typed)
			members[nr++] = (struct line_member){at, 1, m.path};
		last = m.typed ? m.path : NULL;
	}
	return nr;
}

static int codes_gather(struct cache_lines *all,
			const struct line_use *const *uses, size_t nr,
			bool with_lines, struct line_codes *codes)
{
	struct line_code *code;

	codes->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		struct line_site *site = &all->sites[uses[i]->site];

		if (with_lines && site_find_line(all, site))
			return -ENOMEM;
		if (array_room(codes->code, codes->nr, codes->max))
			return -ENOMEM;
		code = &codes->code[codes->nr++];
		*code = (struct line_code){.name = site->name ?: "[unknown]",
					   .loads = uses[i]->loads,
					   .stores = uses[i]->stores};
		if (with_lines)
			code->line = site->line;
	}
	return 0;
}

/* Adds up the codes of one place. */
static void codes_merge(struct line_codes *codes)
{
	struct line_code *code = codes->code;
	size_t nr = 0;

	if (codes->nr > 1)
		qsort(code, codes->nr, sizeof(*code), compare_places);
	for (size_t i = 0; i < codes->nr; i++) {
		if (!nr || compare_places(&code[nr - 1], &code[i])) {
			code[nr++] = code[i];
			continue;
		}
		code[nr - 1].loads += code[i].loads;
		code[nr - 1].stores += code[i].stores;
	}
	codes->nr = nr;
	if (nr > 1)
		qsort(code, nr, sizeof(*code), compare_codes);
}

int line_detail_codes(struct cache_lines *all, struct line_detail *detail,
		      const struct line_part *part)
{
	int ret = codes_gather(all, detail->uses + part->first, part->nr, true,
			       &detail->part_codes);

	if (!ret)
		codes_merge(&detail->part_codes);
	return ret;
}

int line_detail_fill(struct cache_lines *all, const struct cache_line *line,
		     struct line_detail *detail)
{
	int ret = gather(all, line, detail)
			  ?: find_parts(detail)
			  ?: find_variables(detail)
			  ?: find_cpus(all, detail)
			  ?: codes_gather(all, detail->uses, detail->nr_uses,
					  false, &detail->codes);

	if (ret)
		return ret;
	codes_merge(&detail->codes);
	find_eighths(detail, all->config.size);
	return 0;
}

void line_detail_fini(struct line_detail *detail)
{
	free(detail->uses);
	free(detail->parts);
	free(detail->codes.code);
	free(detail->part_codes.code);
	free(detail->variables);
	cpus_clear(detail);
}
