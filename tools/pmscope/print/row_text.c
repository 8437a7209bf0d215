// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/row_text.h"

#include <pmscope/events.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Columns of a terminal that functions, and other names, get at least. */
#define FUNCTION_LEAST 20
#define NAME_LEAST     14

/* Events with a column: the share of a row's samples that have it. */
static const struct {
	enum pmscope_event bit;
	struct column column;
} shown_events[] = {
	{PMSCOPE_EVENT_L1D_REFILL, {.title = "L1miss", .width = 7, .drop = 11}},
	{PMSCOPE_EVENT_LLC_REFILL, {.title = "LLmiss", .width = 7, .drop = 7}},
	{PMSCOPE_EVENT_TLB_REFILL, {.title = "TLBmiss", .width = 7, .drop = 6}},
	{PMSCOPE_EVENT_MISPRED, {.title = "Mispred", .width = 7, .drop = 5}},
};

#define NR_SHOWN (sizeof(shown_events) / sizeof(shown_events[0]))

static const struct column first_columns[] = {
	{.title = "# Share", .width = 7, .is_share = true},
	{.title = "Samples", .width = 8, .drop = 14},
};

static const struct column operations_columns[] = {
	{.title = "Operations", .width = 15, .drop = 12},
	{.title = "+-95%", .width = 7, .drop = 3},
};

static const struct column latency_columns[] = {
	{.title = "Timed", .width = 8, .drop = 2},
	{.title = "Mean cyc", .width = 8, .drop = 15},
	{.title = "p50", .width = 6, .drop = 9},
	{.title = "p90", .width = 6, .drop = 13},
	{.title = "p99", .width = 6, .drop = 8},
	{.title = "max", .width = 6, .drop = 4},
};

static const struct column source_columns[] = {
	{.title = "Sourced", .width = 8, .drop = 1},
	{.title = " Data source",
	 .width = 23,
	 .least = 16,
	 .drop = 10,
	 .left = true},
};

#define NR(columns) (sizeof(columns) / sizeof((columns)[0]))

static void add(struct row_text *text, const struct column *column, size_t nr)
{
	while (nr--)
		text->column[text->columns.nr++] = *column++;
}

static void add_key(struct row_text *text, const struct field *key)
{
	int least = key->deps & DEP_CODE && strcmp(key->name, "dso") != 0
			    ? FUNCTION_LEAST
			    : NAME_LEAST;
	const struct column column = {
		.title = field_heading(key),
		.width = key->width,
		.least = field_has_row_text(key) && key->width > least ? least
								       : 0,
		.left = true,
		.is_path = !strcmp(key->name, "dso") ||
			   !strcmp(key->name, "file") ||
			   !strcmp(key->name, "line"),
	};

	add(text, &column, 1);
}

void row_text_begin(struct row_text *text, const struct row_table *table,
		    const struct row_totals *totals)
{
	*text = (struct row_text){.table = table, .totals = totals};
	add(text, first_columns, NR(first_columns));
	if (totals)
		add(text, operations_columns, NR(operations_columns));
	add(text, latency_columns, NR(latency_columns));
	for (size_t i = 0; i < NR_SHOWN; i++)
		add(text, &shown_events[i].column, 1);
	add(text, source_columns, NR(source_columns));
	for (size_t i = 0; i < table->nr_keys; i++)
		add_key(text, table->keys[i]);
	columns_begin(&text->columns, text->column, text->columns.nr);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

static void put_operations(const struct row_text *text, const struct row *row)
{
	struct row_operations of_row;

	if (!text->totals)
		return;
	of_row = row_operations(text->totals, row);
	cell_put(&text->columns, "%.0f", of_row.count);
	cell_put(&text->columns, "%.1f%%", 100 * of_row.error / of_row.count);
}

static void put_latency(const struct row_text *text, const struct histogram *h)
{
	cell_put(&text->columns, "%" PRIu64, h->count);
	if (!h->count) {
		for (int i = 0; i < 5; i++)
			cell_put(&text->columns, "-");
		return;
	}
	cell_put(&text->columns, "%.1f", histogram_mean(h));
	cell_put(&text->columns, "%u", histogram_percentile(h, 50));
	cell_put(&text->columns, "%u", histogram_percentile(h, 90));
	cell_put(&text->columns, "%u", histogram_percentile(h, 99));
	cell_put(&text->columns, "%u", h->max);
}

/* The most frequent source, and its share of the samples with one. */
static void put_source(const struct row_text *text,
		       const struct row_parts *parts)
{
	char code[16] = "";
	const char *name;

	cell_put(&text->columns, "%" PRIu64, parts->sourced);
	if (!parts->nr_sources) {
		cell_put(&text->columns, " -");
		return;
	}
	snprintf(code, sizeof(code), "code %u", parts->sources[0].code);
	name = parts->sources[0].name ?: code;
	cell_put(&text->columns, " %.0f%% %s",
		 percent(parts->sources[0].samples, parts->sourced), name);
}

void row_text_put(struct row_text *text, const struct row *row,
		  const struct row_parts *parts)
{
	const struct row_table *table = text->table;
	char buf[32];

	cell_put(&text->columns, "%.2f%%", 100 * row_share(table, row));
	cell_put(&text->columns, "%" PRIu64, row->samples);
	put_operations(text, row);
	put_latency(text, &row->total);
	for (size_t i = 0; i < NR_SHOWN; i++)
		cell_put(&text->columns, "%.1f%%",
			 percent(parts->events[shown_events[i].bit],
				 row->samples));
	put_source(text, parts);
	for (size_t i = 0; i < table->nr_keys; i++)
		cell_put(&text->columns, "%s",
			 row_value(table, row, i, buf, sizeof(buf)));
	columns_row(&text->columns);
}

int row_text_end(struct row_text *text)
{
	return columns_end(&text->columns);
}
