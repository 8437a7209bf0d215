// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples into rows. */
#include "report.h"
#include "variable.h"
#include "table/array.h"

#include <pmscope/source.h>

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

/* No CPU has so many codes: of a damaged trace the rest is called "other". */
#define MAX_SOURCES 64

#define COUNTS_STEP 16 /* that a row grows by */

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

/* A name is where a table of the library has it, below 2^48. */
static uint64_t source_key(uint16_t code, const char *name)
{
	return (uintptr_t)name << 16 | code;
}

static struct report_source *source_find(struct report_row *row, uint16_t code,
					 const char *name)
{
	uint32_t index;

	if (row->nr_sources > MAX_SOURCES)
		return map_get(&row->source_of_name, source_key(code, name),
			       &index)
			       ? &row->sources[index]
			       : NULL;
	for (size_t i = 0; i < row->nr_sources; i++)
		if (row->sources[i].code == code &&
		    row->sources[i].name == name)
			return &row->sources[i];
	return NULL;
}

/* NULL when memory is short. */
static struct report_source *source_get(struct report_row *row, uint16_t code,
					const char *name)
{
	struct report_source *source = source_find(row, code, name);
	size_t first;

	if (source)
		return source;
	source = source_add(row, code, name);
	if (!source || row->nr_sources <= MAX_SOURCES)
		return source;
	/* From here on by the map. */
	first = row->source_of_name.count ? row->nr_sources - 1 : 0;
	for (size_t i = first; i < row->nr_sources; i++)
		if (map_set(&row->source_of_name,
			    source_key(row->sources[i].code,
				       row->sources[i].name),
			    i))
			return NULL;
	return source;
}

static int kind_add(struct report_row *row, const struct report_kind *kind,
		    uint64_t samples)
{
	struct report_source *source;
	uint16_t code = kind->source;

	row->samples += samples;
	for (uint64_t events = kind->events; events; events &= events - 1)
		row->events[__builtin_ctzll(events)] += samples;
	if (!(kind->source & KIND_SOURCED))
		return 0;
	source = source_get(row, code,
			    pmscope_source_name(kind->source >> 32, code));
	if (!source)
		return -ENOMEM;
	source->samples += samples;
	row->sourced += samples;
	return 0;
}

