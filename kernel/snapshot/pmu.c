// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu_snapshot: what perf core calls.
 *
 * Each event is backed by a counter of the arm_pmu (backing.c), and its group is
 * captured as a whole: one capture serves all members.
 *
 * An event's own count moves only at captures: a base when it starts, a delta
 * whenever it is read or stopped.  perf core works on a whole group in two
 * ways:
 *
 * - read(2) of a group and scheduling a group in are transactions, when one of
 *   our events leads the group;
 * - under a leader of another PMU (`{cpu-clock,pmu_snapshot/.../,...}:S`), and
 *   when a group is stopped, perf core calls us once per member without a
 *   transaction.  The first member captures.  Each other member of the group
 *   uses the same capture, once, and only until interrupts are enabled again.
 *   A member that is called a second time starts the next capture.
 *
 * A group that loses one of its counters fails as a whole: a group is read to
 * relate its counts, and they would be of different times.
 */
#include "access.h"
#include "capture.h"
#include "compat.h"
#include "snapshot/backing.h"
#include "snapshot/bpf.h"
#include "snapshot/event.h"
#include "snapshot/pmu.h"

#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <asm/cpufeature.h>

/* A pseudo-NMI may fold a counter after the capture: then capture again */
#define FOLD_RACES	4

/**
 * struct snap_group_cpu - the capture that serves a group
 * @cap: the capture
 * @generation: its number, unique among all CPUs
 * @leader: the group that may still take it outside a transaction, or NULL
 * @txn: a transaction is open, and has done its capture
 * @failed: in a transaction: the leader of a group that has lost a counter
 * @expire: runs as soon as interrupts are enabled, and resets @leader
 */
struct snap_group_cpu {
	struct pmscope_capture cap;
	u64 generation;
	struct perf_event *leader;
	enum { TXN_NONE, TXN_OPEN, TXN_CAPTURED } txn;
	struct perf_event *failed;
	struct irq_work expire;
};

static DEFINE_PER_CPU(struct snap_group_cpu, snap_group_cpu);

/* Groups that have lost a counter */

static bool snap_group_lost_counter(struct perf_event *leader)
{
	const struct perf_event *counter;
	struct perf_event *member = leader;

	for (; member; member = snap_next_member(leader, member)) {
		if (!snap_event_is_ours(member))
			continue;
		counter = to_snap(member)->counter;
		if (counter &&
		    READ_ONCE(counter->state) == PERF_EVENT_STATE_ERROR)
			return true;
	}
	return false;
}

/*
 * Mark each member of a group: it counts no more.  Counts that are not folded yet
 * stay unfolded until the members start again.
 */
static void snap_group_fail(struct perf_event *leader)
{
	struct perf_event *member = leader;

	for (; member; member = snap_next_member(leader, member))
		if (snap_event_is_ours(member))
			to_snap(member)->error = true;
}

/*
 * Has the group lost a counter?  Pinned counters of a CPU go before those of a
 * task, which perf core then puts into the error state, one by one, for good.
 * Members that stop first forget their counter, so all are marked at once.
 */
static bool snap_group_has_failed(struct perf_event *event)
{
	if (!to_snap(event)->error &&
	    snap_group_lost_counter(event->group_leader))
		snap_group_fail(event->group_leader);
	return to_snap(event)->error;
}

/*
 * A member that is read alone has no error to return, as a transaction has.  So
 * its running time stops with its count, and users scale as for any event that
 * did not always run.
 */
static void snap_group_freeze_running_time(struct perf_event *event)
{
	/* A pseudo-NMI may have interrupted perf core's update of it. */
	if (!in_nmi())
		event->total_time_running = to_snap(event)->ran;
}

/* Folds */

