// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of a pmu_snapshot stream, and the samples made of them. */
#include "fuzz.h"

#include "session/records.h"
#include <pmscope/stream.h>

static void one_record(const uint8_t *data, const struct pmscope_record *record)
{
	static uint64_t sample[65536 / sizeof(uint64_t)];
	struct pmscope_record_counter counter;

	for (unsigned int i = 0; i < record->nr_counters; i++)
		pmscope_stream_counter(data, record, i, &counter);
	ALWAYS(stream_sample(data, record, PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
			     1000, (struct perf_event_header *)sample) <=
	       sizeof(sample));
}

static void all_records(const uint8_t *data, size_t size)
{
	struct pmscope_record record;
	size_t at = 0;
	int n;

	while ((n = pmscope_stream_next(data + at, size - at, &record)) > 0) {
		ALWAYS((size_t)n <= size - at);
		one_record(data + at, &record);
		at += n;
	}
	ALWAYS(n == -ENODATA || n == -EBADMSG || at == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t first;

	all_records(data, size);
	first = pmscope_stream_sync(data, size);
	ALWAYS(first <= size);
	all_records(data + first, size - first);
	return 0;
}
