/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as rows of columns: CSV, and any format with -F. */
#ifndef PMSCOPE_SCRIPT_COLUMNS_H
#define PMSCOPE_SCRIPT_COLUMNS_H

#include "column.h"
#include "load.h"
#include "output.h"
#include "script.h"

struct column_printer;

/* NULL when memory is short. */
struct column_printer *column_printer_new(enum script_format format,
					  const struct column *const *columns,
					  size_t nr, const struct load *load);
void column_printer_free(struct column_printer *printer);

/* The names of the columns, for CSV. */
void column_header(const struct column_printer *printer, struct output *out);

/*
 * @sample, with no more than its row and thread, is printed COLUMN_AHEAD rows
 * later: what is remembered of others like it is far away in memory.
 */
#define COLUMN_AHEAD 8
void column_ahead(struct column_printer *printer,
		  const struct pmscope_sample *sample);

/* @sample is of a run in @epoch, or a group. */
void column_row(struct column_printer *printer, struct output *out,
		const struct pmscope_sample *sample, uint64_t epoch);

#endif /* PMSCOPE_SCRIPT_COLUMNS_H */
