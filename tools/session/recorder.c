// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Moves data from the kernel into the file. */
#include "base/clock.h"
#include "records.h"
#include "event.h"
#include "perfdata/writer.h"
#include "recorder_priv.h"

/* How long to wait for trace that an AUX record announced: one second */
#define SEAL_WAITS   10000
#define SEAL_WAIT_US 100

/* How long data may wait while heads and ends of files are written */
#define KEEP_UP_NS 10000000

/* Rows that samples are counted in, some at a time */
#define COUNT_ROWS 256

static int ioctl_leader(const struct recorder *rec, size_t i,
			unsigned long request, struct pmscope_error *err)
{
	const struct recorded_event *e = &rec->event[i];
	int ret = 0;

	for (size_t j = 0; e->leader == i && j < e->nr_fds && !ret; j++)
		ret = event_ioctl(e->event, e->fd[j], request,
				  PERF_IOC_FLAG_GROUP, err);
	return ret;
}

/*
 * The tracking event comes last, and must not miss what the others see. Streams
 * come after SPE, so that they have a record of all its data.
 */
int recorder_enable(struct recorder *rec, struct pmscope_error *err)
{
	int ret = 0;

	rec->enabled = true;
	for (size_t i = rec->nr_events; i-- > 0 && !ret;)
		ret = ioctl_leader(rec, i, PERF_EVENT_IOC_ENABLE, err);
	return ret;
}

/* What a full buffer disabled must not be enabled again. */
static void switch_traces(struct recorder *rec,
			  const struct listed_event *event, bool on)
{
	for (size_t i = 0; i < rec->nr_rings; i++)
		for (size_t j = 0; j < rec->ring[i].nr_traces; j++)
			if (rec->ring[i].trace[j].event == event)
				rec->ring[i].trace[j].off = !on;
}

static int switch_event(struct recorder *rec, const struct recorded_event *e,
			bool on, struct pmscope_error *err)
{
	int ret = 0;

	switch_traces(rec, e->event, on);
	for (size_t i = 0; i < e->nr_fds && !ret; i++)
		ret = event_ioctl(e->event, e->fd[i],
				  on ? PERF_EVENT_IOC_ENABLE
				     : PERF_EVENT_IOC_DISABLE,
				  0, err);
	return ret;
}

int recorder_switch_events(struct recorder *rec, const char *name, bool on,
			   struct pmscope_error *err)
{
	bool found = !name;
	int ret = 0;

	/* The last event is the tracking event. */
	for (size_t i = 0; i + 1 < rec->nr_events && !ret; i++) {
		const struct recorded_event *e = &rec->event[i];

		if (name ? strcmp(name, e->event->name) != 0 : e->leader != i)
			continue;
		found = true;
		ret = switch_event(rec, e, on, err);
	}
	if (!name)
		rec->enabled = on;
	if (found)
		return ret;
	return pmscope_fail(err, ENOENT, "no event '%s' is recorded", name);
}

int recorder_track(struct recorder *rec, struct pmscope_error *err)
{
	return ioctl_leader(rec, rec->nr_events - 1, PERF_EVENT_IOC_ENABLE,
			    err);
}

int recorder_disable(struct recorder *rec, struct pmscope_error *err)
{
	int ret = 0;

	rec->ending = true;
	for (size_t i = 0; i < rec->nr_events && !ret; i++)
		ret = ioctl_leader(rec, i, PERF_EVENT_IOC_DISABLE, err);
	return ret;
}

size_t recorder_nr_fds(const struct recorder *rec)
{
	return rec->nr_rings;
}

void recorder_fill_fds(const struct recorder *rec, struct pollfd *fds)
{
	for (size_t i = 0; i < rec->nr_rings; i++) {
		fds[i].fd = rec->ring[i].ring.fd;
		fds[i].events = POLLIN;
	}
}

void recorder_drop_ended(struct pollfd *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (fds[i].revents & (POLLHUP | POLLERR))
			fds[i].fd = -1;
}

/* An event reports POLLHUP when its task and all that inherited it ended. */
bool recorder_has_ended(const struct recorder *rec)
{
	const struct recorded_event *tracking = &rec->event[rec->nr_events - 1];

	for (size_t i = 0; i < tracking->nr_fds; i++) {
		struct pollfd fd = {.fd = tracking->fd[i]};

		if (poll(&fd, 1, 0) <= 0)
			return false;
	}
	return true;
}

static bool is_running_record(uint32_t type)
{
	return type == PERF_RECORD_SWITCH ||
	       type == PERF_RECORD_SWITCH_CPU_WIDE ||
	       type == PERF_RECORD_ITRACE_START;
}

/* Names and mappings, which the new file needs, too. */
static bool is_track(uint32_t type)
{
	return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 ||
	       type == PERF_RECORD_COMM || type == PERF_RECORD_FORK ||
	       type == PERF_RECORD_EXIT || type == PERF_RECORD_KSYMBOL;
}

