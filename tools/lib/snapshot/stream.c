// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include <pmscope/stream.h>

#include "base/std.h"

/* Common to all versions: everything up to the number of counters. */
#define FIXED_SIZE \
	(offsetof(struct pmscope_record, nr_counters) + sizeof(uint16_t))

/* The same of a counter; so there are never many more counters than bytes. */
#define COUNTER_MIN offsetof(struct pmscope_record_counter, type)

static bool is_record(const struct pmscope_record *r)
{
	return r->magic == PMSCOPE_RECORD_MAGIC && r->size % 8 == 0 &&
	       r->size <= INT_MAX && r->counters_at >= FIXED_SIZE &&
	       (r->counter_size >= COUNTER_MIN || !r->nr_counters) &&
	       r->counters_at + (uint64_t)r->nr_counters * r->counter_size <=
		       r->size;
}

int pmscope_stream_next(const void *data, size_t size,
			struct pmscope_record *record)
{
	if (!size)
		return 0;
	if (size < FIXED_SIZE)
		return -ENODATA;
	memset(record, 0, sizeof(*record));
	memcpy(record, data, FIXED_SIZE);
	if (!is_record(record))
		return -EBADMSG;
	if (record->size > size)
		return -ENODATA;
	memcpy(record, data, MIN(record->counters_at, sizeof(*record)));
	return record->size;
}

void pmscope_stream_counter(const void *data,
			    const struct pmscope_record *record,
			    unsigned int index,
			    struct pmscope_record_counter *counter)
{
	const char *at = (const char *)data + record->counters_at +
			 (size_t)index * record->counter_size;

	memset(counter, 0, sizeof(*counter));
	if (index >= record->nr_counters)
		return;
	memcpy(counter, at, MIN(record->counter_size, sizeof(*counter)));
}

size_t pmscope_stream_sync(const void *data, size_t size)
{
	struct pmscope_record record;
	size_t at;

	for (at = 0; at < size; at += 8)
		if (pmscope_stream_next((const char *)data + at, size - at,
					&record) > 0)
			return at;
	return size;
}
