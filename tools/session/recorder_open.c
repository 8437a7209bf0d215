// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Opens the events of a recording and maps their rings and AUX areas. */
#include "base/containers.h"
#include "event.h"
#include "recorder_priv.h"

#include <sys/ioctl.h>

static bool has_streams(const struct recorder *rec)
{
	for (size_t i = 0; i < rec->nr_events; i++)
		if (rec->event[i].stream)
			return true;
	return false;
}

/* Tasks that already run may move to the CPUs of @target. */
static int find_others(const struct target *target, struct cpulist *others)
{
	int ret = target->system_wide ? cpulist_online(others) : 0;
	size_t nr = 0;

	for (size_t i = 0; i < others->nr; i++)
		if (!cpulist_has(&target->cpus, others->cpu[i]))
			others->cpu[nr++] = others->cpu[i];
	others->nr = nr;
	return ret;
}

static void rings_fill(struct recorder *rec, size_t places)
{
	const struct target *target = rec->target;
	bool per_task = rec->rules.per_thread;

	for (size_t i = 0; i < rec->nr_rings; i++) {
		size_t at = i % places;

		rec->ring[i].cpu = per_task ? -1 : target->cpus.cpu[at];
		rec->ring[i].task = per_task ? target->task[at] : -1;
		rec->ring[i].stream = i >= places;
		rec->ring[i].ring.fd = -1;
	}
}

static void rings_add(struct recorder *rec, const struct cpulist *others)
{
	for (size_t i = 0; i < others->nr; i++)
		rec->ring[rec->nr_rings++] = (struct recorded_ring){
			.ring.fd = -1,
			.cpu = others->cpu[i],
			.task = -1,
			.only_tracks = true,
		};
}

static int rings_alloc(struct recorder *rec)
{
	const struct target *target = rec->target;
	struct cpulist others = {};
	size_t places =
		rec->rules.per_thread ? target->nr_tasks : target->cpus.nr;
	int ret = find_others(target, &others);

	rec->nr_rings = has_streams(rec) ? 2 * places : places;
	rec->ring = calloc(rec->nr_rings + others.nr + 1, sizeof(*rec->ring));
	rec->stream_bounce = malloc(PMSCOPE_STREAM_AUX_SIZE);
	if (!rec->ring || !rec->stream_bounce)
		ret = -ENOMEM;
	if (!ret) {
		rings_fill(rec, places);
		rings_add(rec, &others);
	}
	cpulist_free(&others);
	return ret;
}

static int event_add_fd(struct recorded_event *e, int fd, int cpu, pid_t task)
{
	if (array_one_more(e->written.id, e->nr_fds) ||
	    array_one_more(e->fd, e->nr_fds) ||
	    array_one_more(e->cpu, e->nr_fds) ||
	    array_one_more(e->task, e->nr_fds))
		return -ENOMEM;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &e->written.id[e->nr_fds]))
		return -errno;
	e->cpu[e->nr_fds] = cpu;
	e->task[e->nr_fds] = task;
	e->fd[e->nr_fds++] = fd;
	e->written.nr_ids = e->nr_fds;
	return 0;
}

static void event_drop_fd(struct recorded_event *e)
{
	close(e->fd[--e->nr_fds]);
	e->written.nr_ids = e->nr_fds;
}

static int map_failed(int ret, const char *what, size_t size,
		      struct pmscope_error *err)
{
	if (ret == -ENOMEM)
		return pmscope_fail(
			err, ENOMEM,
			"cannot map %zu KiB for %s: the kernel does not have "
			"enough memory; use a smaller size",
			size >> 10, what);
	if (ret == -EPERM)
		return pmscope_fail(
			err, EPERM,
			"cannot map %zu KiB for %s: over the limit of locked "
			"memory; use a smaller size, or raise "
			"kernel.perf_event_mlock_kb or 'ulimit -l'",
			size >> 10, what);
	return pmscope_fail(err, -ret, "cannot map %zu KiB for %s: %s",
			    size >> 10, what, strerror(-ret));
}

/* SPE drivers return ENOMEM for a buffer of less than two pages. */
static int aux_failed(int ret, const struct recorded_event *e, size_t size,
		      struct pmscope_error *err)
{
	size_t least = 2 * sysconf(_SC_PAGESIZE);

	if (ret == -ENOMEM && e->aux && size < least)
		return pmscope_fail(err, ENOMEM,
				    "cannot map %zu KiB for an AUX area: SPE "
				    "needs at least two pages (%zu KiB)",
				    size >> 10, least >> 10);
	return map_failed(ret, "an AUX area", size, err);
}

/* The first event for a CPU or task owns the ring; the others write into it. */
static int event_attach(struct recorder *rec, struct recorded_event *e,
			struct recorded_ring *r, int fd,
			struct pmscope_error *err)
{
	size_t data_size = rec->rules.data_size;
	size_t aux_size = rec->rules.aux_size;
	int ret;

