// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of samples, and those of counters, in each format. */
#include "report/report.h"
#include "print/table.h"
#include "judgement/judgement.h"

static int report_print_rows(const struct report_output *out,
			     enum print_format format)
{
	const struct row_totals *totals =
		out->totals.all.each ? &out->totals : NULL;
	struct table table = {.format = format, .type = "row"};
	int ret;

	row_columns(&table, out->report, totals);
	table_begin(&table, !out->quiet || format == PRINT_CSV);
	ret = row_columns_print(&table, out->report, totals, out->nr_rows,
				format == PRINT_JSONL);
	return table_end(&table) ?: ret;
}

int report_print_csv(const struct report_output *out)
{
	losses_print(out->load, stderr, "pmscope: ");
	return report_print_rows(out, PRINT_CSV);
}

static CELL_OF(rate_get, struct report_rate,
	       cell_real(v->since.time ? v->since.value * 1e9 / v->since.time
				       : 0));

/* The kernel may not have told the times. */
static CELL_OF(time_get, struct report_rate,
	       cell_if(v->since.enabled, table_number(row, arg, room)));

#define AT(member) .arg = offsetof(struct report_rate, member)

void report_put_share(FILE *out, const struct reading *since)
{
	if (since->running < since->enabled)
		fprintf(out, "  (%.2f%% of the time, scaled)",
			100 * reading_share(since));
}

static void event_text(FILE *out, const void *row, size_t)
{
	const struct report_rate *rate = row;

	fputs(rate->name, out);
	report_put_share(out, &rate->since);
}

/* rows.c: the rows to print. Returns 0 or -ENOMEM, and so do the next. */
static int report_print_rates(const struct report_output *out,
			      enum print_format format)
{
	static const struct table_column columns[] = {
		{.name = "event",
		 .text = {"Event", 24, 8, .left = true},
		 .at = 1,
		 AT(name),
		 .get = table_string,
		 .put_text = event_text},
		{.name = "snapshots",
		 .text = {.title = "#    Groups ", .width = 12},
		 .unit = " ",
		 AT(snapshots),
		 .get = table_number},
		{.name = "count",
		 .text = {"Count", 20, .left = true},
		 AT(since.value),
		 .get = table_number},
		{.name = "ns", AT(since.time), .get = table_number},
		{.text = {"Per second", 16, .left = true}, .get = rate_get},
		{.name = "enabled_ns", AT(since.enabled), .get = time_get},
		{.name = "running_ns", AT(since.running), .get = time_get},
	};
	struct table table = {.format = format, .type = "counter"};

	table_add(&table, columns, ARRAY_SIZE(columns));
	table_begin(&table, true);
	if (format == PRINT_TEXT)
		printf("#%33sof each CPU or thread\n", "");
	for (size_t i = 0; i < out->nr_rates; i++)
		table_row(&table, &out->rates[i]);
	return table_end(&table);
}

/* The report for people; free to change. */

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

/* @truncated: how often sampling, and the counts with it, stopped */
static void print_totals(const struct row_table *r, const struct row_totals *t,
			 uint64_t truncated)
{
	if (!t->all.each)
		return;
	if (t->by_interval) {
		printf("# The samples stand for %" PRIu64
		       " operations, and shares are of these: the sampling "
		       "interval changed\n",
		       r->weight.operations);
		return;
	}
	printf("# Of %" PRIu64 " operations one in %.1f was sampled; %" PRIu64
	       " records were lost\n",
	       t->population, 1 / t->all.sampled, t->all.lost);
	if (truncated)
		printf("# Operations are counted only while SPE has a buffer; "
		       "it had none %" PRIu64 " times\n",
		       truncated);
}

/* See read/caches.h. */
static void print_stacks(const struct load *load)
{
	if (!load->stacks)
		return;
	printf("# Callers are those of the nearest of %zu call chains; a "
	       "caller's share p of a function with n chains is within "
	       "+-1.96*sqrt(p*(1-p)/n)\n",
	       stacks_count(load->stacks));
}

/* Of perf's recordings of SPE, most have no clock. */
static void print_time(const struct row_table *r)
{
	const struct row_gaps *gaps = &r->gaps;
	double mean = mean_latency(gaps->ns, r->nr_gap_ends) / 1e3;
	bool unsure = r->gaps_unsure > GAPS_UNSURE * gaps->ns;

	if (r->by_gaps)
		printf("# Shares are of the time between samples of a thread, "
		       "%.2f us on average, %.3f ms in all, as no clock "
		       "was recorded\n"
		       "# +-Time: half of that between samples of a row and of "
		       "others; what runs for less than %.2f us at a time "
		       "counts with what is around it\n",
		       mean, gaps->ns / 2e6, mean);
	else if (r->by_time)
		printf("# Shares are of time: a clock was sampled %" PRIu64
		       " times; a share p is within "
		       "+-1.96*sqrt(p*(1-p)/%" PRIu64 ")\n",
		       r->ticks, r->ticks);
	else if (r->by_cost)
		printf("# Shares are of the cycles from issue to completion\n");
	if (!r->by_cost || r->by_time || r->has_clock)
		return;
	printf("# No clock was recorded, %s time is not known",
	       unsure ? "and" : "so");
	if (unsure)
		printf(": rows with %.1f%% of it take turns faster than "
		       "samples, which come each %.2f us on average",
		       percent(r->gaps_unsure, gaps->ns), mean);
	putchar('\n');
}

