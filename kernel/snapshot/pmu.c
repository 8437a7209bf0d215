// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMUs: pmu_snapshot, and pmscope_stream for those of its events that
 * stream.
 *
 * Each event is backed by a counter of the arm_pmu (backing.c), and its group
 * is captured as a whole (group.c).
 *
 * User space opens streaming events as pmu_snapshot.  They have a PMU of their
 * own because a PMU either has AUX areas or has none, and perf core does not
 * let events of two PMUs with AUX areas share a ring buffer.  Events that only
 * count must be able to share one with arm_spe_<n>, as in
 * `perf record -e arm_spe_0// -e '{cpu-clock,pmu_snapshot/.../}:S'`.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "access.h"
#include "compat.h"
#include "snapshot/backing.h"
#include "snapshot/bpf.h"
#include "snapshot/event.h"
#include "snapshot/group.h"
#include "snapshot/snapshot.h"
#include "snapshot/stream.h"
#include "snapshot/sysfs.h"

#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/smp.h>

static struct pmu snapshot_pmu, stream_pmu;

/* pmu_snapshot */

/* With -ENOENT and another type perf core asks the PMU of that type. */
static int snap_event_open(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (snap_stream_is_wanted(&event->attr)) {
		event->attr.type = stream_pmu.type;
		return -ENOENT;
	}
	return snap_event_init(event);
}

static void snap_start(struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED) || !to_snap(event)->counter)
		return;
	event->hw.state = 0;
	snap_group_start(event);
	snap_bpf_add(event, to_snap(event)->counter);
}

static void snap_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED || pmscope_throttled_in_nmi())
		return;
	snap_group_stop(event);
	snap_bpf_del(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/*
 * With backend=hardware some CPUs may be unable to capture.  Events of tasks
 * that may run on such a CPU are refused, but it may come online later.
 */
static bool snap_is_captured_here(void)
{
	return pmscope_access_backend(smp_processor_id()) !=
	       PMSCOPE_BACKEND_NONE;
}

static int snap_add(struct perf_event *event, int flags)
{
	int ret = -EAGAIN;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (snap_is_captured_here())
		ret = snap_backing_attach(event);
	if (ret) {
		/* perf core removes the members that were added before. */
		snap_group_fail(event->group_leader);
		return ret;
	}
	pmscope_pin_context(event);
	if (flags & PERF_EF_START)
		snap_start(event, flags);
	return 0;
}

static void snap_del(struct perf_event *event, int flags)
{
	snap_stop(event, PERF_EF_UPDATE);
	snap_backing_detach(event);
	pmscope_unpin_context(event);
}

static struct pmu snapshot_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT,
	.attr_groups	= snap_sysfs_groups,
	.event_init	= snap_event_open,
	.add		= snap_add,
	.del		= snap_del,
	.start		= snap_start,
	.stop		= snap_stop,
	.read		= snap_group_read,
	.start_txn	= snap_group_start_txn,
	.commit_txn	= snap_group_commit_txn,
	.cancel_txn	= snap_group_cancel_txn,
};

/* pmscope_stream: the same, and triggers while the event runs */

static int snap_streaming_open(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!snap_stream_is_wanted(&event->attr))
		return -EINVAL;
	return snap_event_init(event);
}

static void snap_streaming_start(struct perf_event *event, int flags)
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

static void snap_streaming_stop_all(struct perf_event *event)
{
	if (event->hw.state & PERF_HES_STOPPED || pmscope_throttled_in_nmi())
		return;
	snap_stream_stop(event);
	snap_stop(event, PERF_EF_UPDATE);
}

/*
 * Where the ring buffer or the AUX area comes or goes, perf core stops the
 * event with PERF_EF_UPDATE, and does not start it again though its time goes
 * on.  That is to get the event out of the area before it is freed; a record
 * opens and closes the area with interrupts off, so this stop can be ignored.
 * The other stop with PERF_EF_UPDATE is followed by a start with
 * PERF_EF_RELOAD.
 */
static void snap_streaming_stop(struct perf_event *event, int flags)
{
	if (!(flags & PERF_EF_UPDATE))
		snap_streaming_stop_all(event);
}

