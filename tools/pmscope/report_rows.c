// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples into rows. */
#include "report.h"
#include "table/array.h"

#include <errno.h>
#include <string.h>

static int row_values(struct report *report, const struct view *view,
		      uint64_t *values)
{
	for (size_t i = 0; i < report->nr_keys; i++) {
		const struct report_key *key = report->keys[i];
		const char *text;
		uint32_t number;

		if (!key->text) {
			values[i] = key->number(view);
			continue;
		}
		text = key->text(view);
		if (strings_intern(&report->strings, text, strlen(text),
				   &number))
			return -ENOMEM;
		values[i] = number;
	}
	return 0;
}

static uint64_t hash_values(const uint64_t *values, size_t nr)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < nr; i++)
		hash = (hash ^ values[i]) * UINT64_C(0x9e3779b97f4a7c15) +
		       (hash >> 29);
	return hash;
}

static struct report_row *row_get(struct report *report, const uint64_t *values)
{
	size_t bytes = report->nr_keys * sizeof(*values);
	uint64_t hash = hash_values(values, report->nr_keys);
	struct report_row *rows;
	uint32_t index;

	for (; map_get(&report->row_of_hash, hash, &index); hash++)
		if (!memcmp(report->rows[index].values, values, bytes))
			return &report->rows[index];
	rows = array_reserve(report->rows, report->nr_rows, &report->max_rows,
			     sizeof(*rows));
	if (!rows)
		return NULL;
	report->rows = rows;
	if (map_set(&report->row_of_hash, hash, report->nr_rows))
		return NULL;
	rows += report->nr_rows++;
	*rows = (struct report_row){};
	memcpy(rows->values, values, bytes);
	return rows;
}

/* No CPU has so many codes: only a damaged trace fills the last, "other". */
#define MAX_SOURCES 64

static struct report_source *source_add(struct report_row *row, uint16_t code,
					const char *name)
{
	struct report_source *sources;

	sources = array_reserve(row->sources, row->nr_sources,
				&row->max_sources, sizeof(*sources));
	if (!sources)
		return NULL;
	row->sources = sources;
	sources += row->nr_sources++;
	*sources = (struct report_source){.name = name, .code = code};
	return sources;
}

static struct report_source *source_get(struct report_row *row,
					const struct view *view)
{
	for (size_t i = 0; i < row->nr_sources; i++)
		if (row->sources[i].code == view->source &&
		    row->sources[i].name == view->source_name)
			return &row->sources[i];
	if (row->nr_sources == MAX_SOURCES)
		return &row->sources[MAX_SOURCES - 1];
	if (row->nr_sources == MAX_SOURCES - 1)
		return source_add(row, UINT16_MAX, "other");
	return source_add(row, view->source, view->source_name);
}

static int add_source(struct report_row *row, const struct view *view)
{
	struct report_source *source;

	if (!(view->has & PMSCOPE_HAS_SOURCE))
		return 0;
	source = source_get(row, view);
	if (!source)
		return -ENOMEM;
	source->samples++;
	row->sourced++;
	return 0;
}

static int add_latency(struct histogram *h, const struct view *view,
		       uint32_t has, uint16_t value)
{
	return view->has & has ? histogram_add(h, value) : 0;
}

static void add_events(struct report_row *row, uint64_t events)
{
	for (; events; events &= events - 1)
		row->events[__builtin_ctzll(events)]++;
}

int report_add(struct report *report, const struct view *view)
{
	uint64_t values[MAX_KEYS];
	struct report_row *row;

	if (row_values(report, view, values))
		return -ENOMEM;
	row = row_get(report, values);
	if (!row)
		return -ENOMEM;
	report->samples++;
	report->midr = view->sample->midr;
	row->samples++;
	add_events(row, view->events);
	if (add_source(row, view) ||
	    add_latency(&report->total, view, PMSCOPE_HAS_TOTAL, view->total) ||
	    add_latency(&row->total, view, PMSCOPE_HAS_TOTAL, view->total) ||
	    add_latency(&row->issue, view, PMSCOPE_HAS_ISSUE, view->issue) ||
	    add_latency(&row->translate, view, PMSCOPE_HAS_TRANSLATE,
			view->translate))
		return -ENOMEM;
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return memcmp(x->values, y->values, sizeof(x->values));
}

static int compare_sources(const void *a, const void *b)
{
	const struct report_source *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->code - y->code;
}

static void row_finish(struct report_row *row)
{
	histogram_finish(&row->total);
	histogram_finish(&row->issue);
	histogram_finish(&row->translate);
	if (row->nr_sources)
		qsort(row->sources, row->nr_sources, sizeof(*row->sources),
		      compare_sources);
}

void report_finish(struct report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		row_finish(&report->rows[i]);
	histogram_finish(&report->total);
	if (report->nr_rows)
		qsort(report->rows, report->nr_rows, sizeof(*report->rows),
		      compare_rows);
}

uint64_t report_saturated(const struct report *report)
{
	uint16_t max = report->total.max;

	if (max != 0xfff && max != 0xffff)
		return 0;
	return histogram_at_max(&report->total);
}

void report_fini(struct report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		histogram_fini(&report->rows[i].total);
		histogram_fini(&report->rows[i].issue);
		histogram_fini(&report->rows[i].translate);
		free(report->rows[i].sources);
	}
	free(report->rows);
	free(report->counters);
	histogram_fini(&report->total);
	map_fini(&report->row_of_hash);
	map_fini(&report->counter_of_id);
	strings_fini(&report->strings);
}
