// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of memory in the page: a grid of threads by offsets. */
#include "html/html.h"

#define LINE_PARTS 64

static void put_sums(struct json *json, const struct line_sums *sums)
{
	json_unsigned(json, "loads", sums->loads);
	json_unsigned(json, "stores", sums->stores);
	json_unsigned(json, "atomics", sums->atomics);
	json_unsigned(json, "peer", sums->peers);
	json_unsigned(json, "timed", sums->timed);
	json_unsigned(json, "cycles", sums->latency);
}

/* Cells of a few uses that are written together. */
struct chosen {
	const struct html *html;
	struct chosen_cell {
		uint32_t order; /* position and access */
		uint32_t samples;
		uint64_t above;
	} * cells;
	size_t nr;
	size_t max;
	bool failed;
};

static void choose_use(struct chosen *chosen, const struct line_use *use)
{
	const struct moments *moments = &chosen->html->moments;
	size_t nr;
	const struct cube_cell **cells =
		moments_of(moments, use - chosen->html->lines.uses, &nr);

	for (size_t i = 0; i < nr && !chosen->failed; i++) {
		struct chosen_cell *to = array_reserve(
			chosen->cells, chosen->nr, &chosen->max, sizeof(*to));

		chosen->failed = !to;
		if (!to)
			return;
		chosen->cells = to;
		to[chosen->nr++] = (struct chosen_cell){
			.order = html_position(chosen->html, &moments->cells,
					       cells[i])
					 << 4 |
				 cells[i]->kind,
			.samples = cells[i]->samples,
			.above = cube_cell_above(cells[i]),
		};
	}
}

static COMPARISON(compare_chosen, struct chosen_cell,
		  COMPARE(x->order, y->order));

/* A list of position, access, samples and cycles above the class. */
static void put_chosen(struct json *json, const char *key,
		       struct chosen *chosen)
{
	const struct chosen_cell *cells = chosen->cells;

	if (chosen->nr)
		qsort(chosen->cells, chosen->nr, sizeof(*cells),
		      compare_chosen);
	json_begin_array(json, key);
	for (size_t i = 0; i < chosen->nr;) {
		uint64_t samples = 0, above = 0;
		uint32_t order = cells[i].order;

		for (; i < chosen->nr && cells[i].order == order; i++) {
			samples += cells[i].samples;
			above += cells[i].above;
		}
		json_unsigned(json, NULL, order >> 4);
		json_unsigned(json, NULL, order & 15);
		json_unsigned(json, NULL, samples);
		json_unsigned(json, NULL, above);
	}
	json_end_array(json);
	chosen->nr = 0;
}

/* The uses at an offset by one thread; returns the end of them. */
static size_t put_thread(struct json *json, const struct cache_lines *all,
			 const struct line_detail *detail, size_t first,
			 size_t end, struct chosen *chosen)
{
	const struct line_use *use = detail->uses[first];
	const struct line_thread *thread = &all->threads[use->thread];
	uint64_t agent = use_agent(all, use);
	struct line_sums sums = {};
	size_t i = first;

	for (; i < end && use_agent(all, detail->uses[i]) == agent; i++) {
		line_sums_add(&sums, detail->uses[i]);
		if (chosen)
			choose_use(chosen, detail->uses[i]);
	}
	json_begin_object(json, NULL);
	if (thread->tid != PMSCOPE_NO_ID)
		json_unsigned(json, "tid", thread->tid);
	if (thread->comm)
		json_text(json, "comm", thread->comm);
	if (use->cpu != PMSCOPE_NO_ID)
		json_unsigned(json, "cpu", use->cpu);
	put_sums(json, &sums);
	if (chosen)
		put_chosen(json, "moments", chosen);
	json_end_object(json);
	return i;
}

