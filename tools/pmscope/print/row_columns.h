/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of rows of samples: of report, top, annotate and the page. */
#pragma once

#include "print/table.h"
#include "rows/rows.h"

/**
 * struct row_view - what the functions of the columns take as a row. A view
 *with more columns has it as the first member of its own
 * @table: the rows
 * @row: one of them
 * @parts: its events and sources
 * @totals: for the operations; NULL: they are not counted
 * @share: of an instruction, which has a part of its function's time; or NULL
 */
struct row_view {
	const struct row_table *table;
	const struct row *row;
	const struct row_parts *parts;
	const struct row_totals *totals;
	const double *share;
};

/*
 * For columns of views that have some of them in text. A latency's argument is
 * one of them and, above, a figure of it; an event's is its bit.
 */
enum row_latency {
	TOTAL,
	ISSUE,
	XLAT
};

enum row_figure {
	TIMED,
	MEAN,
	P50,
	P90,
	P99,
	MOST
};

struct cell row_share_get(const void *row, size_t arg, char *room);
struct cell row_share_of_operations_get(const void *row, size_t arg,
					char *room);
struct cell row_samples_get(const void *row, size_t arg, char *room);
struct cell row_latency_get(const void *row, size_t arg, char *room);
struct cell row_event_get(const void *row, size_t bit, char *room);
void row_source_text(FILE *out, const void *row, size_t arg);

/* The keys of the rows. */
void row_columns_keys(struct table *to, const struct row_table *table);

/* Samples and share; latencies, events and sources. */
void row_columns_share(struct table *to, const struct row_table *table);

/* @all: CSV has the percentiles of each latency, else those of the total one */
void row_columns_measures(struct table *to, bool all);

/* All of them, with the operations where @totals are known. */
void row_columns(struct table *to, const struct row_table *table,
		 const struct row_totals *totals);

/*
 * The first @nr rows. @codes: of data sources of one name, each code is told
 * apart. Returns 0 or -ENOMEM.
 */
int row_columns_print(struct table *to, const struct row_table *table,
		      const struct row_totals *totals, size_t nr, bool codes);

/* Members of the JSON object of a data source. */
void row_json_source(struct json *json, uint16_t code, const char *name);