static int snap_streaming_add(struct perf_event *event, int flags)
{
	int ret = snap_add(event, flags & ~PERF_EF_START);

	if (!ret && flags & PERF_EF_START)
		snap_streaming_start(event, flags);
	return ret;
}

static void snap_streaming_del(struct perf_event *event, int flags)
{
	snap_streaming_stop_all(event);
	snap_del(event, flags);
}

/* The leader of the group that is read in this CPU's transaction, or NULL */
static DEFINE_PER_CPU(struct perf_event *, snap_streaming_leader);
static DEFINE_PER_CPU(bool, snap_streaming_in_read);

static void snap_streaming_start_txn(struct pmu *pmu, unsigned int flags)
{
	this_cpu_write(snap_streaming_in_read, flags & PERF_PMU_TXN_READ);
	this_cpu_write(snap_streaming_leader, NULL);
	snap_group_start_txn(pmu, flags);
}

static void snap_streaming_read(struct perf_event *event)
{
	if (this_cpu_read(snap_streaming_in_read) && !in_nmi() &&
	    event->group_leader == event)
		this_cpu_write(snap_streaming_leader, event);
	snap_group_read(event);
}

static int snap_streaming_commit_txn(struct pmu *pmu)
{
	const struct pmscope_capture *cap = snap_group_txn_capture();
	struct perf_event *event = this_cpu_read(snap_streaming_leader);
	int ret = snap_group_commit_txn(pmu);

	this_cpu_write(snap_streaming_in_read, false);
	if (!ret && cap && event)
		snap_stream_was_read(event, cap);
	return ret;
}

static struct pmu stream_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.event_init	= snap_streaming_open,
	.add		= snap_streaming_add,
	.del		= snap_streaming_del,
	.start		= snap_streaming_start,
	.stop		= snap_streaming_stop,
	.read		= snap_streaming_read,
	.start_txn	= snap_streaming_start_txn,
	.commit_txn	= snap_streaming_commit_txn,
	.cancel_txn	= snap_group_cancel_txn,
	.check_period	= snap_stream_check_period,
	.setup_aux	= snap_stream_setup_aux,
	.free_aux	= snap_stream_free_aux,
};

/* Init and exit */

static bool snap_registered;

static bool snap_any_backend(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (pmscope_access_backend(cpu) != PMSCOPE_BACKEND_NONE)
			return true;
	return false;
}

/* pmscope_stream first: pmu_snapshot hands events over to it. */
static int snap_register_pmus(void)
{
	int ret = perf_pmu_register(&stream_pmu, "pmscope_stream", -1);

	if (ret)
		return ret;
	ret = perf_pmu_register(&snapshot_pmu, "pmu_snapshot", -1);
	if (ret)
		perf_pmu_unregister(&stream_pmu);
	return ret;
}

/**
 * pmscope_snapshot_init() - register the pmu_snapshot PMU
 *
 * Context: process, in module init.
 * Return: 0, -EOPNOTSUPP when no CPU has a usable back end, or an errno of
 * perf core.
 */
int pmscope_snapshot_init(void)
{
	int ret;

	/* SPE asks for streams where there are no snapshots, too. */
	snap_stream_init();
	if (!snap_any_backend())
		return -EOPNOTSUPP;

	snap_group_init(&snapshot_pmu, &stream_pmu);
	ret = snap_stream_alloc_room() ?: snap_bpf_alloc() ?:
	      snap_backing_init();
	if (ret)
		goto out;
	ret = snap_register_pmus();
	if (ret)
		goto out_backing;
	snap_registered = true;
	return 0;

out_backing:
	snap_backing_exit();
out:
	snap_bpf_free();
	snap_stream_free_room();
	pr_err("pmu_snapshot: registration failed: %d\n", ret);
	return ret;
}

/**
 * pmscope_snapshot_exit() - undo pmscope_snapshot_init(), also if it failed
 *
 * Context: process; no event of ours is left.
 */
void pmscope_snapshot_exit(void)
{
	if (!snap_registered)
		return;
	perf_pmu_unregister(&snapshot_pmu);
	perf_pmu_unregister(&stream_pmu);
	snap_backing_exit();
	snap_group_exit();
	snap_bpf_free();
	snap_stream_free_room();
	snap_registered = false;
}