/* Bring the event's count up to what its counter had counted at a capture. */
static __always_inline void snap_group_fold(struct perf_event *event, u64 value)
{
	struct snap_event *snap = to_snap(event);
	bool masks = system_uses_irq_prio_masking();
	unsigned long daif = 0;
	u64 prev;

	/* A pseudo-NMI may fold the same event, or record its count. */
	if (masks)
		daif = pmscope_mask_all_irqs();
	prev = local64_read(&event->hw.prev_count);
	local64_set(&event->hw.prev_count, value);
	local64_add(value - prev, &event->count);
	if (masks)
		pmscope_restore_irqs(daif);
	snap->before = prev;
	snap->ran_before = snap->ran;
	snap->ran = event->total_time_running;
}

static void snap_group_unfold(struct perf_event *event)
{
	struct snap_event *snap = to_snap(event);

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	local64_sub(local64_read(&event->hw.prev_count) - snap->before,
		    &event->count);
	local64_set(&event->hw.prev_count, snap->before);
	snap->ran = snap->ran_before;
	snap_group_freeze_running_time(event);
}

/* Back to the capture before this transaction, in which each member was read */
static void snap_group_unfold_all(struct perf_event *leader)
{
	struct perf_event *member = leader;

	for (; member; member = snap_next_member(leader, member))
		if (snap_event_is_ours(member))
			snap_group_unfold(member);
}

/* Captures that serve a group */

static void snap_group_expire(struct irq_work *work)
{
	container_of(work, struct snap_group_cpu, expire)->leader = NULL;
}

static void snap_group_take_capture(struct snap_group_cpu *sc,
				    struct perf_event *counter)
{
	pmscope_capture(BIT_ULL(snap_backing_number(counter)), &sc->cap);
	sc->generation += nr_cpu_ids;
	sc->leader = NULL;
	if (sc->txn == TXN_OPEN)
		sc->txn = TXN_CAPTURED;
}

/*
 * read(2) of one member updates the times of that member only; of a group,
 * those of all.  Sampling updates none.
 */
static bool snap_group_is_read_alone(const struct perf_event *event)
{
	return event->tstamp != to_snap(event)->tstamp &&
	       event->tstamp != event->group_leader->tstamp;
}

static bool snap_group_may_share(const struct snap_group_cpu *sc,
				 const struct perf_event *event, bool alone)
{
	return !alone && sc->leader == event->group_leader &&
	       sc->generation != to_snap(event)->served;
}

/* Interrupts are off, and no pseudo-NMI runs. */
static void snap_group_capture_outside_txn(struct snap_group_cpu *sc,
					   struct perf_event *event, bool alone)
{
	struct perf_event *leader = event->group_leader;

	if (snap_group_may_share(sc, event, alone))
		return;
	snap_group_take_capture(sc, to_snap(event)->counter);
	if (!alone && leader->nr_siblings) {
		sc->leader = leader;
		irq_work_queue(&sc->expire);
	}
}

static u64 snap_group_value_of_own_capture(struct perf_event *counter)
{
	struct pmscope_capture cap;
	unsigned int tries;
	u64 value;

	for (tries = 0; tries < FOLD_RACES; tries++) {
		pmscope_capture(BIT_ULL(snap_backing_number(counter)), &cap);
		if (snap_backing_value(counter, &cap, &value))
			return value;
	}
	return local64_read(&counter->count);
}

/* The count of the event's counter at the capture of its group */
static u64 snap_group_value(struct perf_event *event, bool alone)
{
	struct snap_group_cpu *sc = this_cpu_ptr(&snap_group_cpu);
	struct snap_event *snap = to_snap(event);
	struct perf_event *counter = snap->counter;
	u64 value;

	/* arm_pmu folded it, with the PMU stopped, when it left the CPU. */
	if (!snap_backing_on_cpu(counter))
		return local64_read(&counter->count);
	/* The capture of what the pseudo-NMI interrupted must not change. */
	if (in_nmi())
		return snap_group_value_of_own_capture(counter);

	if (sc->txn == TXN_NONE)
		snap_group_capture_outside_txn(sc, event, alone);
	else if (sc->txn == TXN_OPEN)
		snap_group_take_capture(sc, counter);
	snap->served = sc->generation;
	if (snap_backing_value(counter, &sc->cap, &value))
		return value;
	return snap_group_value_of_own_capture(counter);
}

