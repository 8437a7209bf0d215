/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of pmscope report. */
#pragma once

#include "print/format.h"
#include "rows/cachelines.h"
#include "rows/rows.h"

/* The count of one event, and the number of its readings. */
struct report_rate {
	const char *name;
	uint64_t snapshots;
	struct reading since;
};

/* Everything a printer needs. */
struct report_output {
	const struct row_table *report;
	const struct load *load;
	struct row_totals totals;
	const struct report_rate *rates;
	size_t nr_rates;
	size_t nr_rows;	    /* to print */
	const char *cut_by; /* the option that says so; NULL: all rows */
	bool quiet;	    /* text: only the rows */
	bool verbose;	    /* text: all files without symbols */
};

/* Which part of the time an event was counted, if not all. */
void report_put_share(FILE *out, const struct reading *since);

/* Files without symbols, as text. Returns 0 or -ENOMEM. */
int report_print_nameless(const struct report_output *out);

/* rows.c: the rows to print. Returns 0 or -ENOMEM, and so do the next. */
int report_print_rows(const struct report_output *out,
		      enum print_format format);
int report_print_rates(const struct report_output *out,
		       enum print_format format);

int report_print_text(const struct report_output *out);
int report_print_jsonl(const struct report_output *out);
int report_print_csv(const struct report_output *out);

/* The view --cachelines. Returns the exit status. @limit: 0: some, or all. */
int report_lines(struct load *load, const struct lines_config *config,
		 int format, unsigned int limit);
