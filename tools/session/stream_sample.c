// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "records.h"

#include <pmscope/stream.h>

/* Fields before the group, and around the raw data. */
#define FRONT_MAX 128

static void put(char **at, uint64_t value)
{
	memcpy(*at, &value, sizeof(value));
	*at += sizeof(value);
}

static void put_pair(char **at, uint32_t low, uint32_t high)
{
	put(at, low | (uint64_t)high << 32);
}

/* In the order of perf_event_open(2), those a recording may have. */
static void put_front(char **at, const struct pmscope_record *r,
		      uint64_t sample_type, uint64_t period)
{
	put(at, r->id);
	put(at, 0); /* IP: not recorded */
	put_pair(at, r->pid, r->tid);
	if (sample_type & PERF_SAMPLE_TIME)
		put(at, r->time);
	if (sample_type & PERF_SAMPLE_CPU)
		put_pair(at, r->cpu, 0);
	put(at, period);
}

static void put_group(char **at, const void *data,
		      const struct pmscope_record *r)
{
	struct pmscope_record_counter counter;
	char *nr_at = *at;
	uint64_t nr = 0;

	put(at, 0);
	for (unsigned int i = 0; i < r->nr_counters; i++) {
		pmscope_stream_counter(data, r, i, &counter);
		if (!(counter.flags & PMSCOPE_COUNTER_MEMBER))
			continue;
		put(at, counter.count);
		put(at, counter.id);
		nr++;
	}
	put(&nr_at, nr);
}

/* A 32-bit size, then the bytes; together they fill whole words. */
static void put_raw(char **at, const void *data, uint32_t size)
{
	uint32_t all = size + sizeof(uint32_t), zero = 0;

	memcpy(*at, &all, sizeof(all));
	memcpy(*at + sizeof(all), data, size);
	memcpy(*at + sizeof(all) + size, &zero, sizeof(zero));
	*at += sizeof(all) + size + sizeof(zero);
}

size_t stream_sample(const void *data, const struct pmscope_record *record,
		     uint64_t sample_type, uint64_t period,
		     struct perf_event_header *sample)
{
	char *at = (char *)(sample + 1);

	if (FRONT_MAX + record->nr_counters * 16ULL + record->size > UINT16_MAX)
		return 0;
	put_front(&at, record, sample_type, period);
	put_group(&at, data, record);
	put_raw(&at, data, record->size);
	*sample = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_CPUMODE_UNKNOWN,
		.size = at - (char *)sample,
	};
	return sample->size;
}
