// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Samples with PERF_SAMPLE_CALLCHAIN: addresses of code, the newest first. */
#include "recording.h"

/* Fields of a sample before its chain, 8 bytes each. */
#define BEFORE_CHAIN                                                 \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |      \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* PERF_CONTEXT_MAX and above are no addresses. */
#define CONTEXTS ((uint64_t)PERF_CONTEXT_MAX)

/* Values of other formats are of a kind that has groups. */
static size_t words_of_read(const struct perf_event_attr *attr)
{
	uint64_t format = attr->read_format;

	if (!(attr->sample_type & PERF_SAMPLE_READ))
		return 0;
	return 1 + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING) +
	       !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

bool chain_is(const struct pmscope_recording *rec,
	      const struct pmscope_perf_event *event)
{
	return event->type == PERF_RECORD_SAMPLE && event->attr >= 0 &&
	       !group_is(rec, event) &&
	       pmscope_perfdata_attr(rec->reader, event->attr)
			       ->attr.sample_type &
		       PERF_SAMPLE_CALLCHAIN;
}

bool tick_is(const struct pmscope_recording *rec,
	     const struct pmscope_perf_event *event)
{
	return event->type == PERF_RECORD_SAMPLE && event->attr >= 0 &&
	       !group_is(rec, event) && !chain_is(rec, event) &&
	       tick_has_address(rec, event);
}

int tick_read(struct pmscope_recording *rec,
	      const struct pmscope_perf_event *event,
	      struct pmscope_sample *sample)
{
	*sample = sample_of_event(event, PMSCOPE_SAMPLE_CHAIN);
	tick_tell(rec, event, sample);
	rec->tick = sample->ip;
	sample->chain = &rec->tick;
	sample->nr_chain = 1;
	return sample->ip != 0;
}

static int chain_fill(struct pmscope_recording *rec, const uint8_t *data,
		      uint64_t nr)
{
	uint64_t *chain = rec->chain;
	size_t used = 0;

	if (nr > rec->max_chain) {
		chain = realloc(rec->chain, nr * sizeof(*chain));
		if (!chain)
			return -ENOMEM;
		rec->chain = chain;
		rec->max_chain = nr;
	}
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t address = get64(data + 8 * i);

		if (address < CONTEXTS)
			chain[used++] = address;
	}
	return used;
}

int chain_read(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event,
	       struct pmscope_sample *sample)
{
	const struct perf_event_attr *attr =
		&pmscope_perfdata_attr(rec->reader, event->attr)->attr;
	size_t before = __builtin_popcountll(attr->sample_type & BEFORE_CHAIN) +
			words_of_read(attr);
	size_t words = event->size / 8;
	uint64_t nr;
	int used;

	if (words <= before)
		return 0;
	nr = get64(event->body + 8 * before);
	if (nr > words - before - 1)
		return 0;
	used = chain_fill(rec, event->body + 8 * (before + 1), nr);
	if (used < 0)
		return used;
	*sample = sample_of_event(event, PMSCOPE_SAMPLE_CHAIN);
	sample->chain = rec->chain;
	sample->nr_chain = used;
	tick_tell(rec, event, sample);
	return 1;
}
