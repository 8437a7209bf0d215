// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/terminal.h"
#include "print/csv.h"
#include "print/json.h"
#include "stat/lines.h"

#define SUMMARY_WIDTH 110 /* of the longest line */

#include <inttypes.h>
#include <string.h>

static double percent_running(const struct stat_row *row)
{
	return row->enabled ? 100.0 * row->running / row->enabled : 0;
}

/* cpu-clock and task-clock count ns. */
static bool is_clock(const struct stat_row *row)
{
	const struct perf_event_attr *attr = &row->event->attr.attr;

	return !row->event->pmu && attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* "1234567" as "1,234,567". */
static const char *grouped(uint64_t value, char *buf, size_t size)
{
	char digits[32];
	size_t len = snprintf(digits, sizeof(digits), "%" PRIu64, value),
	       at = 0;

	for (size_t i = 0; i < len && at + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

#define NAME_WIDTH 32

static void line_fill(struct stat_line *line, const struct stat_printer *p,
		      const struct stat_table *table,
		      const struct stat_row *row)
{
	struct stat_metric metric;

	line->name = row->event->name;
	line->name_width = NAME_WIDTH;
	if (p->by == STAT_BY_CORE)
		snprintf(line->cpus, sizeof(line->cpus), "%u", row->cpus);
	if (!row->running)
		strcpy(line->number, "<not counted>");
	else if (is_clock(row))
		snprintf(line->number, sizeof(line->number), "%.2f msec",
			 row->value / 1e6);
	else
		grouped(row->value, line->number, sizeof(line->number));
	if (stat_metric(table, row, &metric))
		snprintf(line->text[0], sizeof(line->text[0]), "# %8.2f %s",
			 metric.value, metric.name);
	if (row->spread >= 0)
		snprintf(line->text[1], sizeof(line->text[1]), " ( +- %.2f%% )",
			 row->spread);
	if (row->enabled && !row->running)
		strcpy(line->text[2], " (run longer)");
	if (row->running && row->running < row->enabled)
		snprintf(line->text[2], sizeof(line->text[2]), " (%.2f%%)",
			 percent_running(row));
}

static void print_human(const struct stat_printer *p,
			const struct stat_table *table, double seconds)
{
	struct stat_lines lines = {};

	for (size_t i = 0; i < table->nr; i++) {
		struct stat_line line;

		if (table->row[i].hidden)
			continue;
		stat_line_begin(&line, p, &table->row[i], seconds);
		line_fill(&line, p, table, &table->row[i]);
		stat_line_put(p, &lines, &line);
	}
	stat_lines_end(p, &lines);
}

static void print_csv(const struct stat_printer *p,
		      const struct stat_table *table,
		      const struct stat_row *row, double seconds)
{
	const char *sep = p->separator;
	struct stat_metric metric;
	char place[48];

	if (p->intervals)
		fprintf(p->out, "%.9f%s", seconds, sep);
	if (p->by)
		fprintf(p->out, "%s%s",
			stat_place_name(p, row, place, sizeof(place)), sep);
	if (p->by == STAT_BY_CORE)
		fprintf(p->out, "%u%s", row->cpus, sep);
	if (!row->running)
		fputs("<not counted>", p->out);
	else if (is_clock(row))
		fprintf(p->out, "%.6f", row->value / 1e6);
	else
		fprintf(p->out, "%" PRIu64, row->value);
	fprintf(p->out, "%s%s%s", sep, is_clock(row) ? "msec" : "", sep);
	csv_separated(p->out, row->event->name, sep);
	if (row->spread >= 0)
		fprintf(p->out, "%s%.2f%%", sep, row->spread);
	fprintf(p->out, "%s%" PRIu64 "%s%.2f", sep, row->running, sep,
		percent_running(row));
	if (stat_metric(table, row, &metric))
		fprintf(p->out, "%s%.4f%s%s", sep, metric.value, sep,
			metric.name);
	else
		fprintf(p->out, "%s%s", sep, sep);
	fputc('\n', p->out);
}

void stat_json_place(const struct stat_printer *p, struct json *json,
		     const struct stat_row *row)
{
	char place[48];

	if (p->by == STAT_BY_CPU) {
		json_signed(json, "cpu", row->cpu);
	} else if (p->by == STAT_BY_CORE) {
		json_text(json, "core",
			  stat_place_name(p, row, place, sizeof(place)));
		json_unsigned(json, "cpus", row->cpus);
	} else if (p->by == STAT_BY_THREAD) {
		json_signed(json, "thread", row->cpu);
	}
}

static void print_json(const struct stat_printer *p,
		       const struct stat_table *table,
		       const struct stat_row *row, double seconds)
{
	struct json json = {.out = p->out};
	struct stat_metric metric;

	json_begin_line(&json);
	if (p->intervals)
		json_real(&json, "time", 9, seconds);
	stat_json_place(p, &json, row);
	json_text(&json, "event", row->event->name);
	json_unsigned(&json, "group", row->event->group);
	if (row->running)
		json_unsigned(&json, "value", row->value);
	else
		json_null(&json, "value");
	json_unsigned(&json, "enabled_ns", row->enabled);
	json_unsigned(&json, "running_ns", row->running);
	if (row->spread >= 0)
		json_real(&json, "spread_percent", 4, row->spread);
	if (stat_metric(table, row, &metric)) {
		json_real(&json, "metric", 6, metric.value);
		json_text(&json, "metric_unit", metric.name);
	}
	json_end_line(&json);
}

void stat_print_heading(const struct stat_printer *p, const char *what,
			unsigned int runs)
{
	if (p->format != STAT_HUMAN)
		return;
	if (p->intervals) {
		fprintf(p->out, "#%12s %s%20s  %s\n", "time",
			p->by == STAT_BY_CPU	  ? "CPU     "
			: p->by == STAT_BY_THREAD ? "thread                  "
			: p->by == STAT_BY_CORE	  ? "core         cpus"
						  : "",
			"counts", "event");
		return;
	}
	fprintf(p->out, "\n Counts for %s", what);
	if (runs > 1)
		fprintf(p->out, " (%u runs)", runs);
	fputs(":\n\n", p->out);
}

void stat_print_table(const struct stat_printer *p,
		      const struct stat_table *table, double seconds)
{
	bool is_csv = p->format == STAT_CSV;

	if (p->format == STAT_HUMAN) {
		if (!p->metrics_only)
			print_human(p, table, seconds);
	} else {
		for (size_t i = 0; i < table->nr; i++)
			if (!table->row[i].hidden)
				(is_csv ? print_csv : print_json)(
					p, table, &table->row[i], seconds);
	}
	if (p->intervals)
		fflush(p->out);
}

static double failed_percent(const struct stat_captures *captures)
{
	uint64_t tried = captures->done + captures->failed;

	return tried ? 100.0 * captures->failed / tried : 0;
}

static void print_summary_json(const struct stat_printer *p,
			       const struct stat_summary *summary)
{
	const struct stat_captures *captures = summary->captures;

	fprintf(p->out, "{\"elapsed_s\":%.9f", summary->elapsed);
	if (summary->user >= 0)
		fprintf(p->out, ",\"user_s\":%.6f,\"system_s\":%.6f",
			summary->user, summary->system);
	if (captures)
		fprintf(p->out,
			",\"captures\":%" PRIu64 ",\"captures_frozen\":%" PRIu64
			",\"captures_failed\":%" PRIu64
			",\"captures_raced\":%" PRIu64,
			captures->done, captures->frozen, captures->failed,
			captures->raced);
	fputs("}\n", p->out);
}

static void print_stopped(const struct stat_printer *p,
			  const struct stat_captures *captures)
{
	char number[48];

	if (!captures->frozen)
		return;
	if (terminal_width() && terminal_width() < SUMMARY_WIDTH)
		fprintf(p->out, "\n%21s", "");
	if (captures->frozen == captures->done)
		fprintf(p->out, " (counters were stopped for each)");
	else
		fprintf(p->out, " (counters were stopped for %s of them)",
			grouped(captures->frozen, number, sizeof(number)));
}

static void print_summary_human(const struct stat_printer *p,
				const struct stat_summary *summary)
{
	const struct stat_captures *captures = summary->captures;
	char number[48];

	if (captures) {
		fprintf(p->out,
			"\n%20s  captures, %.2f%% failed, %" PRIu64 " repeated",
			grouped(captures->done, number, sizeof(number)),
			failed_percent(captures), captures->raced);
		print_stopped(p, captures);
		fputc('\n', p->out);
	}
	fprintf(p->out, "\n%20.9f  seconds elapsed\n", summary->elapsed);
	if (summary->user >= 0)
		fprintf(p->out,
			"%20.6f  seconds user\n%20.6f  seconds system\n",
			summary->user, summary->system);
	fputc('\n', p->out);
}

void stat_print_summary(const struct stat_printer *p,
			const struct stat_summary *summary)
{
	if (p->format == STAT_JSON)
		print_summary_json(p, summary);
	else if (p->format == STAT_HUMAN)
		print_summary_human(p, summary);
}
