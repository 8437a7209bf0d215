// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmscope_stream: the PMU of those pmu_snapshot events that stream.
 *
 * User space opens them as pmu_snapshot; snap_event_init() hands them over.  An
 * AUX area is a property of the PMU, and perf keeps events of two PMUs that
 * have one out of the same ring buffer.  Events that only count are to go with
 * arm_spe_<n> there, as in `perf record -e arm_spe_0// -e '{cpu-clock,...}:S'`.
 */
#include "compat.h"
#include "snapshot/area.h"
#include "snapshot/event.h"
#include "snapshot/stream.h"

#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pmscope.h>

/* Checks */

/**
 * snap_attr_trigger() - what triggers the records of a streaming event
 * @attr: its attr
 *
 * Return: PMSCOPE_TRIGGER_READ for requests, _NONE if more than one is asked
 * for.
 */
enum pmscope_trigger snap_attr_trigger(const struct perf_event_attr *attr)
{
	switch (attr->config & PMSCOPE_SNAPSHOT_TRIGGER_MASK) {
	case 0:
		return PMSCOPE_TRIGGER_TIMER;
	case PMSCOPE_SNAPSHOT_OVERFLOW:
		return PMSCOPE_TRIGGER_OVERFLOW;
	case PMSCOPE_SNAPSHOT_SPE:
		return PMSCOPE_TRIGGER_SPE;
	case PMSCOPE_SNAPSHOT_REQUEST:
		return PMSCOPE_TRIGGER_READ;
	default:
		return PMSCOPE_TRIGGER_NONE;
	}
}

/**
 * snap_attr_streams() - is this the attr of a streaming event?
 * @attr: of a pmu_snapshot event
 */
bool snap_attr_streams(const struct perf_event_attr *attr)
{
	return attr->sample_period || attr->config & PMSCOPE_SNAPSHOT_ALL ||
	       attr->config & PMSCOPE_SNAPSHOT_TRIGGER_MASK;
}

static int check_timer(const struct perf_event_attr *attr)
{
	u64 period = attr->sample_period;

	if (attr->freq)
		period = div64_u64(NSEC_PER_SEC, attr->sample_freq);
	return period < PMSCOPE_TIMER_PERIOD_MIN ? -EINVAL : 0;
}

/**
 * snap_stream_check() - can an event stream as its attr says?
 * @event: in its event_init, not an inherited one
 *
 * Return: 0, -EINVAL for a trigger or a period that makes no sense, -EACCES
 * for one who may not see the counters of others.
 */
int snap_stream_check(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	enum pmscope_trigger by = snap_attr_trigger(attr);

	if (!attr->sample_period || by == PMSCOPE_TRIGGER_NONE)
		return -EINVAL;
	if (by == PMSCOPE_TRIGGER_TIMER) {
		if (check_timer(attr))
			return -EINVAL;
	} else if (attr->freq) {
		return -EINVAL;
	}
	if (by == PMSCOPE_TRIGGER_READ &&
	    (event->group_leader != event ||
	     !(attr->read_format & PERF_FORMAT_GROUP)))
		return -EINVAL;
	if (attr->config & PMSCOPE_SNAPSHOT_ALL && !perfmon_capable())
		return -EACCES;
	return 0;
}

/* For PERF_EVENT_IOC_PERIOD; the period of a backing counter does not change. */
static int stream_check_period(struct perf_event *event, u64 period)
{
	switch (snap_attr_trigger(&event->attr)) {
	case PMSCOPE_TRIGGER_TIMER:
		return period < PMSCOPE_TIMER_PERIOD_MIN ? -EINVAL : 0;
	case PMSCOPE_TRIGGER_OVERFLOW:
		return -EINVAL;
	default:
		return 0;
	}
}

/* perf callbacks: those of pmu_snapshot, and triggers while the event runs */

static void stream_start(struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED)) {
		if (flags & PERF_EF_RELOAD)
			snap_stream_reload(event);
		return;
	}
	snap_start(event, flags);
	if (!(event->hw.state & PERF_HES_STOPPED))
		snap_stream_start(event);
}

static void stop_all(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED || pmscope_throttled_in_nmi())
		return;
	snap_stream_stop(event);
	snap_stop(event, flags);
}

/*
 * Where the ring buffer or the AUX area comes or goes, perf core stops the
 * event, and does not start it again though its time goes on.  That is to get
 * it out of the area, which no record is in beyond itself.  The other stop with
 * PERF_EF_UPDATE has a start with PERF_EF_RELOAD behind it.
 */
static void stream_stop(struct perf_event *event, int flags)
{
	if (!(flags & PERF_EF_UPDATE))
		stop_all(event, flags);
}

static int stream_add(struct perf_event *event, int flags)
{
	int ret = snap_add(event, flags & ~PERF_EF_START);

	if (!ret && flags & PERF_EF_START)
		stream_start(event, flags);
	return ret;
}

static void stream_del(struct perf_event *event, int flags)
{
	stop_all(event, PERF_EF_UPDATE);
	snap_del(event, flags);
}

/* The leader of the group that is read in this CPU's transaction, or NULL */
static DEFINE_PER_CPU(struct perf_event *, leader_in_txn);
static DEFINE_PER_CPU(bool, in_read_txn);

static void stream_start_txn(struct pmu *pmu, unsigned int flags)
{
	this_cpu_write(in_read_txn, flags & PERF_PMU_TXN_READ);
	this_cpu_write(leader_in_txn, NULL);
	snap_start_txn(pmu, flags);
}

static void stream_read(struct perf_event *event)
{
	if (this_cpu_read(in_read_txn) && !in_nmi() &&
	    event->group_leader == event)
		this_cpu_write(leader_in_txn, event);
	snap_read(event);
}

static int stream_commit_txn(struct pmu *pmu)
{
	const struct pmscope_capture *cap = snap_txn_capture();
	struct perf_event *event = this_cpu_read(leader_in_txn);
	int ret = snap_commit_txn(pmu);

	this_cpu_write(in_read_txn, false);
	if (!ret && cap && event)
		snap_stream_was_read(event, cap);
	return ret;
}

static struct pmu stream_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.event_init	= snap_event_init,
	.add		= stream_add,
	.del		= stream_del,
	.start		= stream_start,
	.stop		= stream_stop,
	.read		= stream_read,
	.start_txn	= stream_start_txn,
	.commit_txn	= stream_commit_txn,
	.cancel_txn	= snap_cancel_txn,
	.check_period	= stream_check_period,
	.setup_aux	= snap_area_setup,
	.free_aux	= snap_area_free,
};

/**
 * snap_is_stream() - is this an event of pmscope_stream?
 * @event: any perf event
 */
bool snap_is_stream(const struct perf_event *event)
{
	return event->pmu == &stream_pmu;
}

/**
 * snap_stream_type() - attr.type of the events that stream
 */
int snap_stream_type(void)
{
	return stream_pmu.type;
}

/**
 * snap_stream_register() - before pmu_snapshot, which hands events over
 *
 * Return: 0 or -errno.
 */
int snap_stream_register(void)
{
	return perf_pmu_register(&stream_pmu, "pmscope_stream", -1);
}

/**
 * snap_stream_unregister() - undo snap_stream_register()
 */
void snap_stream_unregister(void)
{
	perf_pmu_unregister(&stream_pmu);
}
