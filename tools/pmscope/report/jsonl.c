// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One JSON object per line: a summary, then the rows, then the counters. Keys
 * are stable.
 */
#include "print/json.h"
#include "print/losses.h"
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
	if (out->totals.all.each) {
		json_unsigned(json, "population", out->totals.population);
		json_real(json, "sampled", 9, out->totals.all.sampled);
		json_unsigned(json, "lost_records", out->totals.all.lost);
	}
	json_end_line(json);
}

static void print_keys(struct json *json, const struct row_table *r,
		       const struct row *row)
{
	char buf[32];

	for (size_t i = 0; i < r->nr_keys; i++) {
		const char *name = field_heading(r->keys[i]);
		bool address = r->keys[i]->type == FIELD_ADDRESS;

		if (address && (int64_t)row->values[i] == FIELD_ROW_NONE)
			json_null(json, name);
		else if (address)
			json_hex(json, name, row->values[i]);
		else if (field_has_row_text(r->keys[i]))
			json_text(json, name,
				  row_value(r, row, i, buf, sizeof(buf)));
		else
			json_signed(json, name, row->values[i]);
	}
}

static void print_latency(struct json *json, const char *name,
			  const struct histogram *h)
{
	if (!h->count)
		return;
	json_begin_object(json, name);
	json_unsigned(json, "samples", h->count);
	json_real(json, "mean", 3, histogram_mean(h));
	json_unsigned(json, "p50", histogram_percentile(h, 50));
	json_unsigned(json, "p90", histogram_percentile(h, 90));
	json_unsigned(json, "p99", histogram_percentile(h, 99));
	json_unsigned(json, "max", h->max);
	json_end_object(json);
}

static void print_event_counts(struct json *json, const struct row_table *r,
			       const struct row_parts *parts)
{
	json_begin_object(json, "events");
	for (unsigned int bit = 0; bit < 64; bit++) {
		char name[EVENT_NAME_MAX + 1];

		if (!parts->events[bit])
			continue;
		*event_put(name, bit, r->midr) = '\0';
		json_unsigned(json, name, parts->events[bit]);
	}
	json_end_object(json);
}

static void print_sources(struct json *json, const struct row_parts *parts)
{
	json_begin_array(json, "sources");
	for (size_t i = 0; i < parts->nr_sources; i++) {
		const struct row_source *s = &parts->sources[i];

		json_begin_object(json, NULL);
		json_unsigned(json, "code", s->code);
		if (s->name)
			json_text(json, "name", s->name);
		json_unsigned(json, "samples", s->samples);
		json_end_object(json);
	}
	json_end_array(json);
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
	print_keys(&json, r, row);
	json_unsigned(&json, "samples", row->samples);
	json_real(&json, "share", 6, row_share(r, row));
	print_operations(&json, &out->totals, row);
	print_latency(&json, "total", &row->total);
	print_latency(&json, "issue", &row->issue);
	print_latency(&json, "xlat", &row->translate);
	print_event_counts(&json, r, parts);
	print_sources(&json, parts);
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
