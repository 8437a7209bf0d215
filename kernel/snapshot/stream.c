// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams: at each trigger the group of a streaming event is captured and a
 * record goes to its AUX area.  perf_event_overflow(), which would write
 * samples, is not exported to modules.
 *
 * read(2) is how user space asks for a record.  Of the calls that work on the
 * descriptor of a perf event it is the one that perf core carries to the CPU
 * where the event runs, with the whole group in a transaction; it needs no
 * request code of ours, and the caller gets the counts of the very capture that
 * is recorded.
 */
#include "compat.h"
#include "counter.h"
#include "snapshot/backing.h"
#include "snapshot/event.h"
#include "snapshot/group.h"
#include "snapshot/stream.h"
#include "sysreg.h"

#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/pmscope.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

/* Every counter once, and a member more for each event that lost its own */
#define RECORD_COUNTERS	(2 * PMSCOPE_NR_COUNTERS)
#define RECORD_MAX                                                 \
	(sizeof(struct pmscope_record) +                                \
	 RECORD_COUNTERS * sizeof(struct pmscope_record_counter))

/**
 * struct snap_trigger - why a record is made
 * @by: the trigger
 * @cookie: of a BPF program
 * @throttled: perf stops the trigger until the next tick
 * @spe: of an SPE management event, else NULL
 */
struct snap_trigger {
	enum pmscope_trigger by;
	u64 cookie;
	bool throttled;
	const struct pmscope_spe_window *spe;
};

/**
 * struct snap_stream - the streaming side of an event
 * @event: the event
 * @by: its trigger
 * @timer: for the timer
 * @turns: triggers since the last record, where sample_period counts those
 * @lost: records dropped since the last one that was written
 * @sees_all: addresses of the kernel, and what others say or do, go into the
 *	records
 * @node: in the list of its CPU, while it runs
 */
struct snap_stream {
	struct perf_event *event;
	enum pmscope_trigger by;
	struct hrtimer timer;
	u64 turns;
	local64_t lost;
	bool sees_all;
	struct list_head node;
};

/**
 * struct stream_cpu - this CPU's part
 * @running: the streams that run here
 * @busy: a record is being made; a pseudo-NMI, or a BPF program that traces
 *	perf core, may come in between
 * @stats: records so far
 * @rest_until: no timer makes a record before
 * @handle: for the record that is being made
 * @cap: its capture
 */
struct stream_cpu {
	struct list_head running;
	bool busy;
	struct snap_stream_stats stats;
	ktime_t rest_until;
	struct perf_output_handle handle;
	struct pmscope_capture cap;
};

/* hw.interrupts of an event that perf has throttled: its MAX_INTERRUPTS */
#define THROTTLED (~0ULL)

static DEFINE_PER_CPU(struct stream_cpu, stream_cpu);

/*
 * The record that is being made, RECORD_MAX bytes.  What is defined per CPU
 * comes out of 8 KiB that all modules share (PERCPU_MODULE_RESERVE).
 */
static struct pmscope_record __percpu *record_room;

static struct snap_stream *to_stream(const struct perf_event *event)
{
	return to_snap(event)->stream;
}

/* The AUX area: whole records, one after the other */

/**
 * struct snap_area - the AUX area of a ring buffer
 * @pages: its pages; perf core's array, which outlives this
 * @size: bytes, a power of two
 * @snapshot: mapped read-only: the oldest data is overwritten
 */
struct snap_area {
	void **pages;
	u64 size;
	bool snapshot;
};

/**
 * snap_stream_setup_aux() - pmu::setup_aux
 * @event: the event that owns the AUX area
 * @pages: kernel addresses of its pages
 * @nr_pages: how many
 * @snapshot: the area is mapped read-only
 *
 * Return: the struct snap_area, or NULL.
 */
void *snap_stream_setup_aux(struct perf_event *event, void **pages,
			    int nr_pages, bool snapshot)
{
	struct snap_area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->pages = pages;
	area->size = (u64)nr_pages << PAGE_SHIFT;
	area->snapshot = snapshot;
	return area;
}

/**
 * snap_stream_free_aux() - pmu::free_aux
 * @aux: what snap_stream_setup_aux() returned
 */
void snap_stream_free_aux(void *aux)
{
	kfree(aux);
}

