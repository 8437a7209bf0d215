// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmscope_stream, the PMU of pmu_snapshot's events that stream: each trigger
 * captures the group of the event and writes a record (records.c).
 *
 * User space requests a record by read(2): perf core executes it on the CPU
 * where the event runs, with the whole group in a transaction.  That needs no
 * ioctl of ours, and the caller gets the counts of the capture that is
 * recorded.
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
#include "counter.h"
#include "snapshot/backing.h"
#include "snapshot/bpf.h"
#include "snapshot/event.h"
#include "snapshot/pmu.h"
#include "snapshot/records.h"
#include "snapshot/snapshot.h"
#include "snapshot/stream.h"
#include "sysreg.h"

#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pmscope.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uidgid.h>

/* MAX_INTERRUPTS of perf core: hw.interrupts of an event that it throttled */
#define THROTTLED (~0ULL)

static DEFINE_PER_CPU(struct pmscope_capture, snap_stream_cap);

static struct snap_stream *to_stream(const struct perf_event *event)
{
	return to_snap(event)->stream;
}

/* A record from a capture */

static void snap_stream_fill_register(struct pmscope_record_counter *to,
				      unsigned int n,
				      const struct pmscope_capture *cap)
{
	to->number = n;
	to->type = pmscope_counter_type(n);
	to->value = cap->value[n];
}

/* Return: the member's counter as a bit of PMCNTENSET_EL0, 0 if it has none. */
static u64 snap_stream_add_member(struct pmscope_record *record,
				  struct perf_event *member,
				  const struct pmscope_capture *cap)
{
	struct pmscope_record_counter *to = snap_records_next_counter(record);
	unsigned int n;

	*to = (struct pmscope_record_counter){
		.flags = PMSCOPE_COUNTER_MEMBER,
		.id = snap_primary_id(member),
		.count = local64_read(&member->count),
	};
	if (!snap_group_is_on_cpu(member)) {
		to->flags |= PMSCOPE_COUNTER_STALE;
		return 0;
	}
	n = snap_backing_number(to_snap(member)->counter);
	snap_stream_fill_register(to, n, cap);
	return BIT_ULL(n);
}

static u64 snap_stream_add_members(struct pmscope_record *record,
				   struct perf_event *leader,
				   const struct pmscope_capture *cap)
{
	struct perf_event *member = leader;
	u64 set = 0;

	for (; member; member = snap_next_member(leader, member))
		if (snap_event_is_ours(member) &&
		    record->nr_counters < PMSCOPE_NR_COUNTERS)
			set |= snap_stream_add_member(record, member, cap);
	return set;
}

static void snap_stream_add_others(struct pmscope_record *record, u64 set,
				   const struct pmscope_capture *cap)
{
	struct pmscope_record_counter *to;

	for (; set; set &= set - 1) {
		to = snap_records_next_counter(record);
		*to = (struct pmscope_record_counter){};
		snap_stream_fill_register(to, __ffs64(set), cap);
	}
}

static void snap_stream_add_spe(struct pmscope_record *record,
				const struct pmscope_spe_window *spe)
{
	record->flags |= PMSCOPE_RECORD_HAS_SPE;
	if (spe->frozen)
		record->flags |= PMSCOPE_RECORD_SPE_FROZEN;
	record->pmbsr = spe->pmbsr;
	record->pmbptr = spe->pmbptr;
	record->aux_offset = spe->aux_offset;
	record->aux_size = spe->aux_size;
}

/* PMSSCR_EL1 may be accessed where a hardware capture was tried. */
static u64 snap_stream_pmsscr(const struct pmscope_capture *cap)
{
	if (cap->backend != PMSCOPE_BACKEND_HARDWARE &&
	    cap->result == PMSCOPE_CAPTURED)
		return 0;
	return read_sysreg_s(SYS_PMSSCR_EL1);
}

/*
 * snap_record_fn: @cap was folded into the counts of the event's group, interrupts off
 * since then.
 */
