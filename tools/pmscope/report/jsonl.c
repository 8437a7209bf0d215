// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One JSON object a line: a summary, then the rows, then the counters. Keys
 * are stable.
 */
#include "print/json.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>

static void print_summary(const struct report_output *out)
{
	const struct report *r = out->report;

	printf("{\"type\":\"summary\",\"file\":");
	json_string(stdout, out->load->name);
	printf(",\"samples\":%" PRIu64 ",\"snapshots\":%" PRIu64
	       ",\"groups\":%" PRIu64 ",\"rows\":%zu",
	       r->samples, r->snapshots, r->groups, r->nr_rows);
	load_print_losses_json(out->load);
	printf(",\"timed\":%" PRIu64 ",\"sourced\":%" PRIu64, r->total.count,
	       r->sourced);
	if (out->totals.all.each)
		printf(",\"population\":%" PRIu64 ",\"sampled\":%.9f"
		       ",\"lost_records\":%" PRIu64,
		       out->totals.population, out->totals.all.sampled,
		       out->totals.all.lost);
	printf("}\n");
}

static void print_latency(const char *name, const struct histogram *h)
{
	if (!h->count)
		return;
	printf(",\"%s\":{\"samples\":%" PRIu64
	       ",\"mean\":%.3f,\"p50\":%u,\"p90\":%u,\"p99\":%u,\"max\":%u}",
	       name, h->count, histogram_mean(h), histogram_percentile(h, 50),
	       histogram_percentile(h, 90), histogram_percentile(h, 99),
	       h->max);
}

static void print_event_counts(const struct report *r,
			       const struct report_parts *parts)
{
	const char *separator = "";

	printf(",\"events\":{");
	for (unsigned int bit = 0; bit < 64; bit++) {
		char name[EVENT_NAME_MAX];

		if (!parts->events[bit])
			continue;
		printf("%s\"%.*s\":%" PRIu64, separator,
		       (int)(event_put(name, bit, r->midr) - name), name,
		       parts->events[bit]);
		separator = ",";
	}
	putchar('}');
}

static void print_sources(const struct report_parts *parts)
{
	printf(",\"sources\":[");
	for (size_t i = 0; i < parts->nr_sources; i++) {
		const struct report_source *s = &parts->sources[i];

		printf("%s{\"code\":%u", i ? "," : "", s->code);
		if (s->name)
			printf(",\"name\":\"%s\"", s->name);
		printf(",\"samples\":%" PRIu64 "}", s->samples);
	}
	putchar(']');
}

/* Pairs: the smallest value, and how many there are up to twice that. */
static void print_histogram(const struct histogram *h)
{
	uint64_t counts[HISTOGRAM_POWERS];
	const char *separator = "";

	histogram_powers(h, counts);
	printf(",\"histogram\":[");
	for (int i = 0; i < HISTOGRAM_POWERS; i++) {
		if (!counts[i])
			continue;
		printf("%s[%u,%" PRIu64 "]", separator, i ? 1U << (i - 1) : 0,
		       counts[i]);
		separator = ",";
	}
	putchar(']');
}

static void print_operations(const struct report_totals *totals,
			     const struct report_row *row)
{
	struct report_operations of_row = report_operations(totals, row);

	if (totals->all.each)
		printf(",\"operations\":%.0f,\"error95\":%.0f", of_row.count,
		       of_row.error);
}

static void print_row(const struct report_output *out,
		      const struct report_row *row,
		      const struct report_parts *parts)
{
	const struct report *r = out->report;
	char buf[32];

	printf("{\"type\":\"row\"");
	for (size_t i = 0; i < r->nr_keys; i++) {
		const char *value = report_value(r, row, i, buf, sizeof(buf));

		printf(",\"%s\":", field_heading(r->keys[i]));
		if (field_has_row_text(r->keys[i]))
			json_string(stdout, value);
		else
			printf("%" PRId64, (int64_t)row->values[i]);
	}
	printf(",\"samples\":%" PRIu64 ",\"share\":%.6f", row->samples,
	       report_share(r, row));
	print_operations(&out->totals, row);
	print_latency("total", &row->total);
	print_latency("issue", &row->issue);
	print_latency("xlat", &row->translate);
	print_event_counts(r, parts);
	print_sources(parts);
	if (r->with_histogram)
		print_histogram(&row->total);
	printf("}\n");
}

static void print_rate(const struct report_rate *rate)
{
	const struct reading *since = &rate->since;

	printf("{\"type\":\"counter\",\"event\":");
	json_string(stdout, rate->name);
	printf(",\"snapshots\":%" PRIu64 ",\"count\":%" PRIu64
	       ",\"ns\":%" PRIu64,
	       rate->snapshots, since->value, since->time);
	if (since->enabled)
		printf(",\"enabled_ns\":%" PRIu64 ",\"running_ns\":%" PRIu64,
		       since->enabled, since->running);
	puts("}");
}

int report_print_jsonl(const struct report_output *out)
{
	double ipc = counters_ipc(&out->report->counters);
	int ret;

	print_summary(out);
	ret = report_print_rows(out, print_row);
	for (size_t i = 0; i < out->nr_rates; i++)
		print_rate(&out->rates[i]);
	if (ipc >= 0)
		printf("{\"type\":\"ipc\",\"value\":%.6f}\n", ipc);
	return ret;
}
