/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as a table for people: report and top print the same one. */
#ifndef PMSCOPE_PRINT_ROW_TEXT_H
#define PMSCOPE_PRINT_ROW_TEXT_H

#include "print/columns.h"
#include "rows/rows.h"

#define ROW_TEXT_COLUMNS (16 + MAX_KEYS)

struct row_text {
	struct columns columns;
	struct column column[ROW_TEXT_COLUMNS];
	const struct row_table *table;
	const struct row_totals *totals;
};

/* @totals is NULL if operations are not counted. */
void row_text_begin(struct row_text *text, const struct row_table *table,
		    const struct row_totals *totals);

/* Prints a row, which has @parts. */
void row_text_put(struct row_text *text, const struct row *row,
		  const struct row_parts *parts);

/* Returns 0, or -ENOMEM if rows are missing. */
int row_text_end(struct row_text *text);

#endif /* PMSCOPE_PRINT_ROW_TEXT_H */
