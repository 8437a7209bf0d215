// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/trace.h"
#include "print/table.h"

int trace_row_add(struct trace_row *row, uint32_t bucket, uint64_t count)
{
	size_t at = row->nr_buckets;

	while (at && row->bucket[at - 1].bucket > bucket)
		at--;
	if (at && row->bucket[at - 1].bucket == bucket) {
		row->bucket[at - 1].count += count;
		return 0;
	}
	if (array_one_more(row->bucket, row->nr_buckets))
		return -ENOMEM;
	for (size_t i = row->nr_buckets++; i > at; i--)
		row->bucket[i] = row->bucket[i - 1];
	row->bucket[at] =
		(struct trace_count){.bucket = bucket, .count = count};
	return 0;
}

uint64_t trace_percentile(const struct trace_row *row, double percent)
{
	uint64_t rank = ceil(percent / 100 * row->calls), seen = 0, end;

	for (size_t i = 0; i < row->nr_buckets; i++) {
		seen += row->bucket[i].count;
		if (seen < rank)
			continue;
		end = trace_bucket_end(row->bucket[i].bucket);
		if (end < row->min)
			return row->min;
		return MIN(end, row->max);
	}
	return row->max;
}

void trace_table_free(struct trace_table *table)
{
	for (size_t i = 0; i < table->nr; i++)
		free(table->row[i].bucket);
	free(table->row);
	*table = (struct trace_table){};
}

static const char *const losses[TRACE_LOST_REASONS] = {
	[TRACE_LOST_CAPTURE] = "their capture failed",
	[TRACE_LOST_DEEP] = "they recursed too deeply",
	[TRACE_LOST_FULL] = "the table of open calls was full",
	[TRACE_LOST_OPEN] = "they began before tracing",
};

/* A row; the columns have these names. */
struct trace_view {
	const char *function, *comm, *event;
	bool threads;
	uint64_t tid, calls, total, min, p50, p90, p99, max;
	double mean;
};

static struct trace_view view_of(const struct trace_printer *p,
				 const struct trace_row *row)
{
	return (struct trace_view){
		.function = p->plan->func[row->func].name,
		.comm = row->comm,
		.event = p->events->event[row->event].name,
		.threads = p->threads,
		.tid = row->tid,
		.calls = row->calls,
		.total = row->sum,
		.min = row->min,
		.p50 = trace_percentile(row, 50),
		.p90 = trace_percentile(row, 90),
		.p99 = trace_percentile(row, 99),
		.max = row->max,
		.mean = row->calls ? (double)row->sum / row->calls : 0,
	};
}

static void names_text(FILE *out, const void *row, size_t)
{
	const struct trace_view *view = row;

	if (view->threads)
		fprintf(out, "%s/%" PRIu64 " ", view->comm, view->tid);
	fprintf(out, "%s %s", view->function, view->event);
}

#define NUMBER(member) COLUMN_NUMBER(struct trace_view, member)

static const struct table_column columns[] = {
	{COLUMN_STRING(struct trace_view, function), .at = 1,
	 .text = {" function, event", 25, 16, .left = true},
	 .put_text = names_text},
	{COLUMN_STRING(struct trace_view, comm)},
	{NUMBER(tid)},
	{COLUMN_STRING(struct trace_view, event)},
	{NUMBER(calls), .text = {.title = "#    calls", .width = 10}},
	{NUMBER(total), .text = {.title = "total", .width = 16}},
	{COLUMN_REAL(struct trace_view, mean), .decimals = 4, .digits = 1,
	 .text = {.title = "mean", .width = 14}},
	{NUMBER(min), .text = {.title = "min", .width = 10}},
	{NUMBER(p50), .text = {.title = "p50", .width = 10}},
	{NUMBER(p90), .text = {.title = "p90", .width = 10}},
	{NUMBER(p99), .text = {.title = "p99", .width = 10}},
	{NUMBER(max), .text = {.title = "max", .width = 10}},
};

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

int trace_print(const struct trace_printer *p, const struct trace_table *rows)
{
	struct table table = {.format = p->format,
			      .separator = p->separator,
			      .json.out = p->out};

	table_add(&table, columns, 1);
	if (p->threads)
		table_add(&table, columns + 1, 2);
	table_add(&table, columns + 3, ARRAY_SIZE(columns) - 3);
	if (p->threads)
		table.column[0].text.title = " thread, function, event";
	table_begin(&table, true);
	for (size_t i = 0; i < rows->nr; i++) {
		const struct trace_view view = view_of(p, &rows->row[i]);

		table_row(&table, &view);
	}
	print_losses(rows);
	return table_end(&table);
}
