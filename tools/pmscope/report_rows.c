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

/* No CPU has so many codes: only a damaged trace fills the last, "other". */
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

static struct report_source *source_get(struct report_row *row, uint16_t code,
					const char *name)
{
	for (size_t i = 0; i < row->nr_sources; i++)
		if (row->sources[i].code == code &&
		    row->sources[i].name == name)
			return &row->sources[i];
	if (row->nr_sources == MAX_SOURCES)
		return &row->sources[MAX_SOURCES - 1];
	if (row->nr_sources == MAX_SOURCES - 1)
		return source_add(row, UINT16_MAX, "other");
	return source_add(row, code, name);
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

static int compare_rows(const void *a, const void *b, void *report)
{
	const struct report_row *x = a, *y = b;
	uint64_t of_x = report_weight(report, x);
	uint64_t of_y = report_weight(report, y);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return memcmp(x->values, y->values, sizeof(x->values));
}

static int compare_sources(const void *a, const void *b)
{
	const struct report_source *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->code - y->code;
}

static int row_finish(struct report *report, struct report_row *row)
{
	if (mixes_sum(row) || histogram_finish(&row->total) ||
	    histogram_finish(&row->issue) || histogram_finish(&row->translate))
		return -ENOMEM;
	free(row->mixes);
	row->mixes = NULL;
	row->max_mixes = 0;
	if (row->nr_sources)
		qsort(row->sources, row->nr_sources, sizeof(*row->sources),
		      compare_sources);
	report->samples += row->samples;
	report->sourced += row->sourced;
	return histogram_join(&report->total, &row->total);
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
		free(report->rows[i].sources);
		free(report->rows[i].mixes);
	}
	free(report->rows);
	free(report->memos);
	free(report->counters);
	histogram_fini(&report->total);
	map_fini(&report->row_of_hash);
	map_fini(&report->counter_of_id);
	strings_fini(&report->strings);
}
