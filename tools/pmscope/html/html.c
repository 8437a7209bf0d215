// SPDX-License-Identifier: GPL-2.0-or-later
#include "html/html.h"

static int add_run(void *context, const struct pmscope_run *run)
{
	struct html *html = context;

	return cube_add_run(&html->cube, &html->load_of_cube, run)
		       ?: cache_lines_add_run(&html->lines, run)
		       ?: row_table_add_run(&html->used,
					    &html->load_of_objects, run);
}

/* The rows of report, from those by instruction. */
static int roll_up(struct row_table *table, struct row_table *code)
{
	table->counters = code->counters;
	code->counters = (struct counters){};
	return row_table_roll_up(table, code);
}

static int html_read(struct html *html)
{
	const struct row_also also = {
		.add = add_run,
		.count = counts_add,
		.pair = counts_add_pair,
		.context = html,
	};
	int ret = stacks_read(html->load, &html->load->stacks);

	/* with a filter's results and counts of their own */
	html->load_of_cube = html->load_of_objects = *html->load;
	return ret ?: html_objects_begin(html)
		   ?: row_table_read_also(&html->code, html->load, &also)
		   ?: roll_up(html->table, &html->code)
		   ?: html_objects_finish(html);
}

int html_write(struct load *load, struct row_table *table, const char *filter,
	       FILE *out)
{
	struct load load_of_lines = *load; /* it counts what is filtered, too */
	struct html html = {
		.load = load,
		.table = table,
		.filter = filter,
		.counts.width = CUBE_FIRST_WIDTH,
	};
	const struct lines_config lines = {.size = HTML_LINE_SIZE,
					   .counted = moments_count,
					   .room = HTML_LINE_USES,
					   .forgot = moments_renumber,
					   .context = &html.moments};
	int ret;

	row_table_by_instruction(&html.code);
	/* The page has no other latencies than the total one. */
	html.code.all_latencies = false;
	html.code.deps |= table->deps;
	html.code.by_cost = table->by_cost;
	html.code.by_time = table->by_time;
	html.code.ticks_least = table->ticks_least;
	ret = cube_begin(&html.cube)
		      ?: moments_begin(&html.moments)
		      ?: cache_lines_begin(&html.lines, &load_of_lines, &lines)
		      ?: html_read(&html);

	if (!ret && !is_unreadable(load)) {
		counts_settle(&html.counts, &table->counters);
		ret = html_choose(&html)
			      ?: html_shell_write(HTML_REPORT, html_model,
						  &html, out);
	}
	failed(ret, load->name);
	cube_fini(&html.cube);
	cache_lines_fini(&html.lines);
	moments_fini(&html.moments);
	saturation_fini(&load_of_lines.saturation);
	saturation_fini(&html.load_of_objects.saturation);
	row_table_fini(&html.objects);
	row_table_fini(&html.used);
	filter_memo_free(load_of_lines.memo);
	filter_memo_free(html.load_of_cube.memo);
	row_table_fini(&html.code);
	map_fini(&html.function_of_names);
	free(html.functions);
	return ret;
}
