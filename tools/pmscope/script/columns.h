/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as rows of columns: CSV, and any format with -F. */
#ifndef PMSCOPE_SCRIPT_COLUMNS_H
#define PMSCOPE_SCRIPT_COLUMNS_H

#include "cli/output.h"
#include "fields/column.h"
#include "read/deps.h"
#include "script/script.h"

struct column_printer;

/* NULL when memory is short. */
struct column_printer *column_printer_new(enum script_format format,
					  const struct column *const *columns,
					  size_t nr, const struct load *load);
void column_printer_free(struct column_printer *printer);

/* The names of the columns, for CSV. */
void column_header(const struct column_printer *printer, struct output *out);

/*
 * The rows of @run, which @current is of. @passes has one for each row of the
 * batch: whether it is printed; NULL: all of them.
 */
void column_rows(struct column_printer *printer, struct output *out,
		 const struct pmscope_run *run, struct current *current,
		 const bool *passes);

void column_group(struct column_printer *printer, struct output *out,
		  const struct view *view);

#endif /* PMSCOPE_SCRIPT_COLUMNS_H */
