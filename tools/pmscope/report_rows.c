// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples into rows. */
#include "report.h"
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

/* Powers of four. */
#define FIRST_MIXES 16
#define MAX_MIXES   4096

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

static int mix_sum(struct report_row *row, const struct report_mix *mix)
{
	struct report_source *source;

	for (uint64_t events = mix->events; events; events &= events - 1)
		row->events[__builtin_ctzll(events)] += mix->samples;
	if (!mix->sourced || !mix->samples)
		return 0;
	source = source_get(row, mix->source,
			    pmscope_source_name(mix->midr, mix->source));
	if (!source)
		return -ENOMEM;
	source->samples += mix->samples;
	row->sourced += mix->samples;
	return 0;
}

/* Sums up all mixes and forgets them. */
static int mixes_sum(struct report_row *row)
{
	for (size_t i = 0; i < row->max_mixes; i++)
		if (row->mixes[i].samples && mix_sum(row, &row->mixes[i]))
			return -ENOMEM;
	if (row->max_mixes)
		memset(row->mixes, 0, row->max_mixes * sizeof(*row->mixes));
	row->nr_mixes = 0;
	return 0;
}

static bool mix_is(const struct report_mix *mix,
		   const struct report_mix *wanted)
{
	return mix->events == wanted->events && mix->source == wanted->source &&
	       mix->midr == wanted->midr && mix->sourced == wanted->sourced;
}

static struct report_mix *mix_slot(struct report_row *row,
				   const struct report_mix *wanted)
{
	uint64_t hash = (wanted->events ^ (uint64_t)wanted->source << 48 ^
			 wanted->midr) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t at = hash >> 40;

	for (;; at++) {
		struct report_mix *mix = &row->mixes[at & (row->max_mixes - 1)];

		if (!mix->samples || mix_is(mix, wanted))
			return mix;
	}
}

/* More room; once there is much, which a damaged trace may ask for, none. */
static int mixes_grow(struct report_row *row)
{
	struct report_row bigger = *row;

	if (row->max_mixes == MAX_MIXES)
		return mixes_sum(row);
	bigger.max_mixes = row->max_mixes ? 4 * row->max_mixes : FIRST_MIXES;
	bigger.mixes = calloc(bigger.max_mixes, sizeof(*bigger.mixes));
	if (!bigger.mixes)
		return -ENOMEM;
	for (size_t i = 0; i < row->max_mixes; i++)
		if (row->mixes[i].samples)
			*mix_slot(&bigger, &row->mixes[i]) = row->mixes[i];
	free(row->mixes);
	row->mixes = bigger.mixes;
	row->max_mixes = bigger.max_mixes;
	return 0;
}

static int add_mix(struct report_row *row, const struct report_mix *wanted)
{
	struct report_mix *mix;

	if (row->nr_mixes && mix_is(row->mix, wanted)) {
		row->mix->samples++;
		return 0;
	}
	if (2 * row->nr_mixes >= row->max_mixes && mixes_grow(row))
		return -ENOMEM;
	mix = mix_slot(row, wanted);
	if (!mix->samples) {
		*mix = *wanted;
		row->nr_mixes++;
	}
	mix->samples++;
	row->mix = mix;
	return 0;
}

int report_row_add(const struct report *report, struct report_row *row,
		   const struct pmscope_batch *batch, size_t at, uint32_t midr)
{
	uint32_t has = batch->has[at];
	struct report_mix mix = {
		.events = batch->events[at],
		.midr = midr,
		.source = batch->source[at],
		.sourced = has & PMSCOPE_HAS_SOURCE,
	};
	int ret;

	row->samples++;
	ret = add_mix(row, &mix);
	if (has & PMSCOPE_HAS_TOTAL)
		ret |= histogram_add(&row->total, batch->total[at]);
	if (!report->all_latencies)
		return ret;
	if (has & PMSCOPE_HAS_ISSUE)
		ret |= histogram_add(&row->issue, batch->issue[at]);
	if (has & PMSCOPE_HAS_TRANSLATE)
		ret |= histogram_add(&row->translate, batch->translate[at]);
	return ret;
}

struct report_row *report_row_of(struct report *report, const struct view *view)
{
	uint64_t values[MAX_KEYS];

	return row_values(report, view, values) ? NULL
						: row_get(report, values);
}

uint64_t report_weight(const struct report *report,
		       const struct report_row *row)
{
	return report->by_latency ? row->total.sum : row->samples;
}

double report_share(const struct report *report, const struct report_row *row)
{
	uint64_t all = report->by_latency ? report->total.sum : report->samples;

	return all ? (double)report_weight(report, row) / all : 0;
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
	uint64_t of_x = report_weight(report, x);
	uint64_t of_y = report_weight(report, y);

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
	struct report_source *other = &row->sources[MAX_SOURCES - 1];

	if (!row->nr_sources)
		return;
	qsort(row->sources, row->nr_sources, sizeof(*row->sources),
	      compare_sources);
	if (row->nr_sources <= MAX_SOURCES)
		return;
	for (size_t i = MAX_SOURCES; i < row->nr_sources; i++)
		other->samples += row->sources[i].samples;
	other->code = UINT16_MAX;
	other->name = "other";
	row->nr_sources = MAX_SOURCES;
}

static int row_finish(struct report *report, struct report_row *row)
{
	if (mixes_sum(row) || histogram_finish(&row->total) ||
	    histogram_finish(&row->issue) || histogram_finish(&row->translate))
		return -ENOMEM;
	free(row->mixes);
	row->mixes = NULL;
	row->max_mixes = 0;
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

static int row_join(struct report_row *row, struct report_row *from)
{
	if (mixes_sum(from) || histogram_finish(&from->total) ||
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

int report_join(struct report *report, struct report *from)
{
	for (size_t i = 0; i < from->nr_rows; i++) {
		struct report_row *row = row_like(report, from, &from->rows[i]);

		if (!row || row_join(row, &from->rows[i]))
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
		free(report->rows[i].mixes);
	}
	free(report->rows);
	free(report->memos);
	free(report->currents);
	codes_free(report->codes);
	free(report->counters);
	histogram_fini(&report->total);
	map_fini(&report->row_of_hash);
	map_fini(&report->counter_of_id);
	strings_fini(&report->strings);
}
