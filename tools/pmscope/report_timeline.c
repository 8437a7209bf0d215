// SPDX-License-Identifier: GPL-2.0-or-later
#include "report_timeline.h"
#include "deps.h"
#include "filter.h"
#include "message.h"
#include "output.h"
#include "table/array.h"
#include "verdict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 40
#define MAX_ROWS     1000000
#define FIRST_WIDTH  1000 /* ns */

/* How much a count differs in another phase, and of how many that is told. */
#define PHASE_RATIO 1.5
#define PHASE_MIN   16

static void slice_join(struct slice *slice, const struct slice *from)
{
	slice->samples += from->samples;
	slice->timed += from->timed;
	slice->latency += from->latency;
	for (size_t i = 0; i < SLICE_COUNTS; i++)
		slice->counts[i] += from->counts[i];
}

/* Slices of twice the width, half as many; an odd one stays alone. */
static void fold(struct timeline *t)
{
	size_t half = (t->max + 1) / 2;

	for (size_t i = 0; i < half; i++) {
		struct slice both = t->slices[2 * i];

		if (2 * i + 1 < t->max)
			slice_join(&both, &t->slices[2 * i + 1]);
		t->slices[i] = both;
	}
	memset(t->slices + half, 0, (t->max - half) * sizeof(*t->slices));
	t->nr = (t->nr + 1) / 2;
	t->width = t->width > UINT64_MAX / 2 ? UINT64_MAX : 2 * t->width;
}

/* All times are in the first of the widest slices. */
static size_t index_at(const struct timeline *t, uint64_t time)
{
	return time > t->begin && t->width < UINT64_MAX
		       ? (time - t->begin) / t->width
		       : 0;
}

static struct slice *slice_at(struct timeline *t, uint64_t time)
{
	size_t index;

	if (!t->begun)
		t->begin = time;
	t->begun = true;
	if (time > t->end)
		t->end = time;
	while (index_at(t, time) >= t->max)
		fold(t);
	index = index_at(t, time);
	if (index >= t->nr)
		t->nr = index + 1;
	return &t->slices[index];
}

/* As a column of CSV. */
static bool has_name(const struct timeline *t, const char *name)
{
	static const char *const others[] = TIMELINE_COLUMNS;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i], name))
			return true;
	for (size_t i = 0; i < t->nr_events; i++)
		if (!strcmp(t->events[i].name, name))
			return true;
	return false;
}

/* NULL when memory is short. An event may be there twice: it is a key once. */
static char *name_make(const struct timeline *t,
		       const struct pmscope_count *count)
{
	char unnamed[EVENT_NAME];
	const char *plain =
		report_event_name(count->name, count->attr, unnamed);
	char *name = strdup(plain);

	for (unsigned int i = 2; name && has_name(t, name); i++) {
		free(name);
		if (asprintf(&name, "%s #%u", plain, i) < 0)
			return NULL;
	}
	return name;
}

static int event_add(struct timeline *t, const struct pmscope_count *count)
{
	struct timeline_event *event = &t->events[t->nr_events];

	*event = (struct timeline_event){
		.attr = count->attr,
		.name = name_make(t, count),
	};
	return event->name ? (int)t->nr_events++ : -ENOMEM;
}

/* -ENOSPC: there is no room for it. */
static int event_get(struct timeline *t, const struct pmscope_count *count)
{
	for (size_t i = 0; i < t->nr_events; i++)
		if (t->events[i].attr == count->attr)
			return i;
	if (t->nr_events == TIMELINE_EVENTS) {
		t->left_out = true;
		return -ENOSPC;
	}
	return event_add(t, count);
}

/* Shares what was counted from @from to @to among the slices between. */
static void spread(struct timeline *t, unsigned int index, uint64_t from,
		   uint64_t to, uint64_t count)
{
	size_t last = index_at(t, to);

	for (size_t i = index_at(t, from); i <= last; i++) {
		uint64_t begin = t->begin + i * t->width;
		uint64_t end = begin + t->width;
		double part = 1;

		if (begin < from)
			begin = from;
		if (end > to || end < begin)
			end = to;
		if (to > from)
			part = (double)(end - begin) / (to - from);
		t->slices[i].counts[index] += part * count;
	}
}

/* NULL when memory is short. */
static struct report_reading *series_get(struct timeline *t, uint64_t key,
					 bool *is_new)
{
	struct report_reading *series;
	uint32_t index;

	*is_new = !map_get(&t->series_of_key, key, &index);
	if (!*is_new)
		return &t->series[index];
	series = array_reserve(t->series, t->nr_series, &t->max_series,
			       sizeof(*series));
	if (!series)
		return NULL;
	t->series = series;
	if (map_set(&t->series_of_key, key, t->nr_series))
		return NULL;
	return &series[t->nr_series++];
}

/* What a group counted, and since when. */
struct span {
	uint64_t from;
	struct report_pair pair;
};

