// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Samples with PERF_SAMPLE_CALLCHAIN: addresses of code, the newest first. */
#include "recording.h"
#include "base/names.h"

#include <pmscope/stream.h>

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

/* Samples with PERF_SAMPLE_CGROUP: see machine.h. */

/* Fields of a sample behind its control group, 8 bytes each. */
#define BEHIND_CGROUP (PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

bool cgroup_read(const struct pmscope_recording *rec,
		 const struct pmscope_perf_event *event, uint64_t *id)
{
	uint64_t type;
	size_t behind;

	if (event->type != PERF_RECORD_SAMPLE || event->attr < 0 ||
	    !(event->id.has & PERF_SAMPLE_TID))
		return false;
	type = pmscope_perfdata_attr(rec->reader, event->attr)
		       ->attr.sample_type;
	/* The length of AUX data, which comes last, is not known. */
	if (!(type & PERF_SAMPLE_CGROUP) || type & PERF_SAMPLE_AUX)
		return false;
	behind = 8 * __builtin_popcountll(type & BEHIND_CGROUP);
	if (event->size < behind + 8)
		return false;
	*id = get64(event->body + event->size - behind - 8);
	return true;
}

int cgroups_foresee(struct pmscope_recording *rec)
{
	struct pmscope_perf_event event;
	uint64_t id;
	int ret = 0;

	for (size_t i = 0; rec->has_cgroups && i < rec->nr_sides && !ret; i++) {
		record_read(rec->reader, rec->sides[i].record, &event);
		if (cgroup_read(rec, &event, &id))
			ret = cgroup_foresee(&rec->machine, event.id.tid, id);
	}
	return ret;
}

/*
 * Samples of `:S` groups: PERF_SAMPLE_READ with PERF_FORMAT_GROUP holds the
 * values of all counters of the group. Samples made from the records of a
 * pmu_snapshot stream also contain the record, as raw data.
 */

/* Fields of a sample before the read values, 8 bytes each. */
#define BEFORE_READ                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |      \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* No process either: counts at the beginning of a file of --switch-output */
#define BASE_PROCESS (PMSCOPE_NO_ID - 1)

struct words {
	const uint8_t *data;
	size_t left; /* words of 8 bytes */
};

static bool take_word(struct words *w, uint64_t *value)
{
	if (!w->left)
		return false;
	*value = get64(w->data);
	w->data += 8;
	w->left--;
	return true;
}

