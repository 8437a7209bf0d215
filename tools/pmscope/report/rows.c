// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of samples, and those of counters, in each format. */
#include "print/table.h"
#include "report/report.h"

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

int report_print_rates(const struct report_output *out,
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