static void copy(const struct snap_area *area, u64 pos, const void *data,
		 u64 len)
{
	u64 part;

	for (; len; len -= part, data += part, pos += part) {
		u64 at = pos & (area->size - 1);

		part = min_t(u64, len, PAGE_SIZE - offset_in_page(at));
		memcpy(area->pages[at >> PAGE_SHIFT] + offset_in_page(at), data,
		       part);
	}
}

/*
 * The last 7 bytes stay free (CIRC_SPACE), so a head on a multiple of 8 never
 * meets the tail, which perf core would take for a reason to stop the event.
 */
static bool fits(const struct perf_output_handle *handle,
		 const struct snap_area *area,
		 const struct pmscope_record *record)
{
	return record->size <= (area->snapshot ? area->size : handle->size);
}

/* Write the record and close the area; false, and nothing written, without room */
static bool end_area(struct perf_output_handle *handle,
		     const struct snap_area *area,
		     const struct pmscope_record *record)
{
	if (!fits(handle, area, record)) {
		perf_aux_output_end(handle, 0);
		return false;
	}

	copy(area, handle->head, record, record->size);
	if (record->lost)
		perf_aux_output_flag(handle, PERF_AUX_FLAG_PARTIAL);
	if (area->snapshot) {
		/* The head tells all; no PERF_RECORD_AUX for each record. */
		handle->head += record->size;
		perf_aux_output_end(handle, 0);
	} else {
		perf_aux_output_end(handle, record->size);
	}
	return true;
}

/* A record from a capture */

static struct pmscope_record_counter *
next_counter(struct pmscope_record *record)
{
	struct pmscope_record_counter *counters = (void *)(record + 1);

	return &counters[record->nr_counters++];
}

static void fill_register(struct pmscope_record_counter *to, unsigned int n,
			  const struct pmscope_capture *cap)
{
	to->number = n;
	to->type = pmscope_counter_type(n);
	to->value = cap->value[n];
}

/* Return: the member's counter as a bit of PMCNTENSET_EL0, 0 if it has none. */
static u64 add_member(struct pmscope_record *record, struct perf_event *member,
		      const struct pmscope_capture *cap)
{
	struct pmscope_record_counter *to = next_counter(record);
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
	fill_register(to, n, cap);
	return BIT_ULL(n);
}

static u64 add_members(struct pmscope_record *record, struct perf_event *leader,
		       const struct pmscope_capture *cap)
{
	struct perf_event *member = leader;
	u64 set = 0;

	for (; member; member = snap_next_member(leader, member))
		if (snap_group_is_ours(member) &&
		    record->nr_counters < PMSCOPE_NR_COUNTERS)
			set |= add_member(record, member, cap);
	return set;
}

static void add_others(struct pmscope_record *record, u64 set,
		       const struct pmscope_capture *cap)
{
	struct pmscope_record_counter *to;

	for (; set; set &= set - 1) {
		to = next_counter(record);
		*to = (struct pmscope_record_counter){};
		fill_register(to, __ffs64(set), cap);
	}
}

static void add_spe(struct pmscope_record *record,
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

/* A hardware capture was tried, so PMSSCR_EL1 may be accessed. */
static u64 pmsscr_after(const struct pmscope_capture *cap)
{
	if (cap->backend != PMSCOPE_BACKEND_HARDWARE &&
	    cap->result == PMSCOPE_CAPTURED)
		return 0;
	return read_sysreg_s(SYS_PMSSCR_EL1);
}

/*
 * @record has room for RECORD_MAX bytes.  @cap was folded into the counts of
 * @event's group, interrupts off since then.  Leaves record->lost 0.
 */
static void fill_record(struct pmscope_record *record, struct perf_event *event,
			const struct snap_trigger *trigger,
			const struct pmscope_capture *cap)
{
	/* A child's own namespace is that of the task that made it by fork(). */
	struct pid_namespace *owner = (event->parent ?: event)->ns;
	u64 set;

	BUILD_BUG_ON(sizeof(*record) % 8);
	BUILD_BUG_ON(sizeof(struct pmscope_record_counter) % 8);

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
		.pmsscr = pmsscr_after(cap),
		.cookie = trigger->cookie,
	};
	if (trigger->spe)
		add_spe(record, trigger->spe);

	set = add_members(record, event->group_leader, cap);
	if (event->attr.config & PMSCOPE_SNAPSHOT_ALL)
		add_others(record, cap->counters & ~set, cap);
	record->size = sizeof(*record) +
		       record->nr_counters * sizeof(struct pmscope_record_counter);
}

