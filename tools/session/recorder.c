// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Moves data from the kernel into the file. */
#include "auxtrace_info.h"
#include "buildid.h"
#include "facts.h"
#include "open.h"
#include "perfdata/build_ids.h"
#include "recorder_priv.h"
#include "synth.h"
#include "sysfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long to wait for trace that an AUX record announced: one second */
#define SEAL_WAITS   10000
#define SEAL_WAIT_US 100

/* Returns how many; @pmus has room for all events. */
static size_t spe_pmus(const struct pmscope_recorder *rec,
		       struct pmscope_spe_pmu *pmus)
{
	size_t nr = 0;

	for (size_t i = 0; i < rec->nr_events; i++)
		if (rec->event[i].aux)
			pmus[nr++] = (struct pmscope_spe_pmu){
				.type = rec->event[i].written.attr.attr.type,
				.cpus = &rec->event[i].event->cpus,
			};
	return nr;
}

/* Any ring will do: the clock conversion is the same in all of them. */
static const struct recorded_ring *some_ring(const struct pmscope_recorder *rec)
{
	size_t i = 0;

	while (i + 1 < rec->nr_rings && !rec->ring[i].ring.page)
		i++;
	return &rec->ring[i];
}

static int write_spe_of(struct pmscope_recorder *rec,
			struct pmscope_writer *writer,
			const struct pmscope_spe_pmu *pmus, size_t nr)
{
	const struct recorded_ring *r = some_ring(rec);
	struct pmscope_time_conv conv;
	struct pmscope_written_spe spe = {
		.size = sizeof(spe),
		.pmu_type = pmus[0].type,
		.per_thread = rec->rules.per_thread,
	};
	struct pmscope_written_cpu *cpus =
		pmscope_auxtrace_cpus(pmus, nr, PMSCOPE_CPUS, &spe.nr_cpus);
	int ret;

	if (!cpus)
		return -ENOMEM;
	spe.cpus = cpus;
	if (r->ring.page && pmscope_ring_time_conv(&r->ring, &conv))
		spe.time_conv = &conv;
	ret = pmscope_writer_spe(writer, &spe);
	free(cpus);
	return ret;
}

static int write_spe(struct pmscope_recorder *rec,
		     struct pmscope_writer *writer)
{
	struct pmscope_spe_pmu *pmus = calloc(rec->nr_events, sizeof(*pmus));
	size_t nr = pmus ? spe_pmus(rec, pmus) : 0;
	int ret = pmus ? 0 : -ENOMEM;

	if (nr)
		ret = write_spe_of(rec, writer, pmus, nr);
	free(pmus);
	return ret;
}

/* Where synthesized records go. */
struct head {
	struct pmscope_recorder *rec;
	struct pmscope_writer *writer;
	struct pmscope_tally *tally;
};

static int write_synthesized(void *context,
			     const struct perf_event_header *record)
{
	const struct head *head = context;
	int ret = pmscope_tally_records(head->tally, record, record->size);

	if (!ret)
		ret = pmscope_writer_records(head->writer, record,
					     record->size);
	return ret ? ret : pmscope_recorder_keep_up(head->rec);
}

static int write_attrs(struct pmscope_recorder *rec,
		       struct pmscope_writer *writer)
{
	struct pmscope_written_event *events;
	unsigned int *group;
	int ret = -ENOMEM;

	events = calloc(rec->nr_events, sizeof(*events));
	group = calloc(rec->nr_events, sizeof(*group));
	for (size_t i = 0; events && group && i < rec->nr_events; i++) {
		const struct written_event *e = &rec->event[i].written;

		events[i] = (struct pmscope_written_event){
			.attr = &e->attr.attr,
			.name = e->name,
			.ids = e->id,
			.nr_ids = e->nr_ids,
		};
		group[i] = rec->event[i].leader;
	}
	if (events && group)
		ret = pmscope_writer_begin(writer, events, rec->nr_events);
	if (!ret)
		ret = pmscope_facts_groups(writer, group, rec->nr_events);
	free(events);
	free(group);
	return ret;
}

