// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pmu_snapshot PMU: counts of a group that belong to one instant.
 *
 * Each event is backed by a counter of the arm_pmu (backing.c).  The event's
 * own count moves only at captures: a base when it starts, a delta whenever it
 * is read or stopped.  Whatever perf core does to a whole group is served by
 * one capture:
 *
 * - read(2) of a group and scheduling a group in come as transactions, when
 *   one of our events leads the group;
 * - under a foreign leader (`{cpu-clock,pmu_snapshot/.../,...}:S`), and when a
 *   group is stopped, perf core calls us once per member and says nothing.  The
 *   first member captures; another member of the same group takes the same
 *   capture, once, and only until interrupts are enabled again.  A member that
 *   comes a second time starts the next capture.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "snapshot/backing.h"
#include "snapshot/bpf.h"
#include "capture.h"
#include "cpu.h"
#include "compat.h"
#include "access.h"
#include "snapshot/snapshot.h"
#include "snapshot/event.h"
#include "snapshot/stream.h"

#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

/**
 * struct snap_cpu - the capture that serves a group
 * @cap: the capture
 * @generation: its number, unique among all CPUs
 * @leader: the group that may still take it outside a transaction, or NULL
 * @txn: a transaction is open, and has done its capture
 * @ended: in a transaction: the leader of a group that has lost a counter
 * @expire: runs as soon as interrupts are enabled; @leader ends there
 */
struct snap_cpu {
	struct pmscope_capture cap;
	u64 generation;
	struct perf_event *leader;
	enum { TXN_NONE, TXN_OPEN, TXN_CAPTURED } txn;
	struct perf_event *ended;
	struct irq_work expire;
};

static DEFINE_PER_CPU(struct snap_cpu, snap_cpu);
static struct pmu snapshot_pmu;

static void expire_capture(struct irq_work *work)
{
	container_of(work, struct snap_cpu, expire)->leader = NULL;
}

/* Capture */

static void take_capture(struct snap_cpu *sc, struct perf_event *counter)
{
	pmscope_capture(BIT_ULL(pmscope_backing_number(counter)), &sc->cap);
	sc->generation += nr_cpu_ids;
	sc->leader = NULL;
	if (sc->txn == TXN_OPEN)
		sc->txn = TXN_CAPTURED;
}

/*
 * read(2) of one member updates the times of that member only; of a group,
 * those of all.  Sampling updates none.
 */
static bool is_read_alone(const struct perf_event *event)
{
	return event->tstamp != to_snap(event)->tstamp &&
	       event->tstamp != event->group_leader->tstamp;
}

static bool may_share(const struct snap_cpu *sc, const struct perf_event *event,
		      bool alone)
{
	return !alone && sc->leader == event->group_leader &&
	       sc->generation != to_snap(event)->served;
}

/* Interrupts are off, and no pseudo-NMI runs. */
static void capture_outside_txn(struct snap_cpu *sc, struct perf_event *event,
				bool alone)
{
	struct perf_event *leader = event->group_leader;

	if (may_share(sc, event, alone))
		return;
	take_capture(sc, to_snap(event)->counter);
	if (!alone && leader->nr_siblings) {
		sc->leader = leader;
		irq_work_queue(&sc->expire);
	}
}

static u64 value_from_own_capture(struct perf_event *counter)
{
	struct pmscope_capture cap;
	unsigned int tries;
	u64 value;

	for (tries = 0; tries < SNAP_FOLD_RACES; tries++) {
		pmscope_capture(BIT_ULL(pmscope_backing_number(counter)), &cap);
		if (pmscope_backing_value(counter, &cap, &value))
			return value;
	}
	return local64_read(&counter->count);
}

/* What the event's counter had counted at the capture of its group */
static u64 captured_value(struct perf_event *event, bool alone)
{
	struct snap_cpu *sc = this_cpu_ptr(&snap_cpu);
	struct snap_event *snap = to_snap(event);
	struct perf_event *counter = snap->counter;
	u64 value;

	/* arm_pmu folded it, with the PMU stopped, when it left the CPU. */
	if (!pmscope_backing_on_cpu(counter))
		return local64_read(&counter->count);
	/* The capture of what was interrupted stays as it is. */
	if (in_nmi())
		return value_from_own_capture(counter);

	if (sc->txn == TXN_NONE)
		capture_outside_txn(sc, event, alone);
	else if (sc->txn == TXN_OPEN)
		take_capture(sc, counter);
	snap->served = sc->generation;
	if (pmscope_backing_value(counter, &sc->cap, &value))
		return value;
	return value_from_own_capture(counter);
}

