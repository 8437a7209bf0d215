// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Writes the allocations of programs into the file: base/record.h. */
#include "base/record.h"
#include "recorder_priv.h"

/* The words of struct perf_event_header and hw_id, and of the trailer */
#define BEFORE 2
#define BEHIND 4

/* Any ring will do: the clock conversion is the same in all of them. */
bool recorder_time_conv(const struct recorder *rec,
			struct pmscope_time_conv *conv)
{
	size_t i = 0;

	while (i + 1 < rec->nr_rings && !rec->ring[i].ring.page)
		i++;
	return rec->ring[i].ring.page &&
	       ring_time_conv(&rec->ring[i].ring, conv);
}

/* Its time is that of the first entry, and its event that of mappings. */
static int write_record(void *context, const uint64_t *words, size_t nr,
			uint64_t ticks)
{
	struct recorder *rec = context;
	const struct recorded_event *e = &rec->event[rec->nr_events - 1];
	uint64_t record[BEFORE + HEAP_RECORD_WORDS + BEHIND] = {};
	const struct perf_event_header header = {
		.type = PERF_RECORD_AUX_OUTPUT_HW_ID,
		.size = (BEFORE + nr + BEHIND) * sizeof(*record),
	};
	struct pmscope_time_conv conv;
	uint64_t *behind = record + BEFORE + nr;

	memcpy(record, &header, sizeof(header));
	record[1] = HEAP_RECORD_ID;
	memcpy(record + BEFORE, words, nr * sizeof(*words));
	behind[0] = words[0];
	behind[1] = rec->tally.stats.last;
	if (ticks && recorder_time_conv(rec, &conv))
		behind[1] = time_of_ticks(&conv, ticks);
	behind[BEHIND - 1] = e->written.id[0];
	rec->moved += header.size;
	return pmscope_writer_records(rec->writer, record, header.size);
}

int recorder_drain_heap(struct recorder *rec, struct pmscope_error *err)
{
	int ret = heap_drain(rec->rules.heap, write_record, rec);

	return ret ? recorder_write_failed(rec, ret, err) : 0;
}