static void put_part(struct json *json, struct cache_lines *all,
		     const struct line_detail *detail,
		     const struct line_part *part, struct chosen *chosen)
{
	const struct line_use *use = detail->uses[part->first];
	size_t end = part->first + part->nr;
	const char *member = use_member(all, use);

	json_begin_object(json, NULL);
	json_unsigned(json, "offset", part->offset);
	if (use->variable)
		json_text(json, "variable", use->variable);
	if (member)
		json_text(json, "member", member);
	if (all->sites[use->site].name)
		json_text(json, "sym", all->sites[use->site].name);
	json_begin_array(json, "threads");
	for (size_t i = part->first; i < end;)
		i = put_thread(json, all, detail, i, end, chosen);
	json_end_array(json);
	json_end_object(json);
}

static const struct line_use *use_of(const struct cache_lines *all,
				     const struct cache_line *line, uint32_t i)
{
	return &all->uses[all->order[line->first + i]];
}

static size_t cells_of_line(const struct html *html,
			    const struct cache_line *line)
{
	size_t sum = 0, nr;

	for (uint32_t i = 0; i < line->nr_uses; i++) {
		moments_of(&html->moments,
			   use_of(&html->lines, line, i) - html->lines.uses,
			   &nr);
		sum += nr;
	}
	return sum;
}

/* Those that neither load nor store, which have no offset. */
static void put_others(struct json *json, const struct cache_lines *all,
		       const struct cache_line *line, struct chosen *chosen)
{
	for (uint32_t i = 0; i < line->nr_uses; i++)
		if (use_of(all, line, i)->others)
			choose_use(chosen, use_of(all, line, i));
	if (chosen->nr)
		put_chosen(json, "others", chosen);
}

/* @chosen is NULL if there is no room for when the line was used. */
static int put_line(struct json *json, struct cache_lines *all,
		    const struct cache_line *line, struct line_detail *detail,
		    struct chosen *chosen)
{
	int ret = line_detail_fill(all, line, detail);

	json_begin_object(json, NULL);
	json_hex(json, "address", line->address);
	json_bool(json, "physical", line->physical);
	if (line->pid != PMSCOPE_NO_ID)
		json_unsigned(json, "pid", line->pid);
	json_text(json, "verdict", line_verdict_name(line));
	json_unsigned(json, "threads", line->threads);
	json_unsigned(json, "samples", line->sums.samples);
	put_sums(json, &line->sums);
	json_begin_array(json, "offsets");
	for (size_t i = 0; !ret && i < detail->nr_parts && i < LINE_PARTS; i++)
		put_part(json, all, detail, &detail->parts[i], chosen);
	json_end_array(json);
	if (chosen)
		put_others(json, all, line, chosen);
	json_end_object(json);
	return ret ?: chosen && chosen->failed ? -ENOMEM : 0;
}

static int put_lines(struct json *json, struct html *html)
{
	struct cache_lines *all = &html->lines;
	struct chosen chosen = {.html = html};
	struct line_detail detail = {};
	size_t room = HTML_LINE_CELLS;
	int ret = 0;

	for (size_t i = 0; !ret && i < all->nr && i < HTML_LINES; i++) {
		const struct cache_line *line = &all->lines[i];
		size_t nr = cells_of_line(html, line);
		bool fits = nr <= room;

		ret = put_line(json, all, line, &detail, fits ? &chosen : NULL);
		room -= fits ? nr : 0;
	}
	line_detail_fini(&detail);
	free(chosen.cells);
	return ret;
}

int html_put_lines(struct json *json, struct html *html)
{
	struct cache_lines *all = &html->lines;
	int ret = cache_lines_finish(all) ?: moments_sort(&html->moments);

	json_unsigned(json, "lines_total", all->nr);
	json_unsigned(json, "lines_samples", all->samples);
	json_unsigned(json, "lines_left_out", all->left_out);
	json_begin_array(json, "lines");
	ret = ret ?: put_lines(json, html);
	json_end_array(json);
	return ret;
}