static int note(struct recorder *rec, struct recorded_ring *r,
		const struct perf_event_header *header)
{
	int ret = 0;

	if (is_running_record(header->type) &&
	    header->size <= sizeof(r->running))
		memcpy(r->running, header, header->size);
	if (!rec->target->system_wide)
		ret = living_note(&rec->living, header);
	if (ret || !rec->other || !is_track(header->type))
		return ret;
	ret = tally_records(&rec->other_tally, header, header->size);
	return ret ? ret
		   : pmscope_writer_records(rec->other, header, header->size);
}

/*
 * Remembers what the next file has to begin with; -ENOMEM, -errno. All records
 * that are drained come by.
 */
static int note_records(struct recorder *rec, struct recorded_ring *r,
			const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	int ret = 0;

	/* The tally has checked their sizes. */
	while (rec->rules.several_files && at < end && !ret) {
		const struct perf_event_header *header = (const void *)at;

		ret = note(rec, r, header);
		at += header->size;
	}
	return ret;
}

/* Copy a record first, because it may wrap at the end of the ring. */
int recorder_drain_data(struct recorder *rec, struct recorded_ring *r,
			struct pmscope_error *err)
{
	uint64_t truncated = rec->tally.stats.truncated;
	struct ring_data data;
	size_t size;
	int ret;

	if (!ring_peek(&r->ring, &data))
		return 0;
	size = data.size[0] + data.size[1];
	if (size > rec->rules.data_size)
		return pmscope_fail(err, EIO,
				    "CPU %d: %zu bytes in a ring of %zu",
				    r->cpu, size, rec->rules.data_size);
	memcpy(rec->bounce, data.part[0], data.size[0]);
	memcpy(rec->bounce + data.size[0], data.part[1], data.size[1]);
	ring_consume(&r->ring, &data);
	rec->moved += size;
	/* Of a stream it is a PERF_RECORD_AUX of an area without trace. */
	if (r->stream)
		return 0;
	rec->tally.aux_end = r->aux_end;
	ret = tally_records(&rec->tally, rec->bounce, size);
	r->aux_end = rec->tally.aux_end;
	if (rec->tally.stats.truncated != truncated)
		r->to_enable = 2;
	if (!ret)
		ret = pmscope_writer_records(rec->writer, rec->bounce, size)
			      ?: note_records(rec, r, rec->bounce, size);
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

/*
 * There is room again: enable the events that were disabled because of a full
 * buffer. Do it twice, because the kernel disables the event some time after it
 * writes the record. The record names the event of the task that ran, not the
 * one that mapped the ring.
 */
static int go_on(struct recorder *rec, struct recorded_ring *r,
		 struct pmscope_error *err)
{
	int ret = 0;

	if (!r->to_enable || rec->ending || r->changing)
		return 0;
	r->to_enable--;
	for (size_t i = 0; i < r->nr_traces && !ret; i++)
		if (!r->trace[i].off)
			ret = event_ioctl(r->trace[i].event, r->trace[i].fd,
					  PERF_EVENT_IOC_ENABLE, 0, err);
	return ret;
}

/*
 * The trace up to the end of the last AUX record in this file. The kernel moves
 * the head just after it wrote the record.
 */
static bool peek_sealed(const struct recorded_ring *r, struct ring_data *data)
{
	bool any = ring_peek_aux(&r->ring, data);

	for (int i = 0; i < SEAL_WAITS && data->head < r->aux_end; i++) {
		usleep(SEAL_WAIT_US);
		any = ring_peek_aux(&r->ring, data);
	}
	return any && ring_limit(data, r->aux_end);
}

int recorder_write_trace(struct recorder *rec, const struct recorded_ring *r,
			 const struct ring_data *data)
{
	struct pmscope_written_trace trace = {
		.index = r - rec->ring,
		.tid = r->task,
		.cpu = r->cpu,
		.offset = data->tail,
	};

	for (int i = 0; i < 2; i++) {
		trace.data[i] = data->part[i];
		trace.part_size[i] = data->size[i];
	}
	return pmscope_writer_trace(rec->writer, &trace);
}

/* The samples in what is read from an AUX area. */
static void count_samples(struct recorder *rec, struct recorded_ring *r,
			  const struct ring_data *data)
{
	struct pmscope_decode_stats stats = {};

	if (!rec->rules.count)
		return;
	if (!rec->batch)
		rec->batch = pmscope_batch_new(COUNT_ROWS);
	/* Windows hold whole records and do not cross the end of the area. */
	for (int i = 0; i < 2 && rec->batch; i++)
		for (size_t at = 0, used = 1; used; at += used) {
			rec->batch->count = 0;
			used = pmscope_decode(
				(const uint8_t *)data->part[i] + at,
				data->size[i] - at, at,
				PMSCOPE_DECODE_LAST | PMSCOPE_DECODE_BRIEF,
				rec->batch, &stats);
		}
	r->samples += stats.records;
}

static int drain_aux(struct recorder *rec, struct recorded_ring *r, bool sealed,
		     struct pmscope_error *err)
{
	struct ring_data data;
	int ret;