/* Calls of perf core for one event */

static void snap_group_start(struct perf_event *event)
{
	struct snap_event *snap = to_snap(event);

	snap->error = false;
	snap->ran = event->total_time_running;
	snap->tstamp = event->tstamp;
	local64_set(&event->hw.prev_count, snap_group_value(event, false));
}

/* Bring the count of an event up to date for the last time. */
static void snap_group_stop(struct perf_event *event)
{
	if (snap_group_has_failed(event))
		snap_group_freeze_running_time(event);
	else
		snap_group_fold(event, snap_group_value(event, false));
}

/* The most frequent case: perf core reads a whole group */
static __always_inline bool snap_group_fold_in_txn(struct perf_event *event)
{
	struct snap_group_cpu *sc = this_cpu_ptr(&snap_group_cpu);
	struct snap_event *snap = to_snap(event);
	u64 value;

	if (sc->txn == TXN_NONE || in_nmi() ||
	    (event->hw.state & PERF_HES_STOPPED) ||
	    !snap_backing_on_cpu(snap->counter))
		return false;
	if (sc->txn == TXN_OPEN)
		snap_group_take_capture(sc, snap->counter);
	if (!snap_backing_value(snap->counter, &sc->cap, &value))
		return false;

	snap->tstamp = event->tstamp;
	snap_group_fold(event, value);
	return true;
}

static noinline void snap_group_read_slow(struct perf_event *event)
{
	bool alone = snap_group_is_read_alone(event);
	struct snap_event *snap = to_snap(event);

	snap->tstamp = event->tstamp;
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	if (!snap_group_has_failed(event)) {
		snap_group_fold(event, snap_group_value(event, alone));
		return;
	}
	snap_group_freeze_running_time(event);
	this_cpu_ptr(&snap_group_cpu)->failed = event->group_leader;
	snap->before = local64_read(&event->hw.prev_count);
	snap->ran_before = snap->ran;
}

/* pmu::read, also in a pseudo-NMI */
static void snap_group_read(struct perf_event *event)
{
	if (!snap_group_fold_in_txn(event))
		snap_group_read_slow(event);
}

/* Transactions */

/* Both kinds of transaction are alike. */
static void snap_group_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct snap_group_cpu *sc = this_cpu_ptr(&snap_group_cpu);

	sc->txn = TXN_OPEN;
	sc->failed = NULL;
}

/*
 * -EBUSY where the group has lost a counter: the read fails instead of returning
 * a stale count.
 */
static int snap_group_commit_txn(struct pmu *pmu)
{
	struct snap_group_cpu *sc = this_cpu_ptr(&snap_group_cpu);

	sc->txn = TXN_NONE;
	if (!sc->failed)
		return 0;
	snap_group_unfold_all(sc->failed);
	return -EBUSY;
}

static void snap_group_cancel_txn(struct pmu *pmu)
{
	this_cpu_ptr(&snap_group_cpu)->txn = TXN_NONE;
}

/**
 * snap_group_txn_capture() - the capture of the transaction that is open
 *
 * Context: interrupts off.
 * Return: NULL if it has done none.
 */
const struct pmscope_capture *snap_group_txn_capture(void)
{
	struct snap_group_cpu *sc = this_cpu_ptr(&snap_group_cpu);

	return sc->txn == TXN_CAPTURED ? &sc->cap : NULL;
}

/* Captures outside of perf's calls */