static bool snap_stream_fill_record(struct snap_stream *stream,
				    struct pmscope_record *record,
				    const struct snap_trigger *trigger,
				    const struct pmscope_capture *cap)
{
	struct perf_event *event = stream->event;
	/* The ns of an inherited event is that of the task that forked. */
	struct pid_namespace *owner = (event->parent ?: event)->ns;
	u64 set;

	BUILD_BUG_ON(sizeof(*record) % 8);
	BUILD_BUG_ON(sizeof(struct pmscope_record_counter) % 8);

	if (!cap) {
		snap_group_capture(event, this_cpu_ptr(&snap_stream_cap));
		cap = this_cpu_ptr(&snap_stream_cap);
	}
	*record = (struct pmscope_record){
		.magic = PMSCOPE_RECORD_MAGIC,
		.version = PMSCOPE_RECORD_VERSION,
		.counters_at = sizeof(*record),
		.counter_size = sizeof(struct pmscope_record_counter),
		.trigger = trigger->by,
		.backend = cap->backend,
		.result = cap->result,
		.flags = trigger->throttled ? PMSCOPE_RECORD_THROTTLED : 0,
		.cpu = smp_processor_id(),
		.pid = task_tgid_nr_ns(current, owner),
		.tid = task_pid_nr_ns(current, owner),
		.id = snap_primary_id(event),
		.time = event->clock(),
		.cntvct = read_sysreg(cntvct_el0),
		.stopped = cap->stopped,
		.pmsscr = snap_stream_pmsscr(cap),
		.cookie = trigger->cookie,
	};
	if (trigger->spe)
		snap_stream_add_spe(record, trigger->spe);
	if (!stream->sees_all)
		record->pmbptr = 0;

	set = snap_stream_add_members(record, event->group_leader, cap);
	if (event->attr.config & PMSCOPE_SNAPSHOT_ALL)
		snap_stream_add_others(record, cap->counters & ~set, cap);
	return true;
}

/* Triggers */

static bool snap_stream_is_its_turn(struct snap_stream *stream)
{
	if (++stream->turns < stream->event->hw.sample_period)
		return false;
	stream->turns = 0;
	return true;
}

/*
 * Without privilege a stream must not learn when an SPE session of another user,
 * of another task, or of one with privilege, fills its area, or when a BPF
 * program requests a record.
 */
static bool snap_stream_may_know(const struct snap_stream *stream,
				 const struct snap_trigger *trigger)
{
	if (stream->sees_all || trigger->by == PMSCOPE_TRIGGER_READ)
		return true;
	return trigger->spe && !trigger->spe->sees_all &&
	       uid_eq(trigger->spe->owner, stream->owner) &&
	       trigger->spe->task == stream->event->ctx->task;
}

/* Interrupts off.  Return: the number of streams that have the trigger. */
static unsigned int snap_stream_trigger_all(enum pmscope_trigger by,
					    const struct snap_trigger *trigger)
{
	struct snap_stream *stream;
	unsigned int taken = 0;

	hlist_for_each_entry_rcu(stream, snap_records_running(), node,
				 irqs_disabled()) {
		if (stream->by != by || !snap_stream_may_know(stream, trigger))
			continue;
		taken++;
		if (snap_stream_is_its_turn(stream))
			snap_records_make(stream, trigger, NULL);
	}
	return taken;
}

/**
 * pmscope_streams_run() - does any stream run on this CPU?
 *
 * Context: interrupts off.
 * Return: true if so
 */
bool pmscope_streams_run(void)
{
	return !hlist_empty(snap_records_running());
}

/**
 * pmscope_stream_spe() - the SPE of this CPU had a buffer management event
 * @window: the data that it closes
 *
 * To be called early in the interrupt: the counters are captured here.
 *
 * Context: interrupts off.
 */
void pmscope_stream_spe(const struct pmscope_spe_window *window)
{
	const struct snap_trigger trigger = {
		.by = PMSCOPE_TRIGGER_SPE,
		.spe = window,
	};

	snap_stream_trigger_all(PMSCOPE_TRIGGER_SPE, &trigger);
}