	if (!r->ring.aux || rec->rules.overwrite ||
	    !(sealed ? peek_sealed(r, &data) : ring_peek_aux(&r->ring, &data)))
		return 0;
	ret = recorder_write_trace(rec, r, &data);
	count_samples(rec, r, &data);
	if (!ret)
		rec->tally.stats.aux_bytes += data.size[0] + data.size[1];
	ring_consume_aux(&r->ring, &data);
	rec->moved += data.size[0] + data.size[1];
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

int recorder_drain_ring(struct recorder *rec, struct recorded_ring *r,
			bool sealed, struct pmscope_error *err)
{
	int ret;

	if (!r->ring.page)
		return 0;
	ret = recorder_drain_data(rec, r, err);
	if (!ret)
		ret = r->stream ? recorder_drain_stream(rec, r, err)
				: drain_aux(rec, r, sealed, err);
	return ret ? ret : go_on(rec, r, err);
}

struct build_ids {
	struct recorder *rec;
	struct pmscope_build_id *id;
	size_t nr;
	int failed;
};

static void add_build_id(void *context, const char *name)
{
	struct build_ids *ids = context;

	ids->nr += buildid_find(name, &ids->id[ids->nr]);
	if (!ids->failed)
		ids->failed = recorder_keep_up(ids->rec);
}

/* @write: what writes them */
static int write_build_ids(struct recorder *rec, struct pmscope_writer *writer,
			   const struct tally *tally,
			   int (*write)(struct pmscope_writer *writer,
					const struct pmscope_build_id *ids,
					size_t nr))
{
	struct build_ids ids = {.rec = rec};
	int ret;

	ids.id = calloc(tally->nr_names + 1, sizeof(*ids.id));
	if (!ids.id)
		return -ENOMEM;
	tally_names(tally, add_build_id, &ids);
	ret = write(writer, ids.id, ids.nr);
	free(ids.id);
	return ret ? ret : ids.failed;
}

/*
 * A recording may go on for weeks, and map ever new files: their build-ids are
 * written while it does. While the file is switched, that can wait.
 */
static int save_names(struct recorder *rec)
{
	struct tally full = {};
	int ret;

	if (rec->tally.names_size < PMSCOPE_TALLY_NAMES_MAX || rec->other ||
	    rec->saves_names)
		return 0;
	tally_move_names(&rec->tally, &full);
	rec->saves_names = true;
	ret = write_build_ids(rec, rec->writer, &full, writer_build_ids);
	rec->saves_names = false;
	tally_free(&full);
	return ret;
}

int recorder_drain(struct recorder *rec, struct pmscope_error *err)
{
	static const struct perf_event_header round = {
		.type = PMSCOPE_RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};
	uint64_t before = rec->moved;
	int ret = 0;

	for (size_t i = 0; i < rec->nr_rings && !ret; i++)
		ret = recorder_drain_ring(rec, &rec->ring[i], false, err);
	if (!ret && rec->rules.heap)
		ret = recorder_drain_heap(rec, err);
	if (ret || rec->moved == before)
		return ret;
	/* Readers may sort up to here: later records are younger. */
	ret = pmscope_writer_records(rec->writer, &round, sizeof(round))
		      ?: save_names(rec);
	return ret ? recorder_write_failed(rec, ret, err) : 0;
}

int recorder_keep_up(struct recorder *rec)
{
	struct pmscope_error err = {};
	uint64_t now;
	int ret;

	if (!rec->other && !rec->saves_names)
		return 0;
	now = clock_ns();
	if (now - rec->drained_ns < KEEP_UP_NS)
		return 0;
	ret = recorder_drain(rec, &err);
	rec->drained_ns = clock_ns();
	return ret;
}

int recorder_write_end(struct recorder *rec, struct pmscope_writer *writer,
		       struct tally *tally)
{
	return write_build_ids(rec, writer, tally, pmscope_writer_build_ids)
		       ?: facts_times(writer, tally->stats.first, tally->stats.last)
		       ?: pmscope_writer_finish(writer);
}

bool recorder_inherits(const struct recorder *rec)
{
	return rec->inherits;
}

const struct recorder_stats *recorder_stats(const struct recorder *rec)
{
	return &rec->tally.stats;
}

uint64_t recorder_size(const struct recorder *rec)
{
	return pmscope_writer_size(rec->writer);
}

uint64_t recorder_total_size(const struct recorder *rec)
{
	return rec->written + pmscope_writer_size(rec->writer);
}