/* A member of a group that is read: the bulk of all reads */
static __always_inline bool fold_from_txn(struct perf_event *event)
{
	struct snap_cpu *sc = this_cpu_ptr(&snap_cpu);
	struct snap_event *snap = to_snap(event);
	u64 value;

	if (sc->txn == TXN_NONE || in_nmi() ||
	    (event->hw.state & PERF_HES_STOPPED) ||
	    !pmscope_backing_on_cpu(snap->counter))
		return false;
	if (sc->txn == TXN_OPEN)
		take_capture(sc, snap->counter);
	if (!pmscope_backing_value(snap->counter, &sc->cap, &value))
		return false;

	snap->tstamp = event->tstamp;
	snap_fold(event, value);
	return true;
}

/**
 * snap_is_ours() - is this event of pmu_snapshot?
 * @event: any perf event
 */
bool snap_is_ours(const struct perf_event *event)
{
	return event->pmu == &snapshot_pmu || snap_is_stream(event);
}

/* perf callbacks; those of streaming events come here, too */

void snap_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct snap_cpu *sc = this_cpu_ptr(&snap_cpu);

	sc->txn = TXN_OPEN;
	sc->ended = NULL;
}

int snap_commit_txn(struct pmu *pmu)
{
	struct snap_cpu *sc = this_cpu_ptr(&snap_cpu);

	sc->txn = TXN_NONE;
	if (!sc->ended)
		return 0;
	/* Better no count than one that stood still unseen. */
	snap_unfold_group(sc->ended);
	return -EBUSY;
}

void snap_cancel_txn(struct pmu *pmu)
{
	this_cpu_ptr(&snap_cpu)->txn = TXN_NONE;
}

/**
 * snap_txn_capture() - the capture of the transaction that is open
 *
 * Return: NULL if it has done none.  Interrupts off.
 */
const struct pmscope_capture *snap_txn_capture(void)
{
	struct snap_cpu *sc = this_cpu_ptr(&snap_cpu);

	return sc->txn == TXN_CAPTURED ? &sc->cap : NULL;
}

void snap_start(struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED) || !to_snap(event)->counter)
		return;
	event->hw.state = 0;
	to_snap(event)->ended = false;
	to_snap(event)->ran = event->total_time_running;
	to_snap(event)->tstamp = event->tstamp;
	local64_set(&event->hw.prev_count, captured_value(event, false));
	pmscope_bpf_add(event, to_snap(event)->counter);
}