/* perf reports event->lost_samples (PERF_FORMAT_LOST). */
static void drop(struct stream_cpu *sc, struct perf_event *event)
{
	struct perf_event *opened = event->parent ?: event;

	local64_inc(&to_stream(event)->lost);
	atomic64_inc(&opened->lost_samples);
	WRITE_ONCE(sc->stats.lost, sc->stats.lost + 1);
}

static bool write_record(struct stream_cpu *sc, struct perf_event *event,
			 const struct snap_trigger *trigger,
			 const struct pmscope_capture *cap)
{
	struct pmscope_record *record = this_cpu_ptr(record_room);
	struct snap_stream *stream = to_stream(event);
	struct snap_area *area = perf_aux_output_begin(&sc->handle, event);

	if (!area)
		return false;
	if (!cap) {
		snap_group_capture(event, &sc->cap);
		cap = &sc->cap;
	}
	fill_record(record, event, trigger, cap);
	record->lost = local64_read(&stream->lost);
	if (!stream->sees_all)
		record->pmbptr = 0;
	if (!end_area(&sc->handle, area, record))
		return false;
	local64_sub(record->lost, &stream->lost);
	return true;
}

/* @cap: a capture that the group's counts have been brought up to, or NULL */
static void make_record(struct perf_event *event,
			const struct snap_trigger *trigger,
			const struct pmscope_capture *cap)
{
	struct stream_cpu *sc = this_cpu_ptr(&stream_cpu);

	if (sc->busy) {
		drop(sc, event);
		return;
	}
	WRITE_ONCE(sc->busy, true);
	/* Whoever interrupts sees that before anything of the record. */
	barrier();
	if (write_record(sc, event, trigger, cap))
		WRITE_ONCE(sc->stats.records, sc->stats.records + 1);
	else
		drop(sc, event);
	barrier();
	WRITE_ONCE(sc->busy, false);
}

/* Triggers */

/*
 * However many timers run and however long a record takes, twice that time is
 * left to the CPU: perf core's throttling does not know of them.
 */
static void make_record_and_rest(struct stream_cpu *sc,
				 struct perf_event *event, ktime_t begin)
{
	const struct snap_trigger trigger = { .by = PMSCOPE_TRIGGER_TIMER };
	ktime_t end;

	make_record(event, &trigger, NULL);
	end = ktime_get();
	sc->rest_until = ktime_add(end, 2 * ktime_sub(end, begin));
}

static enum hrtimer_restart timer_fires(struct hrtimer *timer)
{
	struct snap_stream *stream =
		container_of(timer, struct snap_stream, timer);
	struct stream_cpu *sc = this_cpu_ptr(&stream_cpu);
	struct perf_event *event = stream->event;
	ktime_t now = ktime_get();
	bool rests = ktime_before(now, sc->rest_until);
	u64 periods;

	if (!rests)
		make_record_and_rest(sc, event, now);
	periods = hrtimer_forward(timer, sc->rest_until,
				  ns_to_ktime(event->hw.sample_period));
	WRITE_ONCE(sc->stats.missed, sc->stats.missed + periods - !rests);
	return HRTIMER_RESTART;
}

static bool is_its_turn(struct snap_stream *stream)
{
	if (++stream->turns < stream->event->hw.sample_period)
		return false;
	stream->turns = 0;
	return true;
}

/*
 * When the SPE session of somebody else fills its area, or a BPF program asks for a
 * record, is not for everybody.
 */
static bool may_know(const struct snap_stream *stream,
		     const struct snap_trigger *trigger)
{
	if (stream->sees_all || trigger->by == PMSCOPE_TRIGGER_READ)
		return true;
	return trigger->spe &&
	       trigger->spe->task == stream->event->ctx->task;
}

/* Return: how many streams took it.  Interrupts off. */
static unsigned int trigger_all(enum pmscope_trigger by,
				const struct snap_trigger *trigger)
{
	struct stream_cpu *sc = this_cpu_ptr(&stream_cpu);
	struct snap_stream *stream;
	unsigned int taken = 0;

	list_for_each_entry_rcu(stream, &sc->running, node, irqs_disabled()) {
		if (stream->by != by || !may_know(stream, trigger))
			continue;
		taken++;
		if (is_its_turn(stream))
			make_record(stream->event, trigger, NULL);
	}
	return taken;
}

