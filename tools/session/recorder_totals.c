// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * What is written when a recording ends: the counts of groups after their last
 * samples, and records lost because a ring was full. The kernel reports those
 * before the next record that fits; after the last one it only counts them.
 */
#include "event.h"
#include "recorder_priv.h"

static bool is_full(int code)
{
	return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

int recorder_write_failed(const struct recorder *rec, int ret,
			  struct pmscope_error *err)
{
	const char *why = pmscope_writer_error(rec->writer);

	if (rec->other && *pmscope_writer_error(rec->other))
		why = pmscope_writer_error(rec->other);
	return pmscope_fail(
		err, -ret, "%s: %s%s", rec->path, *why ? why : strerror(-ret),
		is_full(-ret)
			? "; the recording ends here, and the file is read "
			  "up to here. Free space, or limit it with "
			  "--max-size, or with --switch-output and "
			  "--switch-max-files"
			: "");
}

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

static void put_trailer(const struct recorder *rec,
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
int recorder_write_counts(struct recorder *rec, const struct recorded_event *e,
			  size_t i, const struct seam *seam, bool base)
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
	ret = tally_records(&rec->tally, &record, record.header.size);
	return ret ? ret
		   : pmscope_writer_records(rec->writer, &record,
					    record.header.size);
}

static int write_total(struct recorder *rec, const struct recorded_event *e,
		       size_t i)
{
	uint64_t value[PMSCOPE_READ_MAX + 2];
	struct seam seam = {.value = value};

	seam.n = event_read(e->fd[i], value, sizeof(value));
	return recorder_write_counts(rec, e, i, &seam, false);
}

int recorder_write_totals(struct recorder *rec, struct pmscope_error *err)
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
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

/* A PERF_RECORD_LOST_SAMPLES, with room for the longest trailer */
struct lost_record {
	struct perf_event_header header;
	uint64_t lost;
	uint64_t trailer[PMSCOPE_TALLY_TRAILER_TIMED / sizeof(uint64_t)];
};

int recorder_write_lost(struct recorder *rec, const struct recorded_event *e,
			size_t i, uint64_t lost)
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
	ret = tally_records(&rec->tally, &record, record.header.size);
	return ret ? ret
		   : pmscope_writer_records(rec->writer, &record,
					    record.header.size);
}

/* Losses of all members of its group; 0 if unknown. */
static uint64_t read_lost(const struct recorded_event *e, size_t i)
{
	uint64_t format = e->written.attr.attr.read_format;
	uint64_t value[PMSCOPE_READ_MAX], lost = 0;
	ssize_t n = event_read(e->fd[i], value, sizeof(value));
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
static int end_event(struct recorder *rec, const struct recorded_event *e,
		     uint64_t *told)
{
	int ret = 0;

	for (size_t i = 0; i < e->nr_fds && !ret; i++) {
		uint64_t lost = read_lost(e, i);
		uint64_t known = MIN(lost, *told);

		*told -= known;
		if (lost > known)
			ret = recorder_write_lost(rec, e, i, lost - known);
	}
	return ret;
}

/* Streams have separate rings and report their own losses. */
int recorder_end_lost(struct recorder *rec, struct pmscope_error *err)
{
	uint64_t told = rec->tally.stats.lost;
	int ret = 0;

	for (size_t i = 0; i < rec->nr_events && !ret; i++) {
		const struct recorded_event *e = &rec->event[i];

		if (e->leader == i && !e->stream)
			ret = end_event(rec, e, &told);
	}
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}
