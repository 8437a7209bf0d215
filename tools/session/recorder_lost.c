// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * Records lost because a ring was full. The kernel reports them before the next
 * record that fits; after the last one it only counts them.
 */
#include "open.h"
#include "recorder_priv.h"

#include <errno.h>
#include <string.h>

/* A PERF_RECORD_LOST_SAMPLES, with room for the longest trailer */
struct lost_record {
	struct perf_event_header header;
	uint64_t lost;
	uint64_t trailer[PMSCOPE_TALLY_TRAILER_TIMED / sizeof(uint64_t)];
};

int pmscope_recorder_write_lost(struct pmscope_recorder *rec,
				const struct recorded_event *e, size_t i,
				uint64_t lost)
{
	size_t trailer = rec->tally.untimed ? PMSCOPE_TALLY_TRAILER_UNTIMED
					    : PMSCOPE_TALLY_TRAILER_TIMED;
	size_t words = trailer / sizeof(uint64_t);
	struct lost_record record = {
		.header.type = PERF_RECORD_LOST_SAMPLES,
		.header.size = offsetof(struct lost_record, trailer) + trailer,
		.lost = lost,
	};
	int ret;

	/* Without a time, it is written as 0; the CPU is half a word. */
	record.trailer[words - 1] = e->written.id[i];
	if (!rec->tally.untimed)
		memcpy(&record.trailer[words - 2], &e->cpu[i],
		       sizeof(e->cpu[i]));
	ret = pmscope_tally_records(&rec->tally, &record, record.header.size);
	return ret ? ret
		   : pmscope_writer_records(rec->writer, &record,
					    record.header.size);
}

/* Losses of all members of its group; 0 if unknown. */
static uint64_t read_lost(const struct recorded_event *e, size_t i)
{
	uint64_t format = e->written.attr.attr.read_format;
	uint64_t value[PMSCOPE_READ_MAX], lost = 0;
	ssize_t n = pmscope_event_read(e->fd[i], value, sizeof(value));
	size_t at = PMSCOPE_LOST_AT;

	/* Without a group there is no nr. */
	if (!(format & PERF_FORMAT_GROUP))
		at--;
	if (format & PMSCOPE_READ_TIMES)
		at += 2;
	for (; n > 0 && at < n / sizeof(*value); at += 3)
		lost += value[at];
	return lost;
}

/* *@told: lost records that the file already reports. */
static int end_event(struct pmscope_recorder *rec,
		     const struct recorded_event *e, uint64_t *told)
{
	int ret = 0;

	for (size_t i = 0; i < e->nr_fds && !ret; i++) {
		uint64_t lost = read_lost(e, i);
		uint64_t known = lost < *told ? lost : *told;

		*told -= known;
		if (lost > known)
			ret = pmscope_recorder_write_lost(rec, e, i,
							  lost - known);
	}
	return ret;
}

/* Streams have separate rings and report their own losses. */
int pmscope_recorder_end_lost(struct pmscope_recorder *rec,
			      struct pmscope_error *err)
{
	uint64_t told = rec->tally.stats.lost;
	int ret = 0;

	for (size_t i = 0; i < rec->nr_events && !ret; i++) {
		const struct recorded_event *e = &rec->event[i];

		if (e->leader == i && !e->stream)
			ret = end_event(rec, e, &told);
	}
	return ret ? pmscope_recorder_write_failed(rec, ret, err) : 0;
}