/**
 * pmscope_streams_run() - is there anybody to tell on this CPU?
 *
 * Context: interrupts off.
 */
bool pmscope_streams_run(void)
{
	return !list_empty(&this_cpu_ptr(&stream_cpu)->running);
}

/**
 * pmscope_stream_spe() - the SPE of this CPU had a buffer management event
 * @window: the data that it closes
 *
 * The counters are captured here, so the earlier in the interrupt the better.
 *
 * Context: interrupts off.
 */
void pmscope_stream_spe(const struct pmscope_spe_window *window)
{
	const struct snap_trigger trigger = {
		.by = PMSCOPE_TRIGGER_SPE,
		.spe = window,
	};

	trigger_all(PMSCOPE_TRIGGER_SPE, &trigger);
}

/**
 * snap_stream_request() - a BPF program wants this CPU recorded
 * @cookie: for the record
 *
 * Context: any.  Inside the making of another record it is counted as lost.
 *
 * Return: the number of streams on this CPU that take requests; those of the
 * unprivileged do not.
 */
unsigned int snap_stream_request(u64 cookie)
{
	const struct snap_trigger trigger = {
		.by = PMSCOPE_TRIGGER_BPF,
		.cookie = cookie,
	};
	unsigned long flags;
	unsigned int taken;

	local_irq_save(flags);
	taken = trigger_all(PMSCOPE_TRIGGER_READ, &trigger);
	local_irq_restore(flags);
	return taken;
}

/**
 * snap_stream_was_read() - read(2) of a streaming event has been served
 * @event: it led its group
 * @cap: the capture that served it; interrupts off since then
 */
void snap_stream_was_read(struct perf_event *event,
			  const struct pmscope_capture *cap)
{
	const struct snap_trigger trigger = { .by = PMSCOPE_TRIGGER_READ };
	struct snap_stream *stream = to_stream(event);

	if (stream->by == PMSCOPE_TRIGGER_READ && is_its_turn(stream))
		make_record(event, &trigger, cap);
}

/**
 * snap_stream_overflow() - overflow handler of the triggers of streams
 * @counter: the trigger
 * @data: unused
 * @regs: unused
 *
 * arm_pmu has stopped the PMU.  Inherited triggers have the handler of the first
 * one, so the event is looked for by its trigger.
 */
void snap_stream_overflow(struct perf_event *counter,
			  struct perf_sample_data *data, struct pt_regs *regs)
{
	struct stream_cpu *sc = this_cpu_ptr(&stream_cpu);
	const struct snap_trigger trigger = {
		.by = PMSCOPE_TRIGGER_OVERFLOW,
		.throttled = counter->hw.interrupts == THROTTLED,
	};
	struct snap_stream *stream;

	list_for_each_entry_rcu(stream, &sc->running, node, irqs_disabled()) {
		if (!snap_backing_has_trigger(to_snap(stream->event)->backing,
					      counter))
			continue;
		make_record(stream->event, &trigger, NULL);
		return;
	}
}

/**
 * snap_stream_start() - triggers count from here on
 * @event: a streaming event that starts on this CPU; interrupts off
 */