static void print_head(const struct report_output *out)
{
	const struct row_table *r = out->report;

	printf("# ");
	name_put(stdout, out->load->name, 0);
	printf(": %" PRIu64 " SPE samples, %" PRIu64 " snapshots", r->samples,
	       r->snapshots);
	if (r->groups > r->snapshots)
		printf(", %" PRIu64 " other groups of counters",
		       r->groups - r->snapshots);
	putchar('\n');
	losses_print(out->load, stdout, "# ");
	printf("# Of all samples %" PRIu64 " have a total latency, %" PRIu64
	       " a data source\n",
	       r->total.count, r->sourced);
	print_totals(r, &out->totals,
		     pmscope_recording_losses(out->load->recording)->truncated);
	print_stacks(out->load);
	print_time(r);
	if (r->by_time || r->by_cost)
		printf("# OfOps: of all operations\n");
	if (r->by_latency)
		printf("# Shares are of the cycles of all total latencies\n");
}

static void print_histogram(const struct row_table *r)
{
	uint64_t counts[HISTOGRAM_POWERS];
	int first = 0, last = HISTOGRAM_POWERS;

	histogram_powers(&r->total, counts);
	while (first < last && !counts[first])
		first++;
	while (first < last && !counts[last - 1])
		last--;
	printf("#\n# Total latency in cycles, %" PRIu64 " samples\n",
	       r->total.count);
	for (int i = first; i < last; i++) {
		printf("%6u-%-6u %8" PRIu64 " %6.2f%% ", i ? 1U << (i - 1) : 0,
		       (1U << i) - 1, counts[i],
		       percent(counts[i], r->total.count));
		for (int bar = 0;
		     bar < 50 * ((double)counts[i] / r->total.count); bar++)
			putchar('#');
		putchar('\n');
	}
}

/* Rates are those of one CPU or thread. */
static int print_rates(const struct report_output *out)
{
	double ipc = counters_ipc(&out->report->counters);
	int ret;

	puts("#");
	if (out->load->filter->said)
		puts("# Groups are of the whole recording, not only of what "
		     "the filter lets pass");
	ret = report_print_rates(out, PRINT_TEXT);
	if (ipc >= 0)
		printf("# %.3f instructions per cycle\n", ipc);
	return ret;
}

static int print_rows(const struct report_output *out)
{
	const struct row_table *r = out->report;
	int ret;

	if (!out->quiet)
		puts("#");
	ret = report_print_rows(out, PRINT_TEXT);
	if (out->nr_rows < r->nr_rows && !out->quiet)
		printf("# %zu more rows (%s)\n", r->nr_rows - out->nr_rows,
		       out->cut_by);
	return ret || out->quiet ? ret : report_print_nameless(out);
}

int report_print_text(const struct report_output *out)
{
	const struct row_table *r = out->report;
	int ret = out->quiet ? 0 : judgement_print(stdout, r, out->load);

	ret = ret < 0 ? ret : 0;

	if (!out->quiet)
		print_head(out);
	if (r->nr_rows && !ret)
		ret = print_rows(out);
	if (r->with_histogram && r->total.count)
		print_histogram(r);
	if (out->nr_rates && !out->quiet && !ret)
		ret = print_rates(out);
	return ret;
}

/* One JSON object a line: summary, rows, counters. Keys are stable. */

static int print_summary(struct json *json, const struct report_output *out)
{
	const struct row_table *r = out->report;
	int ret;

	json_begin_line(json);
	json_text(json, "type", "summary");
	json_text(json, "file", out->load->name);
	json_unsigned(json, "samples", r->samples);
	json_unsigned(json, "snapshots", r->snapshots);
	json_unsigned(json, "groups", r->groups);
	json_unsigned(json, "rows", r->nr_rows);
	losses_json(json, out->load);
	ret = judgement_json(json, "judgement", r, out->load);
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
	return ret;
}

int report_print_jsonl(const struct report_output *out)
{
	double ipc = counters_ipc(&out->report->counters);
	struct json json = {.out = stdout};
	int ret = print_summary(&json, out)
			  ?: report_print_rows(out, PRINT_JSONL)
			  ?: report_print_rates(out, PRINT_JSONL);

	if (ipc >= 0) {
		json_begin_line(&json);
		json_text(&json, "type", "ipc");
		json_real(&json, "value", 6, ipc);
		json_end_line(&json);
	}
	return ret;
}