/*
 * A BPF program requests a record of this CPU, from any context.  While another
 * record is being made it is counted as lost.  Returns the number of streams on
 * this CPU that take such requests: those that were opened with CAP_PERFMON.
 */
static unsigned int snap_stream_request(u64 cookie)
{
	const struct snap_trigger trigger = {
		.by = PMSCOPE_TRIGGER_BPF,
		.cookie = cookie,
	};
	unsigned long flags;
	unsigned int taken;

	local_irq_save(flags);
	taken = snap_stream_trigger_all(PMSCOPE_TRIGGER_READ, &trigger);
	local_irq_restore(flags);
	return taken;
}

/*
 * A read(2) may trigger a record.  @event leads the group that was read; @cap is
 * the capture that was read, with interrupts off since then.
 */
static void snap_stream_was_read(struct perf_event *event,
				 const struct pmscope_capture *cap)
{
	const struct snap_trigger trigger = { .by = PMSCOPE_TRIGGER_READ };
	struct snap_stream *stream = to_stream(event);

	if (stream->by == PMSCOPE_TRIGGER_READ &&
	    snap_stream_is_its_turn(stream))
		snap_records_make(stream, &trigger, cap);
}

/*
 * Overflow handler of the triggers of streams, in an interrupt or pseudo-NMI of
 * arm_pmu, which has stopped the PMU.  perf core gives an inherited trigger the
 * context of the first one: the backing that its event shares.
 */
static void snap_stream_overflow(struct perf_event *counter,
				 struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct snap_trigger trigger = {
		.by = PMSCOPE_TRIGGER_OVERFLOW,
		.throttled = counter->hw.interrupts == THROTTLED,
	};
	struct snap_stream *stream;

	hlist_for_each_entry_rcu(stream, snap_records_running(), node,
				 irqs_disabled()) {
		if (stream->by != PMSCOPE_TRIGGER_OVERFLOW ||
		    to_snap(stream->event)->backing !=
			    counter->overflow_handler_context)
			continue;
		snap_records_make(stream, &trigger, NULL);
		return;
	}
}

/* Opening */

/* PMSCOPE_TRIGGER_READ for requests, _NONE for more than one trigger */
static enum pmscope_trigger
snap_stream_trigger(const struct perf_event_attr *attr)
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

/*
 * -EINVAL for an invalid trigger or period, -EACCES without the privilege to see
 * all counters of a CPU.
 */
static int snap_stream_check(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	enum pmscope_trigger by = snap_stream_trigger(attr);

	if (!attr->sample_period || by == PMSCOPE_TRIGGER_NONE)
		return -EINVAL;
	if (by == PMSCOPE_TRIGGER_TIMER) {
		if (snap_records_check_timer(attr))
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

/*
 * pmu::check_period, for PERF_EVENT_IOC_PERIOD.  -EINVAL for a timer that is too
 * fast, and for an overflow: the period of a backing counter does not change.
 */
static int snap_stream_check_period(struct perf_event *event, u64 period)
{
	switch (snap_stream_trigger(&event->attr)) {
	case PMSCOPE_TRIGGER_TIMER:
		return period < PMSCOPE_TIMER_PERIOD_MIN ? -EINVAL : 0;
	case PMSCOPE_TRIGGER_OVERFLOW:
		return -EINVAL;
	default:
		return 0;
	}
}

static int snap_stream_create(struct perf_event *event)
{
	const struct snap_stream *parent =
		event->parent ? to_stream(event->parent) : NULL;
	enum pmscope_trigger by = snap_stream_trigger(&event->attr);

	to_snap(event)->stream =
		snap_records_create(event, by, snap_stream_fill_record, parent);
	return to_snap(event)->stream ? 0 : -ENOMEM;
}

/* The PMU: as pmu_snapshot, and triggers while the event runs */

static const struct snap_stream_ops snap_stream_ops = {
	.check		= snap_stream_check,
	.create		= snap_stream_create,
	.overflow	= snap_stream_overflow,
};

static int snap_streaming_open(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!snap_event_streams(&event->attr))
		return -EINVAL;
	return snap_event_init(event, &snap_stream_ops);
}

static void snap_streaming_start(struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED)) {
		if (flags & PERF_EF_RELOAD)
			snap_records_reload(to_stream(event));
		return;
	}
	snap_counting_pmu->start(event, flags);
	if (!(event->hw.state & PERF_HES_STOPPED))
		snap_records_start(to_stream(event));
}