static u64 snap_group_counters(struct perf_event *leader)
{
	const struct perf_event *counter;
	struct perf_event *member = leader;
	u64 set = 0;

	for (; member; member = snap_next_member(leader, member)) {
		if (!snap_event_is_ours(member) ||
		    !snap_group_is_on_cpu(member))
			continue;
		counter = to_snap(member)->counter;
		set |= BIT_ULL(snap_backing_number(counter));
	}
	return set;
}

static bool snap_group_fold_all(struct perf_event *leader,
				const struct pmscope_capture *cap)
{
	struct perf_event *member = leader;
	u64 value;

	for (; member; member = snap_next_member(leader, member)) {
		if (!snap_event_is_ours(member) ||
		    !snap_group_is_on_cpu(member))
			continue;
		if (!snap_backing_value(to_snap(member)->counter, cap, &value))
			return false;
		snap_group_fold(member, value);
	}
	return true;
}

/**
 * snap_group_capture() - capture, and bring the counts of a group up to it
 * @event: any member, active on this CPU
 * @cap: the capture
 *
 * Context: interrupts off, also in a pseudo-NMI.
 */
void snap_group_capture(struct perf_event *event, struct pmscope_capture *cap)
{
	struct perf_event *leader = event->group_leader;
	unsigned int tries = 0;

	snap_group_has_failed(event);
	do {
		pmscope_capture(snap_group_counters(leader), cap);
	} while (!snap_group_fold_all(leader, cap) && ++tries < FOLD_RACES);
}

/* The PMU */

/*
 * With -ENOENT and another type perf core asks the PMU of that type; in the
 * kernel, forward_event_to_ibs() of AMD's PMU relies on it, too.
 */
static int snap_open(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (snap_event_streams(&event->attr)) {
		event->attr.type = snap_streaming_pmu->type;
		return -ENOENT;
	}
	return snap_event_init(event, NULL);
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

static struct pmu snap_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT,
	.event_init	= snap_open,
	.add		= snap_add,
	.del		= snap_del,
	.start		= snap_start,
	.stop		= snap_stop,
	.read		= snap_group_read,
	.start_txn	= snap_group_start_txn,
	.commit_txn	= snap_group_commit_txn,
	.cancel_txn	= snap_group_cancel_txn,
};

/* Init and exit */

static void snap_group_init(void)
{
	struct snap_group_cpu *sc;
	int cpu;

	for_each_possible_cpu(cpu) {
		sc = per_cpu_ptr(&snap_group_cpu, cpu);
		sc->generation = cpu;
		sc->expire = IRQ_WORK_INIT_HARD(snap_group_expire);
	}
}

static void snap_group_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&snap_group_cpu, cpu)->expire);
}

/* pmscope_stream first: pmu_snapshot hands events over to it. */
static int snap_pmu_register(void)
{
	int ret = perf_pmu_register(snap_streaming_pmu, "pmscope_stream", -1);

	if (ret)
		return ret;
	ret = perf_pmu_register(snap_counting_pmu, "pmu_snapshot", -1);
	if (ret)
		perf_pmu_unregister(snap_streaming_pmu);
	return ret;
}

/**
 * snap_pmu_init() - register pmu_snapshot and pmscope_stream
 * @streaming: pmscope_stream, for the events of pmu_snapshot that stream
 * @groups: files of pmu_snapshot in sysfs
 *
 * Context: process, in module init; snap_backing_init() was called.
 * Return: 0 or -errno.
 */
int snap_pmu_init(struct pmu *streaming, const struct attribute_group **groups)
{
	snap_group_init();
	snap_pmu.attr_groups = groups;
	snap_counting_pmu = &snap_pmu;
	snap_streaming_pmu = streaming;
	return snap_pmu_register();
}

/**
 * snap_pmu_exit() - undo snap_pmu_init()
 *
 * Context: process; no event of ours is left.
 */
void snap_pmu_exit(void)
{
	perf_pmu_unregister(snap_counting_pmu);
	perf_pmu_unregister(snap_streaming_pmu);
	snap_group_exit();
}
