// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of memory in the page: a grid of threads by offsets. */
#include "html/html.h"

#include <errno.h>
#include <stdlib.h>

#define LINE_PARTS 64

int html_add_lines(struct html *html, const struct pmscope_run *run)
{
	int ret;

	pthread_mutex_lock(&html->lines_lock);
	ret = cache_lines_add_run(&html->lines, run);
	pthread_mutex_unlock(&html->lines_lock);
	return ret;
}

static void put_sums(struct json *json, const struct line_sums *sums)
{
	json_unsigned(json, "loads", sums->loads);
	json_unsigned(json, "stores", sums->stores);
	json_unsigned(json, "atomics", sums->atomics);
	json_unsigned(json, "peer", sums->peers);
	json_unsigned(json, "timed", sums->timed);
	json_unsigned(json, "cycles", sums->latency);
}

/* The uses at an offset by one thread; returns the end of them. */
static size_t put_thread(struct json *json, const struct cache_lines *all,
			 const struct line_detail *detail, size_t first,
			 size_t end)
{
	const struct line_use *use = detail->uses[first];
	const struct line_thread *thread = &all->threads[use->thread];
	uint64_t agent = use_agent(all, use);
	struct line_sums sums = {};
	size_t i = first;

	for (; i < end && use_agent(all, detail->uses[i]) == agent; i++)
		line_sums_add(&sums, detail->uses[i]);
	json_begin_object(json, NULL);
	if (thread->tid != PMSCOPE_NO_ID)
		json_unsigned(json, "tid", thread->tid);
	if (thread->comm)
		json_text(json, "comm", thread->comm);
	if (use->cpu != PMSCOPE_NO_ID)
		json_unsigned(json, "cpu", use->cpu);
	put_sums(json, &sums);
	json_end_object(json);
	return i;
}

static void put_part(struct json *json, const struct cache_lines *all,
		     const struct line_detail *detail,
		     const struct line_part *part)
{
	const struct line_use *use = detail->uses[part->first];
	size_t end = part->first + part->nr;

	json_begin_object(json, NULL);
	json_unsigned(json, "offset", part->offset);
	if (use->variable)
		json_text(json, "variable", use->variable);
	if (all->sites[use->site].name)
		json_text(json, "sym", all->sites[use->site].name);
	json_begin_array(json, "threads");
	for (size_t i = part->first; i < end;)
		i = put_thread(json, all, detail, i, end);
	json_end_array(json);
	json_end_object(json);
}

static int put_line(struct json *json, struct cache_lines *all,
		    const struct cache_line *line, struct line_detail *detail)
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
		put_part(json, all, detail, &detail->parts[i]);
	json_end_array(json);
	json_end_object(json);
	return ret;
}

int html_put_lines(struct json *json, struct html *html)
{
	struct cache_lines *all = &html->lines;
	struct line_detail detail = {};
	int ret = cache_lines_finish(all);

	json_unsigned(json, "lines_total", all->nr);
	json_unsigned(json, "lines_samples", all->samples);
	json_unsigned(json, "lines_left_out", all->left_out);
	json_begin_array(json, "lines");
	for (size_t i = 0; !ret && i < all->nr && i < HTML_LINES; i++)
		ret = put_line(json, all, &all->lines[i], &detail);
	json_end_array(json);
	line_detail_fini(&detail);
	return ret;
}
