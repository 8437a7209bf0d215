// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope script: every sample of a recording in one of three forms. */
#include "cli/message.h"
#include "fields/capture.h"
#include "fields/filter.h"
#include "read/deps.h"
#include "read/filter_memo.h"
#include "read/verdict.h"
#include "script/columns.h"
#include "script/print.h"
#include "script/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lines of a form of their own, or rows of columns. */
struct printing {
	struct output *out;
	const struct script_printer *printer;
	struct column_printer *columns; /* in place of @printer */
	struct load load;
	struct current currents[CURRENTS];
	struct codes *codes; /* for @printer */
	bool *passes;	     /* rows of a run, where there is a filter */
	size_t max_passes;
};

static void set_names(struct printing *to, struct view *view,
		      const struct current *current)
{
	view_names_but_symbol(view);
	if (view->has & PMSCOPE_HAS_PC)
		view->symbol = code_symbol(
			code_find(to->codes, &to->load, current), view->pc);
}

static uint64_t time_of(const struct pmscope_sample *sample)
{
	return sample->has_time ? sample->time : 0;
}

static void print_line(struct printing *to, struct view *view,
		       const struct current *current)
{
	struct output *out = to->out;
	char *p, *end;

	set_names(to, view, current);
	p = output_reserve(out, view_room(view));
	if (!p)
		return;
	end = to->printer->spe(p, view);
	output_commit(out, end);
	if (out->lines)
		lines_add(out->lines, time_of(view->sample), end - p);
}

static void print_group(struct printing *to, const struct pmscope_run *run)
{
	size_t before = to->out->used;
	struct pmscope_record record;
	struct view view = capture_view(run->group, &record);
	char *p;

	if (to->columns) {
		column_group(to->columns, to->out, &view);
	} else {
		p = output_reserve(to->out, group_room(&view));
		if (p)
			output_commit(to->out, to->printer->group(p, &view));
	}
	if (to->out->lines)
		lines_add(to->out->lines, UINT64_MAX, to->out->used - before);
}

static bool row_passes(struct printing *to, const struct pmscope_run *run,
		       struct current *current, size_t row, struct view *view)
{
	current_set(current, &to->load, run, row);
	current_set_time(current, &to->load);
	view_begin(view, &current->sample);
	return !to->load.filter->nr_terms ||
	       filter_passes(&to->load, view, current);
}

static void print_lines(struct printing *to, const struct pmscope_run *run,
			struct current *current)
{
	struct view view;

	for (size_t row = run->first; row < run->end; row++) {
		if (row_passes(to, run, current, row, &view))
			print_line(to, &view, current);
		else if (to->out->lines)
			lines_add(to->out->lines, time_of(&current->sample), 0);
	}
}

/* Which rows the filter lets through; NULL when memory is short. */
static const bool *rows_passing(struct printing *to,
				const struct pmscope_run *run,
				struct current *current)
{
	size_t capacity = run->batch->capacity;
	struct view view;

	if (capacity > to->max_passes) {
		free(to->passes);
		to->passes = malloc(capacity * sizeof(*to->passes));
		to->max_passes = to->passes ? capacity : 0;
	}
	for (size_t row = run->first; to->passes && row < run->end; row++)
		to->passes[row] = row_passes(to, run, current, row, &view);
	return to->passes;
}

static void print_rows(struct printing *to, const struct pmscope_run *run,
		       struct current *current)
{
	const bool *passes = NULL;

	if (to->load.filter->nr_terms) {
		passes = rows_passing(to, run, current);
		if (!passes) {
			to->out->failed = true;
			return;
		}
	}
	column_rows(to->columns, to->out, run, current, passes);
}

/* For those who put rows in order; false when memory is short. */
static bool begin_lines(const struct pmscope_run *run, struct lines *lines)
{
	return run->group ? lines_begin(lines, LINES_NO_AREA, UINT64_MAX, 1)
			  : lines_begin(lines, run->area, run->due,
					run->end - run->first);
}

/* 1 when a write failed, or memory: output_finish() tells which. */
static int print(void *worker, const struct pmscope_run *run,
		 struct output *out)
{
	struct printing *to = worker;
	struct current *current = current_of(to->currents, run);

	to->out = out;
	if (out->lines && !begin_lines(run, out->lines)) {
		out->failed = true;
		return 1;
	}
	if (run->group)
		print_group(to, run);
	else if (to->columns)
		print_rows(to, run, current);
	else
		print_lines(to, run, current);
	return to->out->failed;
}

/* Returns 0; -EINVAL after error(); or -ENOMEM. */
static int choose_form(struct printing *to, const struct script_config *config)
{
	const struct column *columns[MAX_COLUMNS];
	int nr;

	if (config->format != SCRIPT_CSV && !config->fields) {
		to->printer = config->format == SCRIPT_JSONL ? &script_jsonl
							     : &script_text;
		to->codes = codes_new();
		return to->codes ? 0 : -ENOMEM;
	}
	nr = columns_parse(config->fields, capture_expected(to->load.recording),
			   columns);
	if (nr < 0)
		return nr;
	to->columns =
		column_printer_new(config->format, columns, nr, &to->load);
	return to->columns ? 0 : -ENOMEM;
}

/* Rows of one area come in their order. */
static int print_runs(struct load *load, struct work *work)
{
	size_t areas = pmscope_recording_areas(load->recording);
	int ret;

	if (areas < 2)
		return load_runs(load, work);
	work->order = order_new(areas, work->out);
	if (!work->order)
		return -ENOMEM;
	ret = load_runs(load, work);
	order_end(work->order);
	order_free(work->order);
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
	int ret;

	for (unsigned int i = 0; i < load->threads; i++)
		workers[i] = &printing[i];
	if (printing->columns)
		column_header(printing->columns, &out);
	ret = print_runs(load, &work);
	if (ret < 0)
		error("%s: %s", load->name, strerror(-ret));
	for (unsigned int i = 0; i < load->threads; i++)
		load->filtered += printing[i].load.filtered;
	return output_finish(&out) || ret < 0;
}

/* With a form for each thread, which remembers what it printed. */
static int print_with(struct load *load, const struct script_config *config,
		      struct printing *printing)
{
	int ret = 0;

	for (unsigned int i = 0; i < load->threads && !ret; i++) {
		printing[i].load = *load;
		ret = choose_form(&printing[i], config);
	}
	if (!ret)
		ret = print_all(load, printing);
	if (ret == -ENOMEM)
		error("out of memory");
	for (unsigned int i = 0; i < load->threads; i++) {
		column_printer_free(printing[i].columns);
		codes_free(printing[i].codes);
		free(printing[i].passes);
		filter_memo_free(printing[i].load.memo);
	}
	return ret;
}

int script_records(struct load *load, const struct script_config *config)
{
	struct printing *printing = calloc(load->threads, sizeof(*printing));
	int ret;

	if (!printing) {
		error("out of memory");
		return 1;
	}
	ret = print_with(load, config, printing);
	free(printing);
	if (ret)
		return 1;
	load_print_losses(load, stderr, "pmscope: ");
	return verdict(load);
}
