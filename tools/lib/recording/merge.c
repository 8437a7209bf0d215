// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The queues in the order of their next rows. Of rows with one time, or none,
 * the order is that of the file.
 */
#include "recording.h"

#include <errno.h>

/* The next row of a queue, if it has one. */
static int enter(struct pmscope_recording *rec, size_t number)
{
	struct queue *q = &rec->queues[number];
	int ret = queue_fill(rec, q);

	if (ret > 0)
		tournament_enter(&rec->merge, number, q->due);
	else if (!ret)
		tournament_leave(&rec->merge, number);
	return ret < 0 ? ret : 0;
}

int merge_begin(struct pmscope_recording *rec)
{
	int ret = 0;

	if (!rec->merge.key && !tournament_init(&rec->merge, rec->nr_queues))
		return -ENOMEM;
	for (size_t i = 0; i < rec->nr_queues && !ret; i++)
		ret = enter(rec, i);
	return ret;
}

struct queue *merge_first(const struct pmscope_recording *rec)
{
	return tournament_is_over(&rec->merge)
		       ? NULL
		       : &rec->queues[tournament_first(&rec->merge).number];
}

int merge_advance(struct pmscope_recording *rec)
{
	return enter(rec, tournament_first(&rec->merge).number);
}
