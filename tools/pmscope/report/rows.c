// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples into rows. */
#include "base/array.h"
#include "base/hash.h"
#include "read/data_symbol.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int row_values(struct report *report, const struct view *view,
		      uint64_t *values)
{
	for (size_t i = 0; i < report->nr_keys; i++) {
		const struct field *key = report->keys[i];
		const char *text;
		uint32_t number;

		if (!field_has_row_text(key)) {
			values[i] = field_row_number(key, view);
			continue;
		}
		text = field_row_text(key, view);
		if (strings_intern(&report->strings, text, strlen(text),
				   &number))
			return -ENOMEM;
		values[i] = number;
	}
	return 0;
}

static uint64_t hash_values(const uint64_t *values, size_t nr)
{
	uint64_t seed = table_seed(), hash = seed;

	for (size_t i = 0; i < nr; i++)
		hash = hash_word(seed, hash, values[i]);
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

static struct report_parts *uncounted_of(struct report_row *row)
{
	if (!row->uncounted)
		row->uncounted = calloc(1, sizeof(*row->uncounted));
	return row->uncounted;
}

static int uncounted_add(struct report_row *row, const struct report_kind *kind,
			 uint64_t samples)
{
	struct report_parts *uncounted = uncounted_of(row);

	return uncounted ? report_parts_add(uncounted, kind, samples) : -ENOMEM;
}

int report_row_count(struct report_row *row, const struct report_kind *kind,
		     unsigned int number, uint64_t samples)
{
	return number == MAX_KINDS
		       ? uncounted_add(row, kind, samples)
		       : histogram_add_many(&row->kinds, number, samples);
}

static int parts_fill(const struct report *report, const struct report_row *row,
		      struct report_parts *parts)
{
	int ret = row->uncounted ? report_parts_join(parts, row->uncounted) : 0;

	for (size_t i = 0; i < row->kinds.used && !ret; i++) {
		const struct histogram_bin *bin = &row->kinds.bins[i];

		ret = report_parts_add(parts, &report->kinds->kinds[bin->value],
				       bin->count);
	}
	return ret;
}

int report_print_rows(const struct report_output *out, report_row_fn print)
{
	int ret = 0;

	for (size_t i = 0; i < out->nr_rows && !ret; i++) {
		const struct report_row *row = &out->report->rows[i];
		struct report_parts parts = {};

		ret = parts_fill(out->report, row, &parts);
		report_parts_finish(&parts);
		if (!out->codes)
			report_parts_by_name(&parts);
		if (!ret)
			print(out, row, &parts);
		report_parts_fini(&parts);
	}
	return ret;
}

struct report_row *report_row_of(struct report *report, const struct view *view)
{
	uint64_t values[MAX_KEYS];

	return row_values(report, view, values) ? NULL
						: row_get(report, values);
}

/* The weight that rows are sorted by: samples, or cycles of their latencies. */
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

/* Sort by text, not by internal number. */
static int compare_values(const struct report *report,
			  const struct report_row *x,
			  const struct report_row *y)
{
	int order = 0;

	for (size_t i = 0; i < report->nr_keys && !order; i++) {
		int64_t a = x->values[i], b = y->values[i];

		order = a == b ? 0
			: field_has_row_text(report->keys[i])
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

static int histograms_finish(struct report_row *row)
{
	return histogram_finish(&row->kinds) || histogram_finish(&row->cpus) ||
			       histogram_finish(&row->total) ||
			       histogram_finish(&row->issue) ||
			       histogram_finish(&row->translate)
		       ? -ENOMEM
		       : 0;
}

static void row_sum(struct report *report, struct report_row *row)
{
	const struct report_parts *uncounted = row->uncounted;

	row->samples = row->kinds.count;
	if (uncounted) {
		row->samples += uncounted->samples;
		report->sourced += uncounted->sourced;
	}
	for (size_t i = 0; i < row->kinds.used; i++) {
		const struct histogram_bin *bin = &row->kinds.bins[i];

		if (report->kinds->kinds[bin->value].source & KIND_SOURCED)
			report->sourced += bin->count;
	}
	report->samples += row->samples;
}

static int row_finish(struct report *report, struct report_row *row)
{
	if (histogram_join(&report->total, &row->total) ||
	    histograms_finish(row))
		return -ENOMEM;
	row_sum(report, row);
	return 0;
}

static void row_fini(struct report_row *row)
{
	histogram_fini(&row->kinds);
	histogram_fini(&row->cpus);
	histogram_fini(&row->total);
	histogram_fini(&row->issue);
	histogram_fini(&row->translate);
	if (row->uncounted)
		report_parts_fini(row->uncounted);
	free(row->uncounted);
	*row = (struct report_row){};
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
		if (!field_has_row_text(report->keys[i]))
			continue;
		text = strings_get(&from->strings, row->values[i]);
		if (strings_intern(&report->strings, text, strlen(text),
				   &number))
			return NULL;
		values[i] = number;
	}
	return row_get(report, values);
}

/* Each report numbers kinds on its own. */
static int kinds_join(struct report *report, struct report_row *row,
		      const struct report *from, const struct report_row *other)
{
	int ret = 0;

	for (size_t i = 0; i < other->kinds.used && !ret; i++) {
		const struct histogram_bin *bin = &other->kinds.bins[i];
		const struct report_kind *kind =
			&from->kinds->kinds[bin->value];

		ret = report_row_count(row, kind,
				       report_kind_number(report->kinds, kind),
				       bin->count);
	}
	return ret;
}

static int uncounted_join(struct report_row *row,
			  const struct report_parts *other)
{
	struct report_parts *uncounted = uncounted_of(row);

	return uncounted ? report_parts_join(uncounted, other) : -ENOMEM;
}

static int row_join(struct report *report, struct report_row *row,
		    const struct report *from, struct report_row *other)
{
	if (histogram_finish(&other->kinds) ||
	    histogram_join(&row->cpus, &other->cpus) ||
	    histogram_join(&row->total, &other->total) ||
	    histogram_join(&row->issue, &other->issue) ||
	    histogram_join(&row->translate, &other->translate) ||
	    kinds_join(report, row, from, other))
		return -ENOMEM;
	return other->uncounted ? uncounted_join(row, other->uncounted) : 0;
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
	if (histogram_join(&report->cpus, &from->cpus))
		return -ENOMEM;
	if (!from->nr_rows)
		return 0;
	if (!report->nr_rows) {
		rows_take(report, from);
		return 0;
	}
	for (size_t i = 0; i < from->nr_rows; i++) {
		struct report_row *row = row_like(report, from, &from->rows[i]);

		if (!row || row_join(report, row, from, &from->rows[i]))
			return -ENOMEM;
		row_fini(&from->rows[i]);
	}
	return 0;
}

void report_like(struct report *report, const struct report *like)
{
	*report = (struct report){
		.nr_keys = like->nr_keys,
		.deps = like->deps,
		.all_latencies = like->all_latencies,
		.with_totals = like->with_totals,
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
	return histogram_finish(&report->total)
		       ?: histogram_finish(&report->cpus);
}

void report_fini(struct report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		row_fini(&report->rows[i]);
	free(report->rows);
	free(report->memos);
	free(report->currents);
	symbol_cache_free(report->codes);
	free(report->kinds);
	data_symbols_free(report->variables);
	counters_fini(&report->counters);
	histogram_fini(&report->total);
	histogram_fini(&report->cpus);
	map_fini(&report->row_of_hash);
	strings_fini(&report->strings);
}

const char *report_value(const struct report *report,
			 const struct report_row *row, size_t i, char *buf,
			 size_t size)
{
	int64_t value = row->values[i];

	if (field_has_row_text(report->keys[i]))
		return strings_get(&report->strings, value);
	if (value < 0)
		return "?";
	snprintf(buf, size, "%" PRId64, value);
	return buf;
}
