// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/rows.h"

int row_queues_reserve(struct row_table *table)
{
	struct row_queues *queues = &table->queues;
	uint64_t(*samples)[ROW_QUEUE];
	size_t max = table->row_of_hash.max < ROW_QUEUES
			     ? table->row_of_hash.max
			     : ROW_QUEUES;
	uint8_t *nr;

	if (queues->max >= table->nr_rows || queues->max == ROW_QUEUES)
		return 0;
	samples = realloc(queues->samples, max * sizeof(*samples));
	if (samples)
		queues->samples = samples;
	nr = realloc(queues->nr, max);
	if (nr)
		queues->nr = nr;
	if (!samples || !nr)
		return -ENOMEM;
	memset(nr + queues->max, 0, max - queues->max);
	queues->max = max;
	return 0;
}

static int queued_add(struct row_table *table, struct row *row, uint64_t queued)
{
	unsigned int kind = queued >> QUEUED_KIND & (MAX_KINDS - 1);
	int ret = histogram_add(&row->kinds, kind);

	ret |= row_waits_add(&row->waits, table->needs, queued >> QUEUED_CAUSE,
			     (uint16_t)queued,
			     (uint16_t)(queued >> QUEUED_ISSUE),
			     (uint16_t)(queued >> QUEUED_TRANSLATE));
	if (queued & QUEUED_HAS_TOTAL)
		ret |= histogram_add(&row->total, queued);
	if (queued & QUEUED_HAS_ISSUE && queued & QUEUED_HAS_TOTAL)
		row_own_add(&table->own, queued, queued >> QUEUED_ISSUE);
	if (queued & QUEUED_HAS_ISSUE)
		ret |= histogram_add(&row->issue, queued >> QUEUED_ISSUE);
	if (queued & QUEUED_HAS_TRANSLATE)
		ret |= histogram_add(&row->translate,
				     queued >> QUEUED_TRANSLATE);
	return ret;
}

int row_queue_flush(struct row_table *table, size_t row)
{
	const uint64_t *samples = table->queues.samples[row];
	unsigned int nr = table->queues.nr[row];
	int ret = 0;

	table->queues.nr[row] = 0;
	for (unsigned int i = 0; i < nr && !ret; i++)
		ret = queued_add(table, &table->rows[row], samples[i]);
	return ret;
}

int row_queues_flush(struct row_table *table)
{
	int ret = 0;

	for (size_t i = 0; i < table->queues.max && !ret; i++)
		ret = row_queue_flush(table, i);
	row_queues_fini(&table->queues);
	return ret;
}

void row_queues_fini(struct row_queues *queues)
{
	free(queues->samples);
	free(queues->nr);
	*queues = (struct row_queues){};
}