static int write_facts(struct pmscope_recorder *rec,
		       struct pmscope_writer *writer, char *const *argv)
{
	int ret = 0;

	if (rec->rules.compression)
		ret = pmscope_writer_compress(
			writer,
			rec->rules.whole_file ? PMSCOPE_COMPRESS_FILE
					      : PMSCOPE_COMPRESS_RECORDS,
			rec->rules.compression);
	if (!ret)
		ret = write_attrs(rec, writer);
	if (!ret)
		ret = pmscope_facts_system(writer);
	if (!ret)
		ret = pmscope_facts_command(writer, argv);
	return ret ? ret : write_spe(rec, writer);
}

/* Tasks that began later have to be there in the second file, too. */
static int synth_tasks(const struct pmscope_synth *synth,
		       struct pmscope_recorder *rec)
{
	const struct pmscope_target living = {
		.task = rec->living.pid,
		.nr_tasks = rec->living.nr,
	};
	int ret = pmscope_synth_tasks(synth, rec->target);

	return ret ? ret : pmscope_synth_tasks(synth, &living);
}

int pmscope_recorder_write_head(struct pmscope_recorder *rec,
				struct pmscope_writer *writer,
				struct pmscope_tally *tally, char *const *argv)
{
	struct head head = {rec, writer, tally};
	const struct pmscope_synth synth = {
		.trailer = rec->tally.untimed ? PMSCOPE_TALLY_TRAILER_UNTIMED
					      : PMSCOPE_TALLY_TRAILER_TIMED,
		.data_maps = rec->rules.data_maps,
		.emit = write_synthesized,
		.context = &head,
	};
	int ret, kernel = 0;

	ret = write_facts(rec, writer, argv);
	if (!ret)
		ret = kernel = pmscope_synth_kernel(&synth);
	if (ret >= 0)
		ret = pmscope_recorder_write_intervals(rec, writer);
	if (ret >= 0)
		ret = pmscope_synth_namespaces(&synth);
	if (!ret && rec->rules.cgroups)
		ret = pmscope_synth_cgroups(&synth);
	if (!ret)
		ret = synth_tasks(&synth, rec);
	return ret ? ret : !kernel;
}

int pmscope_recorder_open_failed(const char *path, struct pmscope_error *err)
{
	if (errno == EINVAL && !strcmp(path, "-"))
		return pmscope_fail(err, EINVAL,
				    "standard output is a terminal; redirect "
				    "it to a file or a pipe");
	if (errno == EEXIST)
		return pmscope_fail(err, EEXIST,
				    "cannot keep %s: %s.old is a directory",
				    path, path);
	if (errno == ELOOP)
		return pmscope_fail(err, ELOOP,
				    "%s is a symbolic link, and a recording is "
				    "not written through one; remove it, or "
				    "name the file that it points to",
				    path);
	return pmscope_fail(err, errno, "%s: %s", path, strerror(errno));
}

