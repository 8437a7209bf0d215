/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a row in CSV, the same in all views. */
#ifndef PMSCOPE_PRINT_ROW_CSV_H
#define PMSCOPE_PRINT_ROW_CSV_H

#include "rows/rows.h"

/* Two fields of CSV: the number of samples and their mean. */
void row_csv_mean(FILE *out, const struct histogram *h);

/* Four fields: the 50th, 90th and 99th percentile and the maximum. */
void row_csv_percentiles(FILE *out, const struct histogram *h);

/* Two fields, the last without a comma: events and sources. */
void row_csv_parts(FILE *out, const struct row_table *table,
		   const struct row_parts *parts);

#endif /* PMSCOPE_PRINT_ROW_CSV_H */
