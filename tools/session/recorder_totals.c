// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Writes the final counts of groups after their last samples. */
#include "open.h"
#include "recorder_priv.h"

#include <errno.h>
#include <string.h>

/* PERF_RECORD_READ, with room for the longest group and trailer */
struct read_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	uint64_t value[PMSCOPE_READ_MAX + 2 +
		       PMSCOPE_TALLY_TRAILER_TIMED / sizeof(uint64_t)];
};

/* No process, so that it is not mistaken for a thread's count. */
#define NO_PROCESS UINT32_MAX

static void put_trailer(const struct pmscope_recorder *rec,
			const struct recorded_event *e, size_t i,
			struct read_record *record)
{
	char *at = (char *)record + record->header.size;

	memcpy(at, &record->pid, 8);
	at += 8;
	if (!rec->tally.untimed) {
		memcpy(at, &rec->tally.stats.last, 8);
		memcpy(at + 8, &(uint64_t){(uint32_t)e->cpu[i]}, 8);
		at += 16;
	}
	memcpy(at, &e->written.id[i], 8);
	record->header.size = at + 8 - (char *)record;
}

/* The file has neither losses nor times of streams. */
static size_t put_stream(struct read_record *record, const uint64_t *value)
{
	size_t at = 0;

	record->value[at++] = value[0];
	for (uint64_t i = 0; i < value[0]; i++) {
		record->value[at++] = value[1 + 3 * i];
		record->value[at++] = value[2 + 3 * i];
	}
	return at * sizeof(*value);
}

/*
 * If it cannot be read, it lost its counters or its CPU, and the count is
 * unknown. If it was never enabled there is nothing to write.
 */
int pmscope_recorder_write_counts(struct pmscope_recorder *rec,
				  const struct recorded_event *e, size_t i,
				  const struct pmscope_seam *seam, bool base)
{
	struct read_record record = {
		.header.type = PERF_RECORD_READ,
		.pid = base ? NO_PROCESS - 1 : NO_PROCESS,
		.tid = e->task[i],
	};
	size_t size = seam->n;
	int ret;

	if (seam->n <= (ssize_t)sizeof(record.value[0]) || !seam->value[1])
		return 0;
	if (e->stream)
		size = put_stream(&record, seam->value);
	else
		memcpy(record.value, seam->value, size);
	record.header.size = offsetof(struct read_record, value) + size;
	put_trailer(rec, e, i, &record);
	ret = pmscope_tally_records(&rec->tally, &record, record.header.size);
	return ret ? ret
		   : pmscope_writer_records(rec->writer, &record,
					    record.header.size);
}

static int write_total(struct pmscope_recorder *rec,
		       const struct recorded_event *e, size_t i)
{
	uint64_t value[PMSCOPE_READ_MAX + 2];
	struct pmscope_seam seam = {.value = value};

	seam.n = pmscope_event_read(e->fd[i], value, sizeof(value));
	return pmscope_recorder_write_counts(rec, e, i, &seam, false);
}

int pmscope_recorder_write_totals(struct pmscope_recorder *rec,
				  struct pmscope_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < rec->nr_events && !ret; i++) {
		const struct recorded_event *e = &rec->event[i];

		if (e->leader != i || e->stream || e->aux ||
		    !e->event->sample_read)
			continue;
		for (size_t j = 0; j < e->nr_fds && !ret; j++)
			ret = write_total(rec, e, j);
	}
	return ret ? pmscope_recorder_write_failed(rec, ret, err) : 0;
}
