// SPDX-License-Identifier: GPL-2.0-or-later
#include "html/html.h"
#include "cli/message.h"
#include "html/shell.h"
#include "read/exit_status.h"
#include "read/filter_memo.h"
#include "read/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a thread adds to. */
struct html_worker {
	struct html *html;
	struct cube cube;
	struct load load; /* with a filter's results of its own */
};

static int add_run(void *worker, const struct pmscope_run *run)
{
	struct html_worker *to = worker;

	return cube_add_run(&to->cube, &to->load, run)
		       ?: html_add_lines(to->html, run);
}

static int read_all(struct html *html, struct html_worker *workers,
		    void **pointers)
{
	struct load *load = html->load;
	const struct row_also also = {
		.workers = pointers,
		.add = add_run,
		.count = counts_add,
		.pair = counts_add_pair,
		.context = &html->counts,
	};
	int ret = 0;

	for (unsigned int i = 0; i < load->threads && !ret; i++) {
		pointers[i] = &workers[i];
		workers[i].html = html;
		workers[i].load = *load;
		ret = cube_begin(&workers[i].cube);
	}
	ret = ret ?: row_table_read_also(&html->code, load, &also);
	for (unsigned int i = 0; i < load->threads && !ret; i++)
		ret = cube_join(&html->cube, &workers[i].cube);
	return ret;
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
	unsigned int threads = html->load->threads;
	struct html_worker *workers = calloc(threads, sizeof(*workers));
	void **pointers = calloc(threads, sizeof(*pointers));
	int ret = -ENOMEM;

	if (workers && pointers)
		ret = stacks_read(html->load, &html->load->stacks)
			      ?: read_all(html, workers, pointers)
			      ?: roll_up(html->table, &html->code);
	for (unsigned int i = 0; workers && i < threads; i++) {
		cube_fini(&workers[i].cube);
		filter_memo_free(workers[i].load.memo);
	}
	free(workers);
	free(pointers);
	return ret;
}

int html_write(struct load *load, struct row_table *table, const char *filter,
	       FILE *out)
{
	struct load load_of_lines = *load; /* it counts what is filtered, too */
	struct html html = {
		.load = load,
		.lines_lock = PTHREAD_MUTEX_INITIALIZER,
		.table = table,
		.filter = filter,
		.counts.width = CUBE_FIRST_WIDTH,
	};
	const struct lines_config lines = {.size = HTML_LINE_SIZE,
					   .counted = moments_count,
					   .context = &html.moments};
	int ret;

	row_table_by_instruction(&html.code);
	html.code.deps |= table->deps;
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
	if (ret)
		error("%s: %s", load->name, strerror(-ret));
	cube_fini(&html.cube);
	cache_lines_fini(&html.lines);
	moments_fini(&html.moments);
	saturation_fini(&load_of_lines.saturation);
	filter_memo_free(load_of_lines.memo);
	row_table_fini(&html.code);
	map_fini(&html.function_of_names);
	free(html.functions);
	return ret;
}