void snap_stream_start(struct perf_event *event)
{
	struct snap_stream *stream = to_stream(event);
	struct hw_perf_event *hw = &event->hw;
	u64 left;

	list_add_tail_rcu(&stream->node, &this_cpu_ptr(&stream_cpu)->running);
	if (stream->by != PMSCOPE_TRIGGER_TIMER)
		return;

	/* The time that a task does not run does not count. */
	left = local64_xchg(&hw->period_left, 0) ?: hw->sample_period;
	hrtimer_start(&stream->timer, ns_to_ktime(left),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * snap_stream_stop() - undo snap_stream_start()
 * @event: the event; interrupts off
 */
void snap_stream_stop(struct perf_event *event)
{
	struct snap_stream *stream = to_stream(event);
	s64 left;

	list_del_rcu(&stream->node);
	if (stream->by != PMSCOPE_TRIGGER_TIMER)
		return;

	left = ktime_to_ns(hrtimer_get_remaining(&stream->timer));
	local64_set(&event->hw.period_left, max_t(s64, left, 1));
	hrtimer_cancel(&stream->timer);
}

/**
 * snap_stream_reload() - the period has changed
 * @event: a streaming event that runs on this CPU; interrupts off
 */
void snap_stream_reload(struct perf_event *event)
{
	snap_stream_stop(event);
	local64_set(&event->hw.period_left, 0);
	snap_stream_start(event);
}

/* Opening */

/* PMSCOPE_TRIGGER_READ for requests, _NONE if more than one is asked for */
static enum pmscope_trigger trigger_of(const struct perf_event_attr *attr)
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
 * snap_stream_is_wanted() - is this the attr of a streaming event?
 * @attr: of a pmu_snapshot event
 */
bool snap_stream_is_wanted(const struct perf_event_attr *attr)
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
	enum pmscope_trigger by = trigger_of(attr);

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

/**
 * snap_stream_check_period() - pmu::check_period, for PERF_EVENT_IOC_PERIOD
 * @event: a streaming event
 * @period: the new one
 *
 * Context: process.
 * Return: 0, or -EINVAL for a timer that is too fast, and for an overflow: the
 * period of a backing counter does not change.
 */
int snap_stream_check_period(struct perf_event *event, u64 period)
{
	switch (trigger_of(&event->attr)) {
	case PMSCOPE_TRIGGER_TIMER:
		return period < PMSCOPE_TIMER_PERIOD_MIN ? -EINVAL : 0;
	case PMSCOPE_TRIGGER_OVERFLOW:
		return -EINVAL;
	default:
		return 0;
	}
}

/* A timer needs no feedback to hold a frequency. */
static void fix_period(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;

	if (!event->attr.freq)
		return;
	event->attr.sample_period = div64_u64(NSEC_PER_SEC,
					      event->attr.sample_freq);
	event->attr.freq = 0;
	hw->sample_period = event->attr.sample_period;
	hw->last_period = hw->sample_period;
	local64_set(&hw->period_left, hw->sample_period);
}

/**
 * snap_stream_create() - give an event its streaming side
 * @event: in its event_init, checked, with pmu_private set
 *
 * Return: 0 or -ENOMEM.
 */
int snap_stream_create(struct perf_event *event)
{
	struct snap_stream *stream = kzalloc(sizeof(*stream), GFP_KERNEL);

	if (!stream)
		return -ENOMEM;
	stream->event = event;
	stream->by = trigger_of(&event->attr);
	pmscope_hrtimer_setup(&stream->timer, timer_fires, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_HARD);
	fix_period(event);
	/* A child that inherits sees what the one who opened the event may. */
	stream->sees_all = event->parent ?
		to_stream(event->parent)->sees_all : perfmon_capable();
	to_snap(event)->stream = stream;
	return 0;
}

/**
 * snap_stream_free() - undo snap_stream_create(), also if it was not called
 * @event: not on any CPU
 */
void snap_stream_free(struct perf_event *event)
{
	kfree(to_stream(event));
}

/**
 * snap_stream_stats() - how streams went since the module was loaded
 * @sum: the sum of all CPUs
 */
void snap_stream_stats(struct snap_stream_stats *sum)
{
	const struct snap_stream_stats *stats;
	int cpu;

	*sum = (struct snap_stream_stats){};
	for_each_possible_cpu(cpu) {
		stats = &per_cpu_ptr(&stream_cpu, cpu)->stats;
		sum->records += READ_ONCE(stats->records);
		sum->lost += READ_ONCE(stats->lost);
		sum->missed += READ_ONCE(stats->missed);
	}
}

/**
 * snap_stream_init() - before any PMU is registered, also that of SPE
 */
void snap_stream_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu_ptr(&stream_cpu, cpu)->running);
}

/**
 * snap_stream_alloc_room() - memory for records, before any event is opened
 *
 * Return: 0 or -ENOMEM.
 */
int snap_stream_alloc_room(void)
{
	record_room = __alloc_percpu(RECORD_MAX,
				     __alignof__(struct pmscope_record));
	return record_room ? 0 : -ENOMEM;
}

/**
 * snap_stream_free_room() - undo snap_stream_alloc_room(), also if it failed
 */
void snap_stream_free_room(void)
{
	free_percpu(record_room);
	record_room = NULL;
}