static int add_count(struct timeline *t, const struct pmscope_run *run,
		     const struct pmscope_count *count, struct span *span)
{
	const uint64_t time = run->due;
	const struct report_reading now =
		report_reading_of(run->group, count->value, time);
	int event = event_get(t, count);
	struct report_reading others = {}, *series;
	int64_t since = -1;
	bool is_new;

	if (event == -ENOMEM)
		return event;
	series = series_get(
		t, report_counter_key(t->perfdata, run->group, count), &is_new);
	if (!series)
		return -ENOMEM;
	if (!is_new)
		since = report_reading_add(event < 0 ? &others
						     : &t->events[event].since,
					   series, &now);
	if (since >= 0 && event >= 0)
		spread(t, event, series->time, time, since);
	if (since >= 0) {
		report_pair_take(&span->pair, t->perfdata, count, since);
		span->from = series->time;
	}
	*series = now;
	return 0;
}

static void spread_pair(struct timeline *t, const struct span *span,
			uint64_t to)
{
	const struct report_pair *pair = &span->pair;

	if (!report_pair_is_whole(pair))
		return;
	spread(t, PAIR_CYCLES, span->from, to, pair->cycles);
	spread(t, PAIR_INSTRUCTIONS, span->from, to, pair->instructions);
}

/* By the clock of the samples, whichever its own is. */
static int add_group(void *context, const struct pmscope_run *run)
{
	const struct pmscope_sample *sample = run->group;
	struct timeline *t = context;
	struct span span = {};

	t->groups++;
	t->snapshots += sample->is_snapshot;
	if (!sample->has_time) {
		t->untimed++;
		return 0;
	}
	slice_at(t, run->due);
	for (size_t i = 0; i < sample->nr_counts; i++)
		if (add_count(t, run, &sample->counts[i], &span))
			return -ENOMEM;
	spread_pair(t, &span, run->due);
	return 0;
}

static void slice_add(struct slice *slice, const struct view *view)
{
	slice->samples++;
	if (!(view->has & PMSCOPE_HAS_TOTAL))
		return;
	slice->timed++;
	slice->latency += view->total;
}

static int add_sample(struct timeline *t, const struct pmscope_run *run,
		      const struct current *current)
{
	const struct pmscope_sample *sample = &current->sample;
	struct load *load = t->load;
	struct view view;
	bool passes, counted;

	view_begin(&view, sample);
	passes = !load->filter->nr_terms || filter_passes(load, &view, current);
	counted = passes && sample->has_time;
	t->samples += passes;
	t->untimed += passes && !counted;
	if (counted)
		slice_add(slice_at(t, sample->time), &view);
	return saturation_see(&load->saturation, run, sample->row, counted);
}

static int add_run(void *worker, const struct pmscope_run *run,
		   struct output *out)
{
	struct timeline *t = worker;
	struct current current = {};

	(void)out;
	for (size_t row = run->first; row < run->end; row++) {
		current_set(&current, t->load, run, row);
		current_set_time(&current, t->load);
		if (add_sample(t, run, &current))
			return -ENOMEM;
	}
	return 0;
}

static bool differs(double a, double b)
{
	double less = a < b ? a : b, more = a < b ? b : a;

	return more >= PHASE_MIN && more > PHASE_RATIO * less;
}

/* @phase is the sum of @nr slices. */
static bool is_other_phase(const struct slice *phase, size_t nr,
			   const struct slice *s)
{
	bool other = differs((double)phase->samples / nr, s->samples);

	for (size_t i = 0; i < TIMELINE_EVENTS; i++)
		other |= differs(phase->counts[i] / nr, s->counts[i]);
	if (phase->timed >= PHASE_MIN && s->timed >= PHASE_MIN)
		other |= differs(slice_mean(phase), slice_mean(s));
	return other;
}

/* The last slice is not a whole one, and stays in the phase before it. */
static void find_phases(struct timeline *t)
{
	struct slice sum = {};
	size_t nr = 0;
	unsigned int phase = 1;

	for (size_t i = 0; i < t->nr; i++) {
		if (nr && i + 1 < t->nr &&
		    is_other_phase(&sum, nr, &t->slices[i])) {
			phase++;
			sum = (struct slice){};
			nr = 0;
		}
		t->slices[i].phase = phase;
		slice_join(&sum, &t->slices[i]);
		nr++;
	}
}

static int timeline_run(struct timeline *t, int format)
{
	void *worker = t;
	const struct work work = {
		.in_order = true,
		.threads = 1,
		.take = add_run,
		.workers = &worker,
		.group = add_group,
		.context = t,
	};
	int ret = load_runs(t->load, &work);

	if (ret) {
		error("%s: %s", t->load->name, strerror(-ret));
		return 1;
	}
	if (t->left_out)
		report_left_out(t->load, TIMELINE_EVENTS);
	find_phases(t);
	timeline_print(t, format);
	return output_written() ? 1 : verdict(t->load);
}

int report_timeline(struct load *load, int format, unsigned int rows)
{
	struct timeline t = {
		.load = load,
		.perfdata = pmscope_recording_perfdata(load->recording),
		.width = FIRST_WIDTH,
		.max = rows ? rows : DEFAULT_ROWS,
	};
	int status = 1;

	if (t.max > MAX_ROWS)
		t.max = MAX_ROWS;
	t.slices = calloc(t.max, sizeof(*t.slices));
	if (t.slices)
		status = timeline_run(&t, format);
	else
		error("out of memory");
	for (size_t i = 0; i < t.nr_events; i++)
		free(t.events[i].name);
	free(t.slices);
	free(t.series);
	map_fini(&t.series_of_key);
	return status;
}
