// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of samples, and those of counters, in each format. */
#include "print/losses.h"
#include "print/row_columns.h"
#include "report/report.h"

#include <stdio.h>

int report_print_rows(const struct report_output *out, enum print_format format)
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

enum {
	EVENT,
	GROUPS,
	COUNT,
	NS,
	RATE,
	ENABLED,
	RUNNING
};

static struct cell rate_get(const void *row, size_t column, char *room)
{
	const struct report_rate *rate = row;
	const struct reading *since = &rate->since;

	(void)room;
	switch (column) {
	case EVENT:
		return cell_text(rate->name);
	case GROUPS:
		return cell_unsigned(rate->snapshots);
	case COUNT:
		return cell_unsigned(since->value);
	case NS:
		return cell_unsigned(since->time);
	case RATE:
		return cell_real(since->time ? since->value * 1e9 / since->time
					     : 0);
	case ENABLED:
		return cell_if(since->enabled, cell_unsigned(since->enabled));
	default:
		return cell_if(since->enabled, cell_unsigned(since->running));
	}
}

void report_put_share(FILE *out, const struct reading *since)
{
	if (since->running < since->enabled)
		fprintf(out, "  (%.2f%% of the time, scaled)",
			100 * reading_share(since));
}

static void event_text(FILE *out, const void *row, size_t arg)
{
	const struct report_rate *rate = row;

	(void)arg;
	fputs(rate->name, out);
	report_put_share(out, &rate->since);
}

int report_print_rates(const struct report_output *out,
		       enum print_format format)
{
	static const struct table_column columns[] = {
		{.name = "event",
		 .text = {"Event", 24, 8, .left = true},
		 .at = RUNNING,
		 .arg = EVENT,
		 .get = rate_get,
		 .put_text = event_text},
		{.name = "snapshots",
		 .text = {.title = "#    Groups ", .width = 12},
		 .unit = " ",
		 .arg = GROUPS,
		 .get = rate_get},
		{.name = "count",
		 .text = {"Count", 20, .left = true},
		 .arg = COUNT,
		 .get = rate_get},
		{.name = "ns", .arg = NS, .get = rate_get},
		{.text = {"Per second", 16, .left = true},
		 .arg = RATE,
		 .get = rate_get},
		{.name = "enabled_ns", .arg = ENABLED, .get = rate_get},
		{.name = "running_ns", .arg = RUNNING, .get = rate_get},
	};
	struct table table = {.format = format, .type = "counter"};

	table_add(&table, columns, sizeof(columns) / sizeof(columns[0]));
	table_begin(&table, true);
	if (format == PRINT_TEXT)
		printf("#%33sof each CPU or thread\n", "");
	for (size_t i = 0; i < out->nr_rates; i++)
		table_row(&table, &out->rates[i]);
	return table_end(&table);
}
