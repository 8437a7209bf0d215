// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One JSON object per line: a summary, then the rows, then the counters. Keys
 * are stable.
 */
#include "print/json.h"
#include "print/losses.h"
#include "print/row_json.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>

static void print_summary(struct json *json, const struct report_output *out)
{
	const struct row_table *r = out->report;

	json_begin_line(json);
	json_text(json, "type", "summary");
	json_text(json, "file", out->load->name);
	json_unsigned(json, "samples", r->samples);
	json_unsigned(json, "snapshots", r->snapshots);
	json_unsigned(json, "groups", r->groups);
	json_unsigned(json, "rows", r->nr_rows);
	losses_json(json, out->load);
	json_unsigned(json, "timed", r->total.count);
	json_unsigned(json, "sourced", r->sourced);
	if (out->totals.by_interval) {
		json_real(json, "operations", 0, r->weight.operations);
		json_real(json, "sampled", 9, out->totals.all.sampled);
	} else if (out->totals.all.each) {
		json_unsigned(json, "population", out->totals.population);
		json_real(json, "sampled", 9, out->totals.all.sampled);
		json_unsigned(json, "lost_records", out->totals.all.lost);
	}
	json_end_line(json);
}

/* Pairs: the smallest value, and how many there are up to twice that. */
static void print_histogram(struct json *json, const struct histogram *h)
{
	uint64_t counts[HISTOGRAM_POWERS];

	histogram_powers(h, counts);
	json_begin_array(json, "histogram");
	for (int i = 0; i < HISTOGRAM_POWERS; i++) {
		if (!counts[i])
			continue;
		json_begin_array(json, NULL);
		json_unsigned(json, NULL, i ? 1U << (i - 1) : 0);
		json_unsigned(json, NULL, counts[i]);
		json_end_array(json);
	}
	json_end_array(json);
}

static void print_operations(struct json *json, const struct row_totals *totals,
			     const struct row *row)
{
	struct row_operations of_row = row_operations(totals, row);

	if (!totals->all.each)
		return;
	json_real(json, "operations", 0, of_row.count);
	json_real(json, "error95", 0, of_row.error);
}

static void print_row(const struct report_output *out, const struct row *row,
		      const struct row_parts *parts)
{
	const struct row_table *r = out->report;
	struct json json = {.out = stdout};

	json_begin_line(&json);
	json_text(&json, "type", "row");
	row_json_keys(&json, r, row);
	print_operations(&json, &out->totals, row);
	row_json_parts(&json, r, row, parts);
	if (r->with_histogram)
		print_histogram(&json, &row->total);
	json_end_line(&json);
}

static void print_rate(struct json *json, const struct report_rate *rate)
{
	const struct reading *since = &rate->since;

	json_begin_line(json);
	json_text(json, "type", "counter");
	json_text(json, "event", rate->name);
	json_unsigned(json, "snapshots", rate->snapshots);
	json_unsigned(json, "count", since->value);
	json_unsigned(json, "ns", since->time);
	if (since->enabled) {
		json_unsigned(json, "enabled_ns", since->enabled);
		json_unsigned(json, "running_ns", since->running);
	}
	json_end_line(json);
}

int report_print_jsonl(const struct report_output *out)
{
	double ipc = counters_ipc(&out->report->counters);
	struct json json = {.out = stdout};
	int ret;

	print_summary(&json, out);
	ret = report_print_rows(out, print_row);
	for (size_t i = 0; i < out->nr_rates; i++)
		print_rate(&json, &out->rates[i]);
	if (ipc >= 0) {
		json_begin_line(&json);
		json_text(&json, "type", "ipc");
		json_real(&json, "value", 6, ipc);
		json_end_line(&json);
	}
	return ret;
}