	if (r->ring.page) {
		if (!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->ring.fd))
			return 0;
		return pmscope_fail(err, errno,
				    "event '%s': cannot share a ring: %s",
				    e->event->name, strerror(errno));
	}
	if (e->stream) {
		data_size = MIN(data_size, PMSCOPE_STREAM_DATA_SIZE);
		aux_size = MIN(aux_size, PMSCOPE_STREAM_AUX_SIZE);
	}
	ret = ring_map(&r->ring, fd, data_size);
	if (ret)
		return map_failed(ret, "records", data_size, err);
	if (!e->aux && !e->stream)
		return 0;
	ret = ring_map_aux(&r->ring, aux_size,
			   rec->rules.overwrite && !e->stream);
	return ret ? aux_failed(ret, e, aux_size, err) : 0;
}

/* Also record what a task did before it entered the control group. */
static int event_open_fd(const struct recorder *rec,
			 const struct recorded_event *e,
			 const struct recorded_ring *r, pid_t task,
			 int leader_fd, struct pmscope_error *err)
{
	const struct target *target = rec->target;
	union attr attr = e->written.attr;

	if (target->in_cgroup && e->event != &rec->tracking)
		return event_open_cgroup(e->event, &attr, target->cgroup,
					 r->cpu, leader_fd, err);
	if (r->only_tracks)
		attr.attr.context_switch = 0;
	return event_open(e->event, &attr, task, r->cpu, leader_fd, err);
}

static int open_event(struct recorder *rec, size_t index,
		      struct recorded_ring *r, pid_t task, int leader_fd,
		      struct pmscope_error *err)
{
	struct recorded_event *e = &rec->event[index];
	int fd = event_open_fd(rec, e, r, task, leader_fd, err), ret;

	if (fd < 0)
		return fd;
	ret = event_add_fd(e, fd, r->cpu, task);
	if (ret) {
		close(fd);
		return pmscope_fail(err, -ret, "event '%s': %s", e->event->name,
				    strerror(-ret));
	}
	return event_attach(rec, e, r, fd, err);
}

static size_t group_end(const struct recorder *rec, size_t leader)
{
	size_t end = leader;

	while (end < rec->nr_events && rec->event[end].leader == leader)
		end++;
	return end;
}

/* Counts events in groups opened earlier for the same CPUs or tasks. */
static size_t events_beside(const struct recorder *rec, size_t leader)
{
	size_t nr = 0;

	for (size_t i = 0; i < leader; i++)
		nr += events_share(rec->event[i].event,
				   rec->event[leader].event);
	return nr;
}

static int group_open(struct recorder *rec, size_t leader,
		      struct recorded_ring *r, pid_t task,
		      struct pmscope_error *err)
{
	size_t end = group_end(rec, leader), i, others;
	int leader_fd = -1, ret = 0;

	for (i = leader; i < end && !ret; i++) {
		struct recorded_event *e = &rec->event[i];

		ret = open_event(rec, i, r, task, leader_fd, err);
		if (!ret && i == leader)
			leader_fd = e->fd[e->nr_fds - 1];
	}
	others = ret == -EBUSY ? events_beside(rec, leader) : 0;
	if (others)
		ret = group_explain(rec->event[leader].event, end - leader,
				    others, task, r->cpu, err);
	return ret;
}

/*
 * Older kernels lack some features: build-ids of mappings came with Linux 5.12,
 * inherited samples that read their group with 6.12.
 */
static bool ask_for_less(struct recorder *rec, size_t leader, int ret)
{
	struct recorded_event *e = &rec->event[leader];
	struct perf_event_attr *attr = &e->written.attr.attr;

	if (ret != -EINVAL && ret != -EOPNOTSUPP)
		return false;
	if (attr->build_id) {
		attr->build_id = 0;
		return true;
	}
	if (!e->event->sample_read || !attr->inherit)
		return false;
	for (size_t i = leader; i < group_end(rec, leader); i++)
		rec->event[i].written.attr.attr.inherit = 0;
	rec->inherits = false;
	return true;
}

static void group_undo(struct recorder *rec, size_t leader,
		       struct recorded_ring *r, size_t nr_fds)
{
	const struct recorded_event *e = &rec->event[leader];

	if (r->ring.page && nr_fds < e->nr_fds &&
	    r->ring.fd == e->fd[e->nr_fds - 1])
		ring_unmap(&r->ring);
	for (size_t i = group_end(rec, leader); i-- > leader;)
		if (rec->event[i].nr_fds > nr_fds)
			event_drop_fd(&rec->event[i]);
}

static int group_open_or_less(struct recorder *rec, size_t leader,
			      struct recorded_ring *r, pid_t task,
			      struct pmscope_error *err)
{
	size_t nr_fds = rec->event[leader].nr_fds;
	int ret;

	do {
		ret = group_open(rec, leader, r, task, err);
		if (ret)
			group_undo(rec, leader, r, nr_fds);
	} while (ret && ask_for_less(rec, leader, ret));
	return ret;
}

static int ring_add_trace(struct recorded_ring *r,
			  const struct recorded_event *e)
{
	if (array_one_more(r->trace, r->nr_traces))
		return -ENOMEM;
	r->trace[r->nr_traces++] =
		(struct recorded_trace){e->event, e->fd[e->nr_fds - 1],
					e->written.id[e->nr_fds - 1], false};
	r->interval = e->written.attr.attr.sample_period;
	return 0;
}

