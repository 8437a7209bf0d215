// SPDX-License-Identifier: GPL-2.0-or-later
/* The report for people; free to change. */
#include "base/text.h"
#include "print/losses.h"
#include "report/report.h"
#include "verdict/verdict.h"

#include <pmscope/events.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Events worth a column, and its title: the share of a row's samples. */
static const struct {
	enum pmscope_event bit;
	const char *title;
} shown_events[] = {
	{PMSCOPE_EVENT_L1D_REFILL, "L1miss"},
	{PMSCOPE_EVENT_LLC_REFILL, "LLmiss"},
	{PMSCOPE_EVENT_TLB_REFILL, "TLBmiss"},
	{PMSCOPE_EVENT_MISPRED, "Mispred"},
};

#define NR_SHOWN (sizeof(shown_events) / sizeof(shown_events[0]))

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

void report_put_text(const char *text, int width)
{
	int n = 0;

	while (text[n]) {
		int len = text_utf8((const unsigned char *)text + n);
		char one[4];

		len = len ? len : 1;
		fwrite(one, 1, text_clean(one, text + n, len) - one, stdout);
		n += len;
	}
	for (; n < width; n++)
		putchar(' ');
}

/* @truncated: how often sampling, and the counts with it, stopped */
static void print_totals(const struct row_totals *t, uint64_t truncated)
{
	if (!t->all.each)
		return;
	printf("# Of %" PRIu64 " operations one in %.1f was sampled; %" PRIu64
	       " records were lost\n",
	       t->population, 1 / t->all.sampled, t->all.lost);
	if (truncated)
		printf("# Operations are counted only while SPE has a buffer; "
		       "it had none %" PRIu64 " times\n",
		       truncated);
}

/* What limits the program, where, and why that is believed. */
static int print_verdict(const struct row_table *r)
{
	struct verdict verdict;
	int ret = verdict_make(&verdict, r);

	for (int i = 0; i < VERDICT_SENTENCES && !ret; i++) {
		if (!verdict.sentence[i])
			continue;
		printf("# ");
		report_put_text(verdict.sentence[i], 0);
		putchar('\n');
	}
	if (!ret && verdict.sentence[0])
		puts("#");
	verdict_fini(&verdict);
	return ret;
}

static void print_head(const struct report_output *out)
{
	const struct row_table *r = out->report;

	printf("# ");
	report_put_text(out->load->name, 0);
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
	print_totals(&out->totals,
		     pmscope_recording_losses(out->load->recording)->truncated);
	if (r->by_latency)
		printf("# Shares are of the cycles of all total latencies\n");
}

static void print_bar(double share)
{
	for (int i = 0; i < 50 * share; i++)
		putchar('#');
	putchar('\n');
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
		print_bar((double)counts[i] / r->total.count);
	}
}

static void print_titles(const struct row_table *r, bool totals)
{
	printf("#\n# Share  Samples");
	if (totals)
		printf("      Operations   +-95%%");
	printf("    Timed     Mean    p50    p90    p99    "
	       "max");
	for (size_t i = 0; i < NR_SHOWN; i++)
		printf(" %7s", shown_events[i].title);
	printf("  Sourced  %-22s", "Data source");
	for (size_t i = 0; i < r->nr_keys; i++)
		printf(" %-*s", r->keys[i]->width, field_heading(r->keys[i]));
	printf("\n#%*s samples with a total latency, and cycles     "
	       "share of samples with the event  samples with a data "
	       "source, and the most frequent\n",
	       totals ? 41 : 17, "");
}

static void print_latency(const struct histogram *h)
{
	if (!h->count) {
		printf(" %8s %6s %6s %6s %6s", "-", "-", "-", "-", "-");
		return;
	}
	printf(" %8.1f %6u %6u %6u %6u", histogram_mean(h),
	       histogram_percentile(h, 50), histogram_percentile(h, 90),
	       histogram_percentile(h, 99), h->max);
}

/* The most frequent source, and its share of the samples with one. */
static void print_source(const struct row_parts *parts)
{
	char text[32] = "-", code[16];
	const char *name;

	if (parts->nr_sources) {
		snprintf(code, sizeof(code), "code %u", parts->sources[0].code);
		name = parts->sources[0].name;
		snprintf(text, sizeof(text), "%.0f%% %s",
			 percent(parts->sources[0].samples, parts->sourced),
			 name ? name : code);
	}
	printf(" %8" PRIu64 "  %-22s", parts->sourced, text);
}

static void print_operations(const struct row_totals *totals,
			     const struct row *row)
{
	struct row_operations of_row = row_operations(totals, row);

	if (totals->all.each)
		printf(" %15.0f %6.1f%%", of_row.count,
		       100 * of_row.error / of_row.count);
}

static void print_row(const struct report_output *out, const struct row *row,
		      const struct row_parts *parts)
{
	const struct row_table *r = out->report;
	char buf[32];

	printf("%6.2f%% %8" PRIu64, 100 * row_share(r, row), row->samples);
	print_operations(&out->totals, row);
	printf(" %8" PRIu64, row->total.count);
	print_latency(&row->total);
	for (size_t i = 0; i < NR_SHOWN; i++)
		printf(" %6.1f%%", percent(parts->events[shown_events[i].bit],
					   row->samples));
	print_source(parts);
	for (size_t i = 0; i < r->nr_keys; i++) {
		putchar(' ');
		report_put_text(row_value(r, row, i, buf, sizeof(buf)),
				i + 1 < r->nr_keys ? r->keys[i]->width : 0);
	}
	putchar('\n');
}

void report_put_event(const char *name, const struct reading *since)
{
	report_put_text(name, 0);
	if (since->running < since->enabled)
		printf("  (%.2f%% of the time, scaled)",
		       100 * reading_share(since));
	putchar('\n');
}

static void print_rates(const struct report_output *out)
{
	double ipc = counters_ipc(&out->report->counters);

	printf("#\n#    Groups  Count                Per second       Event\n"
	       "#%33sof each CPU or thread\n",
	       "");
	for (size_t i = 0; i < out->nr_rates; i++) {
		const struct report_rate *rate = &out->rates[i];
		const struct reading *since = &rate->since;

		printf("%11" PRIu64 "  %-19" PRIu64 "  %-15.0f  ",
		       rate->snapshots, since->value,
		       since->time ? since->value * 1e9 / since->time : 0);
		report_put_event(rate->name, since);
	}
	if (ipc >= 0)
		printf("# %.3f instructions per cycle\n", ipc);
}

int report_print_text(const struct report_output *out)
{
	const struct row_table *r = out->report;
	int ret = print_verdict(r);

	print_head(out);
	if (out->nr_rows && !ret) {
		print_titles(r, out->totals.all.each);
		ret = report_print_rows(out, print_row);
		if (out->nr_rows < r->nr_rows)
			printf("# %zu more rows (--limit)\n",
			       r->nr_rows - out->nr_rows);
	}
	if (r->with_histogram && r->total.count)
		print_histogram(r);
	if (out->nr_rates)
		print_rates(out);
	return ret;
}
