// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/record.h"
#include "stat/stat.h"

#define SUMMARY_WIDTH 110 /* of the longest line */

static double percent_running(const struct stat_row *row)
{
	return row->enabled ? 100.0 * row->running / row->enabled : 0;
}

static bool is_clock(const struct stat_row *row)
{
	return !row->event->pmu && attr_is_clock(&row->event->attr.attr);
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

/* A row for machines: the columns have these names. */
struct count_view {
	struct stat_place place;
	const struct stat_row *row;
	const char *event, *unit, *metric_unit;
	uint64_t group, value, enabled_ns, running_ns;
	double spread_percent, running_percent, metric;
};

static CELL_OF(value_get, struct count_view,
	       v->running_ns ? table_number(row, arg, room)
			     : (struct cell){.type = CELL_NULL});

static void value_csv(FILE *out, const void *row, size_t)
{
	const struct count_view *view = row;

	if (!view->running_ns)
		fputs("<not counted>", out);
	else if (*view->unit)
		fprintf(out, "%.6f", view->value / 1e6);
	else
		fprintf(out, "%" PRIu64, view->value);
}

static void spread_csv(FILE *out, const void *row, size_t)
{
	fprintf(out, "%.2f%%",
		((const struct count_view *)row)->spread_percent);
}

static CELL_OF(metric_get, struct count_view,
	       cell_if(v->metric_unit, cell_real(v->metric)));

#define NUMBER(member) COLUMN_NUMBER(struct count_view, member)
#define REAL(member)   COLUMN_REAL(struct count_view, member)
#define TEXT(member)   COLUMN_STRING(struct count_view, member)

/* CSV has the order of perf stat -x. */
static const struct table_column count_columns[] = {
	{TEXT(event), .csv_at = 3},
	{NUMBER(group), .no_csv = true},
	{.name = "value",
	 .arg = offsetof(struct count_view, value),
	 .get = value_get,
	 .csv_at = 1,
	 .put_csv = value_csv},
	{TEXT(unit), .key = "", .csv_at = 2},
	{NUMBER(enabled_ns), .no_csv = true},
	{NUMBER(running_ns), .csv_at = 5},
	{REAL(running_percent), .key = "", .csv_at = 6, .decimals = 2},
	{.name = "metric",
	 .key = "",
	 .get = metric_get,
	 .csv_at = 7,
	 .decimals = 4},
};
static const struct table_column spread_column = {REAL(spread_percent),
						  .csv_at = 4, .decimals = 4,
						  .put_csv = spread_csv};
static const struct table_column metric_columns[] = {
	{.name = "metric", .no_csv = true, .get = metric_get, .decimals = 6},
	{TEXT(metric_unit), .csv_at = 8},
};

static void count_fill(struct count_view *view, const struct stat_printer *p,
		       const struct stat_table *table,
		       const struct stat_row *row, double seconds)
{
	struct stat_metric metric = {};

	stat_metric(table, row, &metric);
	*view = (struct count_view){
		.event = row->event->name,
		.unit = is_clock(row) ? "msec" : "",
		.group = row->event->group,
		.value = row->value,
		.enabled_ns = row->enabled,
		.running_ns = row->running,
		.spread_percent = row->spread,
		.running_percent = percent_running(row),
		.metric = metric.value,
		.metric_unit = metric.name,
	};
	stat_place_fill(&view->place, p, row, seconds);
}

static void print_counts(const struct stat_printer *p,
			 const struct stat_table *table, double seconds)
{
	struct table counts = {};
	struct count_view view;

	stat_table_begin(&counts, p, true);
	table_add(&counts, count_columns, 8);
	table_add(&counts, &spread_column,
		  table->nr && table->row[0].spread >= 0);
	table_add(&counts, metric_columns, 2);
	table_begin(&counts, false);
	for (size_t i = 0; i < table->nr; i++) {
		if (table->row[i].hidden)
			continue;
		count_fill(&view, p, table, &table->row[i], seconds);
		table_row(&counts, &view);
	}
	table_end(&counts);
}

void stat_print_heading(const struct stat_printer *p, const char *what,
			unsigned int runs)
{
	if (p->format != PRINT_TEXT)
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
	if (p->format != PRINT_TEXT)
		print_counts(p, table, seconds);
	else if (!p->metrics_only)
		print_human(p, table, seconds);
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
	if (p->format == PRINT_JSONL)
		print_summary_json(p, summary);
	else if (p->format == PRINT_TEXT)
		print_summary_human(p, summary);
}