static int ring_add_group(struct recorder *rec, size_t leader,
			  struct recorded_ring *r, struct pmscope_error *err)
{
	for (size_t i = leader; i < group_end(rec, leader); i++) {
		const struct recorded_event *e = &rec->event[i];

		if (e->aux && ring_add_trace(r, e))
			return pmscope_fail_nomem(err);
	}
	return 0;
}

static bool is_for_ring(const struct recorder *rec,
			const struct recorded_event *e,
			const struct recorded_ring *r)
{
	const struct cpulist *cpus = &e->event->cpus;

	if (e->stream != r->stream ||
	    (r->only_tracks && e->event != &rec->tracking))
		return false;
	return r->cpu < 0 || !cpus->nr || cpulist_has(cpus, r->cpu);
}

static int place_open(struct recorder *rec, struct recorded_ring *r, pid_t task,
		      struct pmscope_error *err)
{
	int ret;

	for (size_t i = 0; i < rec->nr_events; i = group_end(rec, i)) {
		if (!is_for_ring(rec, &rec->event[i], r))
			continue;
		ret = group_open_or_less(rec, i, r, task, err)
			      ?: ring_add_group(rec, i, r, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* A task may end while it is opened; with several tasks that is no error. */
static int task_open(struct recorder *rec, struct recorded_ring *r, pid_t task,
		     struct pmscope_error *err)
{
	int ret = place_open(rec, r, task, err);

	return ret == -ESRCH && rec->target->nr_tasks > 1 ? 0 : ret;
}

static int ring_open(struct recorder *rec, struct recorded_ring *r,
		     struct pmscope_error *err)
{
	const struct target *target = rec->target;
	int ret = 0;

	if (target->system_wide || r->task != -1)
		return task_open(rec, r, r->task, err);
	for (size_t i = 0; i < target->nr_tasks && !ret; i++)
		ret = task_open(rec, r, target->task[i], err);
	return ret;
}

static bool is_any_open(const struct recorder *rec)
{
	for (size_t i = 0; i < rec->nr_rings; i++)
		if (rec->ring[i].ring.page)
			return true;
	return false;
}

static int check_all_open(const struct recorder *rec, struct pmscope_error *err)
{
	if (!is_any_open(rec))
		return pmscope_fail(err, ESRCH, "all tasks have ended");
	for (size_t i = 0; i < rec->nr_events; i++)
		if (!rec->event[i].nr_fds)
			return pmscope_fail(err, ENODEV,
					    "event '%s': none of the requested "
					    "CPUs has its PMU",
					    rec->event[i].event->name);
	return 0;
}

static int recorder_fill(struct recorder *rec, const struct event_list *list,
			 struct pmscope_error *err)
{
	int ret;

	if (recorder_set_events(rec, list) || rings_alloc(rec))
		return pmscope_fail_nomem(err);
	rec->bounce = malloc(rec->rules.data_size);
	if (!rec->bounce)
		return map_failed(-ENOMEM, "records", rec->rules.data_size,
				  err);
	for (size_t i = 0; i < rec->nr_rings; i++) {
		ret = ring_open(rec, &rec->ring[i], err);
		if (ret)
			return ret;
	}
	recorder_stream_attrs(rec);
	return check_all_open(rec, err);
}

int recorder_open(struct recorder **recorder, const struct event_list *list,
		  const struct target *target,
		  const struct recorder_rules *rules, struct pmscope_error *err)
{
	struct recorder *rec = calloc(1, sizeof(*rec));
	int ret;

	if (!rec)
		return pmscope_fail_nomem(err);
	rec->target = target;
	rec->rules = *rules;
	rec->inherits = true;
	rec->enabled = rules->on_exec && !rules->delayed;
	/* perf cannot follow times in a trace that has a task, but no CPU. */
	rec->tally.untimed = rules->per_thread;
	ret = recorder_fill(rec, list, err);
	if (ret) {
		recorder_free(rec);
		return ret;
	}
	*recorder = rec;
	return 0;
}

void recorder_free(struct recorder *rec)
{
	if (!rec)
		return;
	for (size_t i = 0; i < rec->nr_rings && rec->ring; i++) {
		ring_unmap(&rec->ring[i].ring);
		free(rec->ring[i].trace);
	}
	for (size_t i = 0; i < rec->nr_events; i++) {
		while (rec->event[i].nr_fds)
			event_drop_fd(&rec->event[i]);
		free(rec->event[i].fd);
		free(rec->event[i].cpu);
		free(rec->event[i].task);
		free(rec->event[i].written.id);
		free(rec->event[i].seam);
	}
	tally_free(&rec->tally);
	living_free(&rec->living);
	/* After an error: the file is complete up to there. */
	if (rec->writer)
		pmscope_writer_finish(rec->writer);
	pmscope_writer_free(rec->writer);
	pmscope_batch_free(rec->batch);
	free(rec->event);
	free(rec->ring);
	free(rec->bounce);
	free(rec->stream_bounce);
	free(rec);
}
