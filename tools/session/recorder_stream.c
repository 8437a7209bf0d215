// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "records.h"
#include "event.h"
#include "recorder_priv.h"

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

/* Writes streams of pmu_snapshot to the file, as samples. */

#define NO_THREAD UINT32_MAX

/* A kernel record, as far as samples are made from it */
struct final_record {
	struct pmscope_record head;
	struct pmscope_record_counter counter[PMSCOPE_MEMBERS_MAX];
};

void recorder_stream_attrs(struct recorder *rec)
{
	for (size_t i = 0; i < rec->nr_events; i++) {
		struct perf_event_attr *attr = &rec->event[i].written.attr.attr;

		if (!rec->event[rec->event[i].leader].stream)
			continue;
		attr->sample_type |= PMSCOPE_STREAM_SAMPLE_TYPE;
		attr->read_format = PMSCOPE_STREAM_READ_FORMAT;
	}
}

static const struct recorded_event *event_of_id(const struct recorder *rec,
						uint64_t id)
{
	for (size_t i = 0; i < rec->nr_events; i++)
		for (size_t j = 0; j < rec->event[i].written.nr_ids; j++)
			if (rec->event[i].written.id[j] == id)
				return &rec->event[i];
	return NULL;
}

static int write_sample(struct recorder *rec, const void *data,
			const struct pmscope_record *record)
{
	const struct recorded_event *e = event_of_id(rec, record->id);
	uint64_t sample[(UINT16_MAX + 1) / sizeof(uint64_t)];
	const struct perf_event_attr *attr;
	size_t size;

	if (!e)
		return -EBADMSG;
	attr = &e->written.attr.attr;
	size = stream_sample(data, record, attr->sample_type,
			     attr->freq ? 1 : attr->sample_period,
			     (void *)sample);
	if (!size)
		return -EBADMSG;
	return tally_records(&rec->tally, sample, size)
		       ?: pmscope_writer_records(rec->writer, sample, size);
}

/* Of this recorder's ring, or of the file. */
static int stream_failed(const struct recorder *rec,
			 const struct recorded_ring *r, int ret,
			 struct pmscope_error *err)
{
	if (ret != -EBADMSG && ret != -ENODATA)
		return recorder_write_failed(rec, ret, err);
	return pmscope_fail(err, -ret,
			    "CPU %d: unknown record from pmu_snapshot; use a "
			    "module and a tool of the same version",
			    r->cpu);
}

int recorder_drain_stream(struct recorder *rec, struct recorded_ring *r,
			  struct pmscope_error *err)
{
	struct ring_data data;
	struct pmscope_record record;
	const char *at = rec->stream_bounce;
	size_t left;
	int size, ret = 0;

	if (!ring_peek_aux(&r->ring, &data))
		return 0;
	left = data.size[0] + data.size[1];
	if (left > PMSCOPE_STREAM_AUX_SIZE)
		return pmscope_fail(err, EIO,
				    "CPU %d: %zu bytes in an AUX area of %lu",
				    r->cpu, left, PMSCOPE_STREAM_AUX_SIZE);
	memcpy(rec->stream_bounce, data.part[0], data.size[0]);
	memcpy(rec->stream_bounce + data.size[0], data.part[1], data.size[1]);
	ring_consume_aux(&r->ring, &data);
	rec->moved += left;

	for (; left && !ret; at += size, left -= size) {
		size = pmscope_stream_next(at, left, &record);
		if (size < 0)
			return stream_failed(rec, r, size, err);
		ret = write_sample(rec, at, &record);
	}
	return ret ? stream_failed(rec, r, ret, err) : 0;
}

static bool is_spe_stream(const struct recorded_event *e)
{
	uint64_t config = e->written.attr.attr.config;

	return (config & PMSCOPE_SNAPSHOT_TRIGGER_MASK) == PMSCOPE_SNAPSHOT_SPE;
}

/*
 * If SPE leaves the CPU after the stream, no record covers its last data. The
 * reading at the end covers all tasks, so it has no thread.
 */
static int write_final(struct recorder *rec, int cpu, const uint64_t *value)
{
	struct final_record final = {
		.head.magic = PMSCOPE_RECORD_MAGIC,
		.head.version = PMSCOPE_RECORD_VERSION,
		.head.counters_at = offsetof(struct final_record, counter),
		.head.counter_size = sizeof(final.counter[0]),
		.head.nr_counters = value[0],
		.head.trigger = PMSCOPE_TRIGGER_READ,
		.head.pid = NO_THREAD,
		.head.tid = NO_THREAD,
		.head.cpu = cpu,
		.head.id = value[2],
		.head.time = rec->tally.stats.last,
	};

	for (uint64_t i = 0; i < value[0]; i++)
		final.counter[i] = (struct pmscope_record_counter){
			.flags = PMSCOPE_COUNTER_MEMBER,
			.count = value[1 + 3 * i],
			.id = value[2 + 3 * i],
		};
	final.head.size = offsetof(struct final_record, counter) +
			  value[0] * sizeof(final.counter[0]);
	return write_sample(rec, &final, &final.head);
}

int recorder_end_stream(struct recorder *rec, const struct recorded_event *e,
			size_t i, struct seam *seam, bool final)
{
	const uint64_t *value = seam->value;
	int ret = 0;

	/* The event could not be scheduled on a PMU. */
	if (seam->n <= (ssize_t)(PMSCOPE_LOST_AT * sizeof(*value)))
		return 0;
	if (value[PMSCOPE_LOST_AT] > seam->lost)
		ret = recorder_write_lost(rec, e, i,
					  value[PMSCOPE_LOST_AT] - seam->lost);
	seam->lost = value[PMSCOPE_LOST_AT];
	return ret || !final ? ret : write_final(rec, e->cpu[i], value);
}

static int end_stream(struct recorder *rec, const struct recorded_event *e,
		      size_t i, struct pmscope_error *err)
{
	uint64_t value[PMSCOPE_READ_MAX];
	struct seam seam = {
		.lost = e->seam ? e->seam[i].lost : 0,
		.value = value,
	};
	int ret;

	seam.n = event_read(e->fd[i], value, sizeof(value));
	if (seam.n < 0)
		return pmscope_fail(err, -seam.n,
				    "event '%s': cannot read its losses and "
				    "last counts: %s",
				    e->written.name, strerror(-seam.n));
	ret = recorder_end_stream(rec, e, i, &seam, is_spe_stream(e));
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

int recorder_end_streams(struct recorder *rec, struct pmscope_error *err)
{
	int ret = 0;

	/* If one cannot be read, read the others. */
	for (size_t i = 0; i < rec->nr_events; i++) {
		const struct recorded_event *e = &rec->event[i];

		for (size_t j = 0; e->stream && j < e->nr_fds; j++) {
			int failed = end_stream(rec, e, j, err);

			ret = ret ? ret : failed;
		}
	}
	return ret;
}
