// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/trace.h"

#include <math.h>

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
