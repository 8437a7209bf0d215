// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope script: every sample of a recording in one of three forms. */
#include "cli/message.h"
#include "sample/capture.h"
#include "fields/filter.h"
#include "print/losses.h"
#include "read/sample_key.h"
#include "read/filter_memo.h"
#include "read/exit_status.h"
#include "read/stacks.h"
#include "script/mapping.h"
#include "script/text_cache.h"
#include "script/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Per-thread state for printing. */
struct printing {
	struct load load;
	struct text_cache cache;
	struct thread_cache currents[THREAD_CACHES];
};

static uint64_t time_of(const struct pmscope_sample *sample)
{
	return sample->has_time ? sample->time : 0;
}

static size_t print_capture(struct printing *to,
			    const struct pmscope_sample *group,
			    struct output *out)
{
	struct pmscope_record record;
	struct view view = capture_view(group, &record);

	return group_print(to->cache.plan, out, &view);
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

		thread_cache_set(current, &to->load, run, row);
		thread_cache_set_time(current, &to->load);
		length = print_record(to, current, out);
		if (out->lines)
			lines_add(out->lines, time_of(&current->sample),
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
	printing = calloc(load->threads, sizeof(*printing));
	if (!printing) {
		error("out of memory");
		return 1;
	}
	ret = print_with(load, &plan, printing);
	free(printing);
	if (ret)
		return 1;
	losses_print(load, stderr, "pmscope: ");
	return exit_status(load);
}