static void snap_streaming_stop_all(struct perf_event *event)
{
	if (event->hw.state & PERF_HES_STOPPED || pmscope_throttled_in_nmi())
		return;
	snap_records_stop(to_stream(event));
	snap_counting_pmu->stop(event, PERF_EF_UPDATE);
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
	int ret = snap_counting_pmu->add(event, flags & ~PERF_EF_START);

	if (!ret && flags & PERF_EF_START)
		snap_streaming_start(event, flags);
	return ret;
}

static void snap_streaming_del(struct perf_event *event, int flags)
{
	snap_streaming_stop_all(event);
	snap_counting_pmu->del(event, flags);
}

/* The leader of the group that is read in this CPU's transaction, or NULL */
static DEFINE_PER_CPU(struct perf_event *, snap_streaming_leader);
static DEFINE_PER_CPU(bool, snap_streaming_in_read);

static void snap_streaming_start_txn(struct pmu *pmu, unsigned int flags)
{
	this_cpu_write(snap_streaming_in_read, flags & PERF_PMU_TXN_READ);
	this_cpu_write(snap_streaming_leader, NULL);
	snap_counting_pmu->start_txn(pmu, flags);
}

static void snap_streaming_read(struct perf_event *event)
{
	if (this_cpu_read(snap_streaming_in_read) && !in_nmi() &&
	    event->group_leader == event)
		this_cpu_write(snap_streaming_leader, event);
	snap_counting_pmu->read(event);
}

static int snap_streaming_commit_txn(struct pmu *pmu)
{
	const struct pmscope_capture *cap = snap_group_txn_capture();
	struct perf_event *event = this_cpu_read(snap_streaming_leader);
	int ret = snap_counting_pmu->commit_txn(pmu);

	this_cpu_write(snap_streaming_in_read, false);
	if (!ret && cap && event)
		snap_stream_was_read(event, cap);
	return ret;
}

static void snap_streaming_cancel_txn(struct pmu *pmu)
{
	snap_counting_pmu->cancel_txn(pmu);
}

static struct pmu snap_stream_pmu = {
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
	.cancel_txn	= snap_streaming_cancel_txn,
	.check_period	= snap_stream_check_period,
	.setup_aux	= snap_records_setup_aux,
	.free_aux	= snap_records_free_aux,
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

/**
 * pmscope_snapshot_init() - register the pmu_snapshot PMU
 * @groups: its files in sysfs
 *
 * Context: process, in module init.
 * Return: 0, -EOPNOTSUPP when no CPU has a usable back end, or an errno of
 * perf core.
 */
int pmscope_snapshot_init(const struct attribute_group **groups)
{
	int ret;

	if (!snap_any_backend())
		return -EOPNOTSUPP;
	ret = snap_bpf_init(snap_stream_request) ?:
	      snap_pmu_init(&snap_stream_pmu, groups);
	snap_registered = !ret;
	if (ret)
		pr_err("pmu_snapshot: registration failed: %d\n", ret);
	return ret;
}

/**
 * pmscope_snapshot_exit() - undo pmscope_snapshot_init(), also if it failed
 *
 * Context: process; no event of ours is left, and the module is unloaded.
 */
void pmscope_snapshot_exit(void)
{
	if (snap_registered)
		snap_pmu_exit();
	snap_registered = false;
	snap_bpf_exit();
}