static int counts_grow(struct report_row *row, unsigned int nr)
{
	uint32_t *counts = realloc(row->counts, nr * sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	memset(counts + row->nr_counts, 0,
	       (nr - row->nr_counts) * sizeof(*counts));
	row->counts = counts;
	row->nr_counts = nr;
	return 0;
}

int report_row_count(struct report_row *row, const struct report_kinds *kinds,
		     const struct report_kind *kind, unsigned int number)
{
	if (number == MAX_KINDS)
		return kind_add(row, kind, 1);
	if (number >= row->nr_counts &&
	    counts_grow(row, (kinds->nr + COUNTS_STEP - 1) / COUNTS_STEP *
				     COUNTS_STEP))
		return -ENOMEM;
	if (row->counts[number] == UINT32_MAX) {
		row->counts[number] = 0;
		if (kind_add(row, kind, UINT32_MAX))
			return -ENOMEM;
	}
	row->counts[number]++;
	return 0;
}

/* Sums up what was counted by kinds, and forgets it. */
static int counts_end(struct report_row *row, const struct report_kinds *kinds)
{
	int ret = 0;

	for (unsigned int i = 0; i < row->nr_counts && !ret; i++)
		if (row->counts[i])
			ret = kind_add(row, &kinds->kinds[i], row->counts[i]);
	free(row->counts);
	row->counts = NULL;
	row->nr_counts = 0;
	return ret;
}

struct report_row *report_row_of(struct report *report, const struct view *view)
{
	uint64_t values[MAX_KEYS];

	return row_values(report, view, values) ? NULL
						: row_get(report, values);
}

/* What rows are ordered by: samples, or the cycles of their latencies. */
static uint64_t weight_of(const struct report *report,
			  const struct report_row *row)
{
	return report->by_latency ? row->total.sum : row->samples;
}

double report_share(const struct report *report, const struct report_row *row)
{
	uint64_t all = report->by_latency ? report->total.sum : report->samples;

	return all ? (double)weight_of(report, row) / all : 0;
}

/* By text, not by the number that came first. */
static int compare_values(const struct report *report,
			  const struct report_row *x,
			  const struct report_row *y)
{
	int order = 0;

	for (size_t i = 0; i < report->nr_keys && !order; i++) {
		int64_t a = x->values[i], b = y->values[i];

		order = report->keys[i]->text
				? strcmp(strings_get(&report->strings, a),
					 strings_get(&report->strings, b))
				: (a > b) - (a < b);
	}
	return order;
}

static int compare_rows(const void *a, const void *b, void *report)
{
	const struct report_row *x = a, *y = b;
	uint64_t of_x = weight_of(report, x);
	uint64_t of_y = weight_of(report, y);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return compare_values(report, x, y);
}

static int compare_sources(const void *a, const void *b)
{
	const struct report_source *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->code != y->code)
		return x->code - y->code;
	/* A code may have other names on other CPUs. */
	return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

static void sources_finish(struct report_row *row)
{
	struct report_source *other;

	if (!row->nr_sources)
		return;
	qsort(row->sources, row->nr_sources, sizeof(*row->sources),
	      compare_sources);
	if (row->nr_sources <= MAX_SOURCES)
		return;
	other = &row->sources[MAX_SOURCES - 1];
	for (size_t i = MAX_SOURCES; i < row->nr_sources; i++)
		other->samples += row->sources[i].samples;
	other->code = UINT16_MAX;
	other->name = "other";
	row->nr_sources = MAX_SOURCES;
}

static int row_finish(struct report *report, struct report_row *row)
{
	if (counts_end(row, report->kinds) || histogram_finish(&row->total) ||
	    histogram_finish(&row->issue) || histogram_finish(&row->translate))
		return -ENOMEM;
	sources_finish(row);
	report->samples += row->samples;
	report->sourced += row->sourced;
	return histogram_join(&report->total, &row->total);
}

/* The row of @report that has the values of @from's @row. */
static struct report_row *row_like(struct report *report,
				   const struct report *from,
				   const struct report_row *row)
{
	uint64_t values[MAX_KEYS];

	for (size_t i = 0; i < report->nr_keys; i++) {
		const char *text;
		uint32_t number;

		values[i] = row->values[i];
		if (!report->keys[i]->text)
			continue;
		text = strings_get(&from->strings, row->values[i]);
		if (strings_intern(&report->strings, text, strlen(text),
				   &number))
			return NULL;
		values[i] = number;
	}
	return row_get(report, values);
}

static int sources_join(struct report_row *row, const struct report_row *from)
{
	for (size_t i = 0; i < from->nr_sources; i++) {
		const struct report_source *source = &from->sources[i];
		struct report_source *to =
			source_get(row, source->code, source->name);

		if (!to)
			return -ENOMEM;
		to->samples += source->samples;
	}
	row->sourced += from->sourced;
	return 0;
}

static int row_join(struct report_row *row, struct report_row *from,
		    const struct report_kinds *kinds)
{
	if (counts_end(from, kinds) || histogram_finish(&from->total) ||
	    histogram_finish(&from->issue) ||
	    histogram_finish(&from->translate) ||
	    histogram_join(&row->total, &from->total) ||
	    histogram_join(&row->issue, &from->issue) ||
	    histogram_join(&row->translate, &from->translate))
		return -ENOMEM;
	row->samples += from->samples;
	for (size_t bit = 0; bit < 64; bit++)
		row->events[bit] += from->events[bit];
	return sources_join(row, from);
}

/* All that belongs to the rows. */
static void rows_take(struct report *report, struct report *from)
{
	report->rows = from->rows;
	report->nr_rows = from->nr_rows;
	report->max_rows = from->max_rows;
	report->row_of_hash = from->row_of_hash;
	report->strings = from->strings;
	report->kinds = from->kinds;
	from->rows = NULL;
	from->nr_rows = 0;
	from->row_of_hash = (struct map){};
	from->strings = (struct strings){};
	from->kinds = NULL;
}

int report_join(struct report *report, struct report *from)
{
	if (!from->nr_rows)
		return 0;
	if (!report->nr_rows) {
		rows_take(report, from);
		return 0;
	}
	for (size_t i = 0; i < from->nr_rows; i++) {
		struct report_row *row = row_like(report, from, &from->rows[i]);

		if (!row || row_join(row, &from->rows[i], from->kinds))
			return -ENOMEM;
	}
	return 0;
}

void report_like(struct report *report, const struct report *like)
{
	*report = (struct report){
		.nr_keys = like->nr_keys,
		.deps = like->deps,
		.all_latencies = like->all_latencies,
	};
	memcpy(report->keys, like->keys, sizeof(report->keys));
}

int report_finish(struct report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		if (row_finish(report, &report->rows[i]))
			return -ENOMEM;
	if (report->nr_rows)
		qsort_r(report->rows, report->nr_rows, sizeof(*report->rows),
			compare_rows, report);
	return histogram_finish(&report->total);
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
		map_fini(&report->rows[i].source_of_name);
		free(report->rows[i].sources);
		free(report->rows[i].counts);
	}
	free(report->rows);
	free(report->memos);
	free(report->currents);
	codes_free(report->codes);
	free(report->kinds);
	variables_free(report->variables);
	free(report->counters);
	histogram_fini(&report->total);
	map_fini(&report->row_of_hash);
	map_fini(&report->counter_of_id);
	strings_fini(&report->strings);
}
