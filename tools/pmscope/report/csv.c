// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows as comma-separated values under a header line (RFC 4180). */
#include "print/csv.h"
#include "print/losses.h"
#include "print/row_csv.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>

static void print_header(const struct row_table *r, bool totals)
{
	for (size_t i = 0; i < r->nr_keys; i++)
		printf("%s,", field_heading(r->keys[i]));
	printf("samples,share,lat_samples,lat_mean,lat_p50,lat_p90,lat_p99,"
	       "lat_max,issue_samples,issue_mean,xlat_samples,xlat_mean,"
	       "events,sources%s%s\n",
	       r->with_histogram ? ",histogram" : "",
	       totals ? ",operations,error95" : "");
}

static void print_latencies(const struct row *row)
{
	const struct histogram *h = &row->total;

	row_csv_mean(stdout, h);
	row_csv_percentiles(stdout, h);
	row_csv_mean(stdout, &row->issue);
	row_csv_mean(stdout, &row->translate);
}

/* The smallest value, and how many there are up to twice that. */
static void print_histogram(const struct histogram *h)
{
	uint64_t counts[HISTOGRAM_POWERS];
	const char *separator = "";

	histogram_powers(h, counts);
	putchar(',');
	for (int i = 0; i < HISTOGRAM_POWERS; i++) {
		if (!counts[i])
			continue;
		printf("%s%u=%" PRIu64, separator, i ? 1U << (i - 1) : 0,
		       counts[i]);
		separator = "|";
	}
}

static void print_operations(const struct row_totals *totals,
			     const struct row *row)
{
	struct row_operations of_row = row_operations(totals, row);

	if (totals->all.each)
		printf(",%.0f,%.0f", of_row.count, of_row.error);
}

static void print_row(const struct report_output *out, const struct row *row,
		      const struct row_parts *parts)
{
	const struct row_table *r = out->report;
	char buf[32];

	for (size_t i = 0; i < r->nr_keys; i++) {
		csv_string(stdout, row_value(r, row, i, buf, sizeof(buf)));
		putchar(',');
	}
	printf("%" PRIu64 ",%.6f,", row->samples, row_share(r, row));
	print_latencies(row);
	row_csv_parts(stdout, r, parts);
	if (r->with_histogram)
		print_histogram(&row->total);
	print_operations(&out->totals, row);
	putchar('\n');
}

int report_print_csv(const struct report_output *out)
{
	losses_print(out->load, stderr, "pmscope: ");
	print_header(out->report, out->totals.all.each);
	return report_print_rows(out, print_row);
}
