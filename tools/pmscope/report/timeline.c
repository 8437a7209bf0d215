// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report.h"

#define DEFAULT_ROWS 40
#define MAX_ROWS     1000000
#define FIRST_WIDTH  1000 /* ns */

/* By how much counts differ in another phase, and how many samples show it. */
#define PHASE_RATIO 1.5
#define PHASE_MIN   16

static void slice_join(struct slice *slice, const struct slice *from)
{
	slice->samples += from->samples;
	slice->timed += from->timed;
	slice->latency += from->latency;
	for (size_t i = 0; i < SLICE_COUNTS; i++) {
		slice->counts[i] += from->counts[i];
		slice->scaled[i] += from->scaled[i];
	}
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
	t->end = MAX(t->end, time);
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

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i], name))
			return true;
	for (size_t i = 0; i < t->nr_events; i++)
		if (!strcmp(t->events[i].name, name))
			return true;
	return false;
}

/* NULL when memory is short. An event may be there twice: it is a key once. */
static char *name_make(const struct timeline *t, const char *plain)
{
	char *name = strdup(plain);

	for (unsigned int i = 2; name && has_name(t, name); i++) {
		free(name);
		if (asprintf(&name, "%s #%u", plain, i) < 0)
			return NULL;
	}
	return name;
}

/* Spreads a count up to @to over the slices, but for what is outside them. */
static void spread(struct timeline *t, size_t index,
		   const struct counted *counted, uint64_t to)
{
	size_t last = index_at(t, MIN(to, t->end));

	if (counted->from > t->end || to < t->begin)
		return;
	for (size_t i = index_at(t, counted->from); i <= last; i++) {
		uint64_t begin = t->begin + i * t->width;
		double part = counted_part(counted, to, begin,
					   MIN(t->width, t->end - begin));

		t->slices[i].counts[index] += part * counted->value;
		t->slices[i].scaled[index] += part * counted->scaled;
	}
}

struct group_adding {
	struct timeline *timeline;
	uint64_t time;
};

static void add_count(void *context, const struct counted *counted)
{
	const struct group_adding *adding = context;

	if (counted->event < TIMELINE_EVENTS)
		spread(adding->timeline, counted->event, counted, adding->time);
}

/* Uses the clock of the samples. */
static int add_group(void *context, const struct pmscope_run *run)
{
	const struct pmscope_sample *sample = run->group;
	struct timeline *t = context;
	struct group_adding adding = {t, run->due};
	bool passes = filter_passes_group(t->load, sample);
	struct counted_pair pair;

	if (passes) {
		t->groups += !sample->is_total;
		t->snapshots += sample->is_snapshot && !sample->is_total;
	}
	if (!sample->has_time) {
		t->untimed += passes;
		return 0;
	}
	if (passes)
		slice_at(t, run->due);
	if (counters_add(&t->counters, sample, run->due, add_count, &adding,
			 &pair))
		return -ENOMEM;
	if (counted_pair_is_whole(&pair)) {
		spread(t, PAIR_CYCLES, &pair.cycles, run->due);
		spread(t, PAIR_INSTRUCTIONS, &pair.instructions, run->due);
	}
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
		      const struct thread_cache *current)
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

static int add_run(void *worker, const struct pmscope_run *run, struct output *)
{
	struct timeline *t = worker;
	struct thread_cache current = {};

	for (size_t row = run->first; row < run->end; row++) {
		thread_cache_set(&current, &t->load->names, run, row);
		thread_cache_set_time(&current, &t->load->names);
		if (add_sample(t, run, &current))
			return -ENOMEM;
	}
	return 0;
}

static bool differs(double a, double b)
{
	double less = MIN(a, b), more = MAX(a, b);

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

/* The last slice is incomplete, so it stays in the phase before it. */
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

static int events_name(struct timeline *t)
{
	const struct counters *all = &t->counters;

	while (t->nr_events < all->nr_events &&
	       t->nr_events < TIMELINE_EVENTS) {
		const struct counted_event *from = &all->events[t->nr_events];
		char *name = name_make(t, from->name);

		if (!name)
			return -ENOMEM;
		t->events[t->nr_events++] = (struct timeline_event){
			.name = name,
			.since = counters_sum(all, from),
		};
	}
	return 0;
}

static int timeline_settle(struct timeline *t)
{
	counters_settle(&t->counters);
	for (size_t i = 0; i < t->nr; i++)
		counters_scale(&t->counters, TIMELINE_EVENTS,
			       t->slices[i].counts, t->slices[i].scaled);
	return events_name(t);
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
	int ret = load_runs(t->load, &work) ?: timeline_settle(t);

	if (failed(ret, t->load->name))
		return 1;
	if (is_unreadable(t->load))
		return exit_status(t->load);
	if (t->counters.nr_events > TIMELINE_EVENTS)
		counters_left_out(t->load->name, TIMELINE_EVENTS);
	find_phases(t);
	if (timeline_print(t, format))
		return no_memory() < 0;
	return output_written() ? 1 : exit_status(t->load);
}

int report_timeline(struct load *load, int format, unsigned int rows)
{
	struct timeline t = {
		.load = load,
		.counters.perfdata =
			pmscope_recording_perfdata(load->recording),
		.width = FIRST_WIDTH,
		.max = rows ? rows : DEFAULT_ROWS,
	};
	int status = 1;

	t.max = MIN(t.max, MAX_ROWS);
	t.slices = calloc(t.max, sizeof(*t.slices));
	if (t.slices)
		status = timeline_run(&t, format);
	else
		error("out of memory");
	for (size_t i = 0; i < t.nr_events; i++)
		free(t.events[i].name);
	free(t.slices);
	counters_fini(&t.counters);
	return status;
}