void snap_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED || pmscope_throttled_in_nmi())
		return;
	if (!snap_note_end(event))
		snap_fold(event, captured_value(event, false));
	else
		snap_hold_time(event);
	pmscope_bpf_del(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/*
 * With backend=hardware there are CPUs that nobody captures.  Tasks that may come
 * to one get no event, but it may have come online later than the event.
 */
static bool is_captured_here(void)
{
	return pmscope_access_backend(smp_processor_id()) !=
	       PMSCOPE_BACKEND_NONE;
}

/* 0 also for one without a counter; -EAGAIN where it cannot count. */
static int take_counter(struct perf_event *event)
{
	struct snap_event *snap = to_snap(event);

	if (!is_captured_here())
		return -EAGAIN;
	snap->counter = pmscope_backing_counter(snap->backing, event);
	/* What such a task still does is not counted, and not scaled for. */
	if (!snap->counter)
		return pmscope_has_lost_counters(event) ? 0 : -EAGAIN;
	if (pmscope_backing_on_cpu(snap->counter)) {
		pmscope_backing_attach(snap->counter, event);
		return 0;
	}
	/* There is no del() after an add() that failed. */
	snap->counter = NULL;
	return -EAGAIN;
}

int snap_add(struct perf_event *event, int flags)
{
	int ret;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	ret = take_counter(event);
	if (ret) {
		/* The members before it go again, and have counted nothing. */
		snap_end_group(event->group_leader);
		return ret;
	}
	pmscope_pin_context(event);
	if (flags & PERF_EF_START)
		snap_start(event, flags);
	return 0;
}

static void give_counter_up(struct snap_event *snap)
{
	if (!snap->counter)
		return;
	pmscope_backing_detach(snap->counter);
	snap->counter = NULL;
}

void snap_del(struct perf_event *event, int flags)
{
	snap_stop(event, PERF_EF_UPDATE);
	give_counter_up(to_snap(event));
	pmscope_unpin_context(event);
}

/**
 * snap_lose_counter() - the counter of an event is about to be freed
 * @event: on this CPU, with a counter that is not; interrupts off
 *
 * What it counted is folded.  The rest of the task's exit is not counted, as that
 * of a task which leaves the CPU here and comes back.
 */
void snap_lose_counter(struct perf_event *event)
{
	event->pmu->stop(event, 0);
	give_counter_up(to_snap(event));
}

static noinline void read_and_capture(struct perf_event *event)
{
	bool alone = is_read_alone(event);

	to_snap(event)->tstamp = event->tstamp;
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	if (!snap_note_end(event)) {
		snap_fold(event, captured_value(event, alone));
		return;
	}
	snap_hold_time(event);
	this_cpu_ptr(&snap_cpu)->ended = event->group_leader;
	to_snap(event)->before = local64_read(&event->hw.prev_count);
	to_snap(event)->ran_before = to_snap(event)->ran;
}

void snap_read(struct perf_event *event)
{
	if (!fold_from_txn(event))
		read_and_capture(event);
}

/* Init and exit */

static const struct attribute_group *snapshot_attr_groups[] = {
	&pmscope_snapshot_events_group,
	&pmscope_snapshot_format_group,
	&pmscope_snapshot_caps_group,
	&pmscope_snapshot_stats_group,
	NULL
};

static struct pmu snapshot_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT,
	.attr_groups	= snapshot_attr_groups,
	.event_init	= snap_event_init,
	.add		= snap_add,
	.del		= snap_del,
	.start		= snap_start,
	.stop		= snap_stop,
	.read		= snap_read,
	.start_txn	= snap_start_txn,
	.commit_txn	= snap_commit_txn,
	.cancel_txn	= snap_cancel_txn,
};

static bool registered;

static bool any_backend(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (pmscope_access_backend(cpu) != PMSCOPE_BACKEND_NONE)
			return true;
	return false;
}

/**
 * pmscope_snapshot_init() - register the pmu_snapshot PMU
 *
 * Return: 0, -EOPNOTSUPP when no CPU has a usable back end, or an errno of
 * perf core.
 */
int pmscope_snapshot_init(void)
{
	struct snap_cpu *sc;
	int cpu, ret;

	/* SPE asks for streams where there are no snapshots, too. */
	snap_stream_init();
	if (!any_backend())
		return -EOPNOTSUPP;

	for_each_possible_cpu(cpu) {
		sc = per_cpu_ptr(&snap_cpu, cpu);
		sc->generation = cpu;
		sc->expire = IRQ_WORK_INIT_HARD(expire_capture);
	}
	ret = snap_stream_alloc_room() ?: pmscope_bpf_alloc() ?:
	      pmscope_backing_init();
	if (ret)
		goto out;
	ret = snap_stream_register();
	if (ret)
		goto out_backing;
	ret = perf_pmu_register(&snapshot_pmu, "pmu_snapshot", -1);
	if (ret)
		goto out_stream;
	registered = true;
	return 0;

out_stream:
	snap_stream_unregister();
out_backing:
	pmscope_backing_exit();
out:
	pmscope_bpf_free();
	snap_stream_free_room();
	pr_err("pmu_snapshot: registration failed: %d\n", ret);
	return ret;
}

/**
 * pmscope_snapshot_exit() - undo pmscope_snapshot_init(), also if it failed
 */
void pmscope_snapshot_exit(void)
{
	int cpu;

	if (!registered)
		return;
	perf_pmu_unregister(&snapshot_pmu);
	snap_stream_unregister();
	pmscope_backing_exit();
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&snap_cpu, cpu)->expire);
	pmscope_bpf_free();
	snap_stream_free_room();
	registered = false;
}