static int counts_reserve(struct pmscope_recording *rec, uint64_t nr)
{
	struct pmscope_count *counts;

	if (nr <= rec->max_counts)
		return 0;
	counts = realloc(rec->counts, nr * sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	rec->counts = counts;
	rec->max_counts = nr;
	return 0;
}

/* Checks the name, too: not every recording has the PMU types. */
static bool is_snapshot_event(const struct pmscope_recording *rec,
			      const struct pmscope_perf_attr *attr)
{
	if (rec->has_snapshot_type && attr->attr.type == rec->snapshot_type)
		return true;
	return attr->name &&
	       !strncmp(attr->name, SNAPSHOT_PMU "/", sizeof(SNAPSHOT_PMU));
}

static void count_fill(struct pmscope_recording *rec, struct words *w,
		       uint64_t format, struct pmscope_count *count,
		       struct pmscope_sample *sample)
{
	const struct pmscope_perf_attr *attr;
	uint64_t lost;

	*count = (struct pmscope_count){.attr = -1};
	take_word(w, &count->value);
	if (format & PERF_FORMAT_ID && take_word(w, &count->id))
		count->attr =
			pmscope_perfdata_attr_of_id(rec->reader, count->id);
	if (format & PERF_FORMAT_LOST)
		take_word(w, &lost);
	if (count->attr < 0)
		return;
	attr = pmscope_perfdata_attr(rec->reader, count->attr);
	count->name = attr->name;
	count->is_snapshot = is_snapshot_event(rec, attr);
	sample->is_snapshot |= count->is_snapshot;
}

static int read_values(struct pmscope_recording *rec, struct words *w,
		       uint64_t format, struct pmscope_sample *sample)
{
	size_t width =
		1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint64_t nr;

	if (!take_word(w, &nr))
		return 0;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		take_word(w, &sample->time_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		take_word(w, &sample->time_running);
	if (!nr || nr > w->left / width)
		return 0;
	if (counts_reserve(rec, nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		count_fill(rec, w, format, &rec->counts[i], sample);
	sample->counts = rec->counts;
	sample->nr_counts = nr;
	return 1;
}

static bool pass_callchain(struct words *w)
{
	uint64_t nr;

	if (!take_word(w, &nr) || nr > w->left)
		return false;
	w->data += 8 * nr;
	w->left -= nr;
	return true;
}

/* Parses the raw data (its size, then the data) if it is a stream record. */
static void read_record(struct words *w, uint64_t type,
			struct pmscope_sample *sample)
{
	struct pmscope_record record;
	uint32_t size;
	int n;

	if (!(type & PERF_SAMPLE_RAW) ||
	    (type & PERF_SAMPLE_CALLCHAIN && !pass_callchain(w)) || !w->left)
		return;
	size = get32(w->data);
	if (size > 8 * w->left - sizeof(size))
		return;
	n = pmscope_stream_next(w->data + sizeof(size), size, &record);
	if (n <= 0)
		return;
	sample->is_snapshot = true;
	sample->record = w->data + sizeof(size);
	sample->record_size = n;
}

bool group_is(const struct pmscope_recording *rec,
	      const struct pmscope_perf_event *event)
{
	const struct perf_event_attr *attr;

	if (event->attr < 0)
		return false;
	attr = &pmscope_perfdata_attr(rec->reader, event->attr)->attr;
	return attr->sample_type & PERF_SAMPLE_READ &&
	       attr->read_format & PERF_FORMAT_GROUP;
}

bool group_is_total(const struct pmscope_recording *rec,
		    const struct pmscope_perf_event *event)
{
	return event->type == PERF_RECORD_READ && event->size >= 8 &&
	       get32(event->body) >= BASE_PROCESS && group_is(rec, event);
}

static const struct perf_event_attr *
attr_of(const struct pmscope_recording *rec,
	const struct pmscope_perf_event *event)
{
	return &pmscope_perfdata_attr(rec->reader, event->attr)->attr;
}

bool tick_has_address(const struct pmscope_recording *rec,
		      const struct pmscope_perf_event *event)
{
	const struct perf_event_attr *attr = attr_of(rec, event);

	return attr_is_clock(attr) && attr->sample_type & PERF_SAMPLE_IP;
}

void tick_tell(const struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event,
	       struct pmscope_sample *sample)
{
	const struct perf_event_attr *attr = attr_of(rec, event);
	size_t at = attr->sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;

	if (event->type != PERF_RECORD_SAMPLE)
		return;
	sample->is_clock = attr_is_clock(attr);
	if (attr->sample_type & PERF_SAMPLE_IP && event->size >= at + 8)
		sample->ip = get64(event->body + at);
}

int group_read(struct pmscope_recording *rec,
	       const struct pmscope_perf_event *event,
	       struct pmscope_sample *sample)
{
	const struct pmscope_perf_attr *attr;
	struct words w = {event->body, event->size / 8};
	uint64_t type;
	size_t before;
	int ret;

	if (!group_is(rec, event))
		return 0;
	attr = pmscope_perfdata_attr(rec->reader, event->attr);
	type = attr->attr.sample_type;
	/* PERF_RECORD_READ has only the pid and tid before the values. */
	before = event->type == PERF_RECORD_READ
			 ? 1
			 : __builtin_popcountll(type & BEFORE_READ);
	if (before > w.left)
		return 0;
	w.data += 8 * before;
	w.left -= before;
	*sample = sample_of_event(event, PMSCOPE_SAMPLE_GROUP);
	sample->is_total = event->type == PERF_RECORD_READ;
	sample->is_base =
		sample->is_total && get32(event->body) == BASE_PROCESS;
	tick_tell(rec, event, sample);
	ret = read_values(rec, &w, attr->attr.read_format, sample);
	if (ret > 0 && !sample->is_total)
		read_record(&w, type, sample);
	return ret;
}
