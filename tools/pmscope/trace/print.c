// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"
#include "print/csv.h"
#include "print/json.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <string.h>

static const struct {
	const char *name;
	double percent;
} percentiles[] = {{"p50", 50}, {"p90", 90}, {"p99", 99}};

#define NR_PERCENTILES (sizeof(percentiles) / sizeof(*percentiles))

static const char *const losses[TRACE_LOST_REASONS] = {
	[TRACE_LOST_CAPTURE] = "their capture failed",
	[TRACE_LOST_DEEP] = "they recursed too deeply",
	[TRACE_LOST_FULL] = "the table of open calls was full",
	[TRACE_LOST_OPEN] = "they began before tracing",
};

static double mean(const struct trace_row *row)
{
	return row->calls ? (double)row->sum / row->calls : 0;
}

static const char *event_name(const struct trace_printer *p,
			      const struct trace_row *row)
{
	return p->events->event[row->event].name;
}

static void print_heading(const struct trace_printer *p)
{
	if (p->format == TRACE_CSV) {
		const char *sep = p->separator;

		fprintf(p->out, "function%s", sep);
		if (p->threads)
			fprintf(p->out, "comm%stid%s", sep, sep);
		fprintf(p->out, "event%scalls%stotal%smean%smin", sep, sep, sep,
			sep);
		for (size_t i = 0; i < NR_PERCENTILES; i++)
			fprintf(p->out, "%s%s", sep, percentiles[i].name);
		fprintf(p->out, "%smax\n", sep);
	} else if (p->format == TRACE_HUMAN) {
		fprintf(p->out, "#%9s %16s %14s %10s", "calls", "total", "mean",
			"min");
		for (size_t i = 0; i < NR_PERCENTILES; i++)
			fprintf(p->out, " %10s", percentiles[i].name);
		fprintf(p->out, " %10s  %s\n", "max",
			p->threads ? "thread, function, event"
				   : "function, event");
	}
}

static void print_human(const struct trace_printer *p,
			const struct trace_row *row)
{
	char comm[sizeof(row->comm)];

	fprintf(p->out, "%10" PRIu64 " %16" PRIu64 " %14.1f %10" PRIu64,
		row->calls, row->sum, mean(row), row->min);
	for (size_t i = 0; i < NR_PERCENTILES; i++)
		fprintf(p->out, " %10" PRIu64,
			trace_percentile(row, percentiles[i].percent));
	fprintf(p->out, " %10" PRIu64 "  ", row->max);
	if (p->threads) {
		*text_clean(comm, row->comm, strlen(row->comm)) = '\0';
		fprintf(p->out, "%s/%u ", comm, row->tid);
	}
	fprintf(p->out, "%s %s\n", p->plan->func[row->func].name,
		event_name(p, row));
}

static void print_csv(const struct trace_printer *p,
		      const struct trace_row *row)
{
	const char *sep = p->separator;

	csv_separated(p->out, p->plan->func[row->func].name, sep);
	if (p->threads) {
		fputs(sep, p->out);
		csv_separated(p->out, row->comm, sep);
		fprintf(p->out, "%s%u", sep, row->tid);
	}
	fputs(sep, p->out);
	csv_separated(p->out, event_name(p, row), sep);
	fprintf(p->out, "%s%" PRIu64 "%s%" PRIu64 "%s%.4f%s%" PRIu64, sep,
		row->calls, sep, row->sum, sep, mean(row), sep, row->min);
	for (size_t i = 0; i < NR_PERCENTILES; i++)
		fprintf(p->out, "%s%" PRIu64, sep,
			trace_percentile(row, percentiles[i].percent));
	fprintf(p->out, "%s%" PRIu64 "\n", sep, row->max);
}

static void print_json(const struct trace_printer *p,
		       const struct trace_row *row)
{
	struct json json = {.out = p->out};

	json_begin_line(&json);
	json_text(&json, "function", p->plan->func[row->func].name);
	if (p->threads) {
		json_text(&json, "comm", row->comm);
		json_unsigned(&json, "tid", row->tid);
	}
	json_text(&json, "event", event_name(p, row));
	json_unsigned(&json, "calls", row->calls);
	json_unsigned(&json, "total", row->sum);
	json_real(&json, "mean", 4, mean(row));
	json_unsigned(&json, "min", row->min);
	for (size_t i = 0; i < NR_PERCENTILES; i++)
		json_unsigned(&json, percentiles[i].name,
			      trace_percentile(row, percentiles[i].percent));
	json_unsigned(&json, "max", row->max);
	json_end_line(&json);
}

static void print_losses(const struct trace_table *table)
{
	for (int i = 0; i < TRACE_LOST_REASONS; i++)
		if (table->lost[i])
			fprintf(stderr,
				"pmscope: %" PRIu64 " calls not counted: %s\n",
				table->lost[i], losses[i]);
	if (table->missed)
		fprintf(stderr,
			"pmscope: %" PRIu64
			" probe hits missed by the kernel\n",
			table->missed);
}

void trace_print(const struct trace_printer *p, const struct trace_table *table)
{
	static void (*const print[])(const struct trace_printer *,
				     const struct trace_row *) = {
		[TRACE_HUMAN] = print_human,
		[TRACE_CSV] = print_csv,
		[TRACE_JSON] = print_json,
	};

	print_heading(p);
	for (size_t i = 0; i < table->nr; i++)
		print[p->format](p, &table->row[i]);
	print_losses(table);
}
