// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON objects: a summary, all samples, then the rows; one per line, or in a
 * page for a browser. Keys are stable.
 */
#include "diff/diff.h"
#include "html/shell.h"
#include "print/json.h"
#include "print/losses.h"
#include "print/row_json.h"

#include <math.h>
#include <stdio.h>

static const char *const sides[] = {"old", "new"};

static void put_side(struct json *json, const struct diff_output *out, int side)
{
	const struct compare_side *of = &out->all->sides[side];

	json_begin_object(json, sides[side]);
	json_text(json, "file", of->load.name);
	if (out->filters[side])
		json_text(json, "filter", out->filters[side]);
	json_unsigned(json, "samples", of->table.samples);
	losses_json(json, &of->load);
	if (of->totals.all.each)
		json_unsigned(json, "population", of->totals.population);
	if (of->instructions)
		json_real(json, "instructions", 0, of->instructions);
	for (int i = 0; i < NR_ORIGINS; i++)
		if (*out->origins[side][i])
			json_text(json, origin_names[i], out->origins[side][i]);
	json_end_object(json);
}

static void put_differences(struct json *json, const struct diff_output *out)
{
	json_begin_array(json, "recorded_with_other");
	for (int i = 0; i < NR_ORIGINS; i++)
		if (origin_differs(out->origins[0][i], out->origins[1][i]))
			json_text(json, NULL, origin_names[i]);
	json_end_array(json);
	json_bool(json, "unlike_cpus", out->all->unlike_cpus);
}

static void put_summary(struct json *json, const struct diff_output *out)
{
	const struct comparison *all = out->all;
	char cost[COST_TEXT];

	diff_cost_text(all, cost);
	out->begin(json);
	json_text(json, "type", "summary");
	json_text(json, "per", compare_units[all->unit]);
	json_text(json, "cost", cost);
	json_unsigned(json, "rows", all->nr_pairs);
	json_unsigned(json, "compared", all->nr_compared);
	json_unsigned(json, "changed", all->nr_changed);
	json_unsigned(json, "comparisons", all->comparisons);
	json_real(json, "confidence", 2, COMPARE_CONFIDENCE);
	json_real(json, "deviations", 6, all->basis.deviations);
	json_real(json, "noise", 6, all->basis.noise);
	put_differences(json, out);
	put_side(json, out, 0);
	put_side(json, out, 1);
	out->end(json);
}

/* A limit that the samples do not give is left out. */
static void put_limit(struct json *json, const char *key, int decimals,
		      double value)
{
	if (!isinf(value))
		json_real(json, key, decimals, value);
}

static void put_change(struct json *json, int decimals,
		       const struct compared *m)
{
	json_real(json, "change", decimals, m->change.value);
	put_limit(json, "low", decimals, m->change.range.low);
	put_limit(json, "high", decimals, m->change.range.high);
	json_bool(json, "changed", m->changed);
}

static void put_figure(struct json *json, int decimals, const char *key,
		       const char *low, const char *high,
		       const struct estimate *figure)
{
	json_real(json, key, decimals, figure->value);
	put_limit(json, low, decimals, figure->range.low);
	put_limit(json, high, decimals, figure->range.high);
}

static void put_measure(struct json *json, enum measure measure,
			const struct compared *m)
{
	int decimals = measures[measure].is_share ? 6 : 3;

	json_begin_object(json, measures[measure].name);
	put_figure(json, decimals, "old", "old_low", "old_high",
		   &m->figures[0]);
	put_figure(json, decimals, "new", "new_low", "new_high",
		   &m->figures[1]);
	put_change(json, decimals, m);
	json_end_object(json);
}

static void put_source(struct json *json, const struct compared_source *source)
{
	json_begin_object(json, NULL);
	json_unsigned(json, "code", source->code);
	if (source->name)
		json_text(json, "name", source->name);
	json_unsigned(json, "old", source->samples[0]);
	json_unsigned(json, "new", source->samples[1]);
	if (source->share.known)
		put_change(json, 6, &source->share);
	json_end_object(json);
}

static void put_keys(struct json *json, const struct comparison *all,
		     const struct row_pair *pair)
{
	int side = pair->rows[0] == NO_ROW;
	const struct row_table *table = &all->sides[side].table;

	row_json_values(json, table, &table->rows[pair->rows[side]]);
}

static void put_row(const struct diff_output *out,
		    const struct compared_row *row)
{
	struct json *json = out->json;

	out->begin(json);
	json_text(json, "type", row->pair ? "row" : "total");
	if (row->pair)
		put_keys(json, out->all, row->pair);
	json_text(json, "verdict", verdict_names[compare_verdict(row)]);
	json_unsigned(json, "samples_old", row->samples[0]);
	json_unsigned(json, "samples_new", row->samples[1]);
	json_begin_object(json, "measures");
	for (size_t i = 0; i < NR_MEASURES; i++)
		if (row->measures[i].known)
			put_measure(json, i, &row->measures[i]);
	json_end_object(json);
	json_begin_array(json, "sources");
	for (size_t i = 0; i < row->nr_sources; i++)
		put_source(json, &row->sources[i]);
	json_end_array(json);
	out->end(json);
}

static int put_all(const struct diff_output *out)
{
	put_summary(out->json, out);
	return diff_print_rows(out, true, put_row);
}

int diff_print_jsonl(const struct diff_output *out)
{
	struct json json = {.out = stdout};
	struct diff_output lines = *out;

	lines.json = &json;
	lines.begin = json_begin_line;
	lines.end = json_end_line;
	return put_all(&lines);
}

static void begin_element(struct json *json)
{
	json_begin_object(json, NULL);
}

/* The same objects as in lines, for js/diff.js. */
static int put_model(void *context, FILE *to)
{
	const struct diff_output *out = context;
	const struct row_table *table = &out->all->sides[0].table;
	struct json json = {.out = to, .in_html = true};
	struct diff_output elements = *out;
	int ret;

	elements.json = &json;
	elements.begin = begin_element;
	elements.end = json_end_object;
	json_begin_line(&json);
	json_begin_array(&json, "keys");
	for (size_t i = 0; i < table->nr_keys; i++)
		json_text(&json, NULL, field_heading(table->keys[i]));
	json_end_array(&json);
	json_unsigned(&json, "left_out", out->all->nr_pairs - out->nr_rows);
	json_begin_array(&json, "lines");
	ret = put_all(&elements);
	json_end_array(&json);
	json_end_line(&json);
	return ret;
}

int diff_print_html(const struct diff_output *out)
{
	struct diff_output copy = *out;

	return html_shell_write(HTML_DIFF, put_model, &copy, stdout);
}