static bool is_full(int code)
{
	return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

int pmscope_recorder_write_failed(const struct pmscope_recorder *rec, int ret,
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

int pmscope_recorder_start_file(struct pmscope_recorder *rec, const char *path,
				char *const *argv, struct pmscope_error *err)
{
	int ret;

	rec->writer = pmscope_writer_open(path);
	if (!rec->writer)
		return pmscope_recorder_open_failed(path, err);
	rec->path = path;
	ret = pmscope_recorder_write_head(rec, rec->writer, &rec->tally, argv);
	return ret < 0 ? pmscope_recorder_write_failed(rec, ret, err) : ret;
}

static int ioctl_leader(const struct pmscope_recorder *rec, size_t i,
			unsigned long request, struct pmscope_error *err)
{
	const struct recorded_event *e = &rec->event[i];
	int ret = 0;

	for (size_t j = 0; e->leader == i && j < e->nr_fds && !ret; j++)
		ret = pmscope_event_ioctl(e->event, e->fd[j], request,
					  PERF_IOC_FLAG_GROUP, err);
	return ret;
}

/*
 * The tracking event comes last, and must not miss what the others see. Streams
 * come after SPE, so that they have a record of all its data.
 */
int pmscope_recorder_enable(struct pmscope_recorder *rec,
			    struct pmscope_error *err)
{
	int ret = 0;

	rec->enabled = true;
	for (size_t i = rec->nr_events; i-- > 0 && !ret;)
		ret = ioctl_leader(rec, i, PERF_EVENT_IOC_ENABLE, err);
	return ret;
}

/* What a full buffer disabled must not be enabled again. */
static void switch_traces(struct pmscope_recorder *rec,
			  const struct pmscope_event *event, bool on)
{
	for (size_t i = 0; i < rec->nr_rings; i++)
		for (size_t j = 0; j < rec->ring[i].nr_traces; j++)
			if (rec->ring[i].trace[j].event == event)
				rec->ring[i].trace[j].off = !on;
}

static int switch_event(struct pmscope_recorder *rec,
			const struct recorded_event *e, bool on,
			struct pmscope_error *err)
{
	int ret = 0;

	switch_traces(rec, e->event, on);
	for (size_t i = 0; i < e->nr_fds && !ret; i++)
		ret = pmscope_event_ioctl(e->event, e->fd[i],
					  on ? PERF_EVENT_IOC_ENABLE
					     : PERF_EVENT_IOC_DISABLE,
					  0, err);
	return ret;
}

int pmscope_recorder_switch_events(struct pmscope_recorder *rec,
				   const char *name, bool on,
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

int pmscope_recorder_track(struct pmscope_recorder *rec,
			   struct pmscope_error *err)
{
	return ioctl_leader(rec, rec->nr_events - 1, PERF_EVENT_IOC_ENABLE,
			    err);
}

int pmscope_recorder_disable(struct pmscope_recorder *rec,
			     struct pmscope_error *err)
{
	int ret = 0;

	rec->ending = true;
	for (size_t i = 0; i < rec->nr_events && !ret; i++)
		ret = ioctl_leader(rec, i, PERF_EVENT_IOC_DISABLE, err);
	return ret;
}

size_t pmscope_recorder_nr_fds(const struct pmscope_recorder *rec)
{
	return rec->nr_rings;
}

void pmscope_recorder_fill_fds(const struct pmscope_recorder *rec,
			       struct pollfd *fds)
{
	for (size_t i = 0; i < rec->nr_rings; i++) {
		fds[i].fd = rec->ring[i].ring.fd;
		fds[i].events = POLLIN;
	}
}

/* An event reports POLLHUP when its task and all that inherited it ended. */
bool pmscope_recorder_has_ended(const struct pmscope_recorder *rec)
{
	const struct recorded_event *tracking = &rec->event[rec->nr_events - 1];

	for (size_t i = 0; i < tracking->nr_fds; i++) {
		struct pollfd fd = {.fd = tracking->fd[i]};

		if (poll(&fd, 1, 0) <= 0)
			return false;
	}
	return true;
}

/* Copy a record first, because it may wrap at the end of the ring. */
int pmscope_recorder_drain_data(struct pmscope_recorder *rec,
				struct recorded_ring *r,
				struct pmscope_error *err)
{
	uint64_t truncated = rec->tally.stats.truncated;
	struct pmscope_ring_data data;
	size_t size;
	int ret;

	if (!pmscope_ring_peek(&r->ring, &data))
		return 0;
	size = data.size[0] + data.size[1];
	if (size > rec->rules.data_size)
		return pmscope_fail(err, EIO,
				    "CPU %d: %zu bytes in a ring of %zu",
				    r->cpu, size, rec->rules.data_size);
	memcpy(rec->bounce, data.part[0], data.size[0]);
	memcpy(rec->bounce + data.size[0], data.part[1], data.size[1]);
	pmscope_ring_consume(&r->ring, &data);
	rec->moved += size;
	/*
	 * For a stream this is a PERF_RECORD_AUX about an area that holds no
	 * trace.
	 */
	if (r->stream)
		return 0;
	rec->tally.aux_end = r->aux_end;
	ret = pmscope_tally_records(&rec->tally, rec->bounce, size);
	r->aux_end = rec->tally.aux_end;
	if (rec->tally.stats.truncated != truncated)
		r->to_enable = 2;
	if (!ret)
		ret = pmscope_writer_records(rec->writer, rec->bounce, size);
	if (!ret)
		ret = pmscope_recorder_note(rec, r, rec->bounce, size);
	return ret ? pmscope_recorder_write_failed(rec, ret, err) : 0;
}

/*
 * There is room again: enable the events that were disabled because of a full
 * buffer. Do it twice, because the kernel disables the event some time after it
 * writes the record. The record names the event of the task that ran, not the
 * one that mapped the ring.
 */
static int go_on(struct pmscope_recorder *rec, struct recorded_ring *r,
		 struct pmscope_error *err)
{
	int ret = 0;

	if (!r->to_enable || rec->ending || r->changing)
		return 0;
	r->to_enable--;
	for (size_t i = 0; i < r->nr_traces && !ret; i++)
		if (!r->trace[i].off)
			ret = pmscope_event_ioctl(r->trace[i].event,
						  r->trace[i].fd,
						  PERF_EVENT_IOC_ENABLE, 0,
						  err);
	return ret;
}

/*
 * The trace up to the end of the last AUX record in this file. The kernel moves
 * the head just after it wrote the record.
 */
static bool peek_sealed(const struct recorded_ring *r,
			struct pmscope_ring_data *data)
{
	bool any = pmscope_ring_peek_aux(&r->ring, data);

	for (int i = 0; i < SEAL_WAITS && data->head < r->aux_end; i++) {
		usleep(SEAL_WAIT_US);
		any = pmscope_ring_peek_aux(&r->ring, data);
	}
	return any && pmscope_ring_limit(data, r->aux_end);
}

int pmscope_recorder_write_trace(struct pmscope_recorder *rec,
				 const struct recorded_ring *r,
				 const struct pmscope_ring_data *data)
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

static int drain_aux(struct pmscope_recorder *rec, struct recorded_ring *r,
		     bool sealed, struct pmscope_error *err)
{
	struct pmscope_ring_data data;
	int ret;

	if (!r->ring.aux || rec->rules.overwrite ||
	    !(sealed ? peek_sealed(r, &data)
		     : pmscope_ring_peek_aux(&r->ring, &data)))
		return 0;
	ret = pmscope_recorder_write_trace(rec, r, &data);
	pmscope_recorder_count(rec, r, &data);
	if (!ret)
		rec->tally.stats.aux_bytes += data.size[0] + data.size[1];
	pmscope_ring_consume_aux(&r->ring, &data);
	rec->moved += data.size[0] + data.size[1];
	return ret ? pmscope_recorder_write_failed(rec, ret, err) : 0;
}

int pmscope_recorder_drain_ring(struct pmscope_recorder *rec,
				struct recorded_ring *r, bool sealed,
				struct pmscope_error *err)
{
	int ret;

	if (!r->ring.page)
		return 0;
	ret = pmscope_recorder_drain_data(rec, r, err);
	if (!ret)
		ret = r->stream ? pmscope_recorder_drain_stream(rec, r, err)
				: drain_aux(rec, r, sealed, err);
	return ret ? ret : go_on(rec, r, err);
}

struct build_ids {
	struct pmscope_recorder *rec;
	struct pmscope_build_id *id;
	size_t nr;
	int failed;
};

static void add_build_id(void *context, const char *name)
{
	struct build_ids *ids = context;

	ids->nr += pmscope_buildid_find(name, &ids->id[ids->nr]);
	if (!ids->failed)
		ids->failed = pmscope_recorder_keep_up(ids->rec);
}

/* @write: what writes them */
static int
write_build_ids(struct pmscope_recorder *rec, struct pmscope_writer *writer,
		const struct pmscope_tally *tally,
		int (*write)(struct pmscope_writer *writer,
			     const struct pmscope_build_id *ids, size_t nr))
{
	struct build_ids ids = {.rec = rec};
	int ret;

	ids.id = calloc(tally->nr_names + 1, sizeof(*ids.id));
	if (!ids.id)
		return -ENOMEM;
	pmscope_tally_names(tally, add_build_id, &ids);
	ret = write(writer, ids.id, ids.nr);
	free(ids.id);
	return ret ? ret : ids.failed;
}

/*
 * A recording may go on for weeks, and map ever new files: their build-ids are
 * written while it does. While the file is switched, that can wait.
 */
static int save_names(struct pmscope_recorder *rec)
{
	struct pmscope_tally full = {};
	int ret;

	if (rec->tally.names_size < PMSCOPE_TALLY_NAMES_MAX || rec->other ||
	    rec->saves_names)
		return 0;
	pmscope_tally_move_names(&rec->tally, &full);
	rec->saves_names = true;
	ret = write_build_ids(rec, rec->writer, &full, writer_build_ids);
	rec->saves_names = false;
	pmscope_tally_free(&full);
	return ret;
}

int pmscope_recorder_drain(struct pmscope_recorder *rec,
			   struct pmscope_error *err)
{
	static const struct perf_event_header round = {
		.type = PMSCOPE_RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};
	uint64_t before = rec->moved;
	int ret = 0;

	for (size_t i = 0; i < rec->nr_rings && !ret; i++)
		ret = pmscope_recorder_drain_ring(rec, &rec->ring[i], false,
						  err);
	if (ret || rec->moved == before)
		return ret;
	/* Readers may sort up to here: later records are younger. */
	ret = pmscope_writer_records(rec->writer, &round, sizeof(round));
	if (!ret)
		ret = save_names(rec);
	return ret ? pmscope_recorder_write_failed(rec, ret, err) : 0;
}

int pmscope_recorder_write_end(struct pmscope_recorder *rec,
			       struct pmscope_writer *writer,
			       struct pmscope_tally *tally)
{
	int ret = write_build_ids(rec, writer, tally, pmscope_writer_build_ids);

	if (!ret)
		ret = pmscope_facts_times(writer, tally->stats.first,
					  tally->stats.last);
	return ret ? ret : pmscope_writer_finish(writer);
}

int pmscope_recorder_finish(struct pmscope_recorder *rec,
			    struct pmscope_error *err)
{
	int ret = pmscope_recorder_drain(rec, err), end;

	if (!ret)
		ret = pmscope_recorder_write_totals(rec, err);
	if (!ret)
		ret = pmscope_recorder_end_lost(rec, err);
	if (!ret)
		ret = pmscope_recorder_end_streams(rec, err);
	end = pmscope_recorder_write_end(rec, rec->writer, &rec->tally);
	if (end && !ret)
		ret = pmscope_recorder_write_failed(rec, end, err);
	return ret;
}

bool pmscope_recorder_inherits(const struct pmscope_recorder *rec)
{
	return rec->inherits;
}

const struct pmscope_recorder_stats *
pmscope_recorder_stats(const struct pmscope_recorder *rec)
{
	return &rec->tally.stats;
}

uint64_t pmscope_recorder_size(const struct pmscope_recorder *rec)
{
	return pmscope_writer_size(rec->writer);
}

uint64_t pmscope_recorder_total_size(const struct pmscope_recorder *rec)
{
	return rec->written + pmscope_writer_size(rec->writer);
}
