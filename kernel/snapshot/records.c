// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of streams.  perf_event_overflow(), which would write samples, is not exported
 * to modules: a record goes to the AUX area of its event.
 */
#include "capture.h"
#include "compat.h"
#include "counter.h"
#include "snapshot/records.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pmscope.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Every counter once, and one more for each member that has lost its counter */
#define RECORD_COUNTERS	(2 * PMSCOPE_NR_COUNTERS)
#define RECORD_MAX						\
	(sizeof(struct pmscope_record) +			\
	 RECORD_COUNTERS * sizeof(struct pmscope_record_counter))

/**
 * struct records_cpu - the streams of one CPU
 * @running: the streams that run here
 * @busy: a record is being made.  A pseudo-NMI, or a BPF program that traces
 *	perf core, may interrupt that and must not open @handle again.
 * @stats: records so far, of pmu_snapshot and of pmu_external
 * @handle: for the record that is being made
 */
struct records_cpu {
	struct hlist_head running;
	bool busy;
	struct snap_stream_stats stats[2];
	struct perf_output_handle handle;
};

static DEFINE_PER_CPU(struct records_cpu, records_cpu);

/*
 * The record that is being made, RECORD_MAX bytes.  Allocated, as all modules
 * share 8 KiB of static per-CPU memory (PERCPU_MODULE_RESERVE).
 */
static struct pmscope_record __percpu *records_room;

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
 * snap_records_setup_aux() - pmu::setup_aux
 * @event: an event that streams
 * @pages: of the area
 * @nr_pages: how many they are
 * @snapshot: it is mapped read-only, and a snapshot: old records are overwritten
 *
 * Context: process.
 * Return: what is freed by snap_records_free_aux(), or NULL
 */
void *snap_records_setup_aux(struct perf_event *event, void **pages,
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
 * snap_records_free_aux() - pmu::free_aux
 * @aux: what snap_records_setup_aux() returned
 *
 * Context: process.
 */
void snap_records_free_aux(void *aux)
{
	kfree(aux);
}

static void snap_area_copy(const struct snap_area *area, u64 pos,
			   const void *data, u64 len)
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
 * perf core stops the event when the head meets the tail.  CIRC_SPACE leaves at
 * least one byte free, so a head on a multiple of 8 stays 8 bytes behind.
 */
static bool snap_area_fits(const struct perf_output_handle *handle,
			   const struct snap_area *area,
			   const struct pmscope_record *record)
{
	return record->size <= (area->snapshot ? area->size : handle->size);
}

/* Return: false when there was no room; then nothing is written. */
static bool snap_area_end(struct perf_output_handle *handle,
			  const struct snap_area *area,
			  const struct pmscope_record *record)
{
	if (!snap_area_fits(handle, area, record)) {
		perf_aux_output_end(handle, 0);
		return false;
	}

	snap_area_copy(area, handle->head, record, record->size);
	if (record->lost)
		perf_aux_output_flag(handle, PERF_AUX_FLAG_PARTIAL);
	if (area->snapshot) {
		/* The head is enough: no PERF_RECORD_AUX for each record. */
		handle->head += record->size;
		perf_aux_output_end(handle, 0);
	} else {
		perf_aux_output_end(handle, record->size);
	}
	return true;
}

/* Records */

/**
 * snap_records_next_counter() - one more counter of a record
 * @record: the record, with less than RECORD_COUNTERS
 *
 * Context: of snap_record_fn.
 * Return: not initialized
 */
struct pmscope_record_counter *
snap_records_next_counter(struct pmscope_record *record)
{
	struct pmscope_record_counter *counters = (void *)(record + 1);

	return &counters[record->nr_counters++];
}

/* perf reports event->lost_samples (PERF_FORMAT_LOST). */
static void records_lose(struct snap_stream *stream, u64 records)
{
	struct perf_event *opened = stream->event->parent ?: stream->event;

	local64_add(records, &stream->lost);
	atomic64_add(records, &opened->lost_samples);
}

static void records_drop(struct records_cpu *rc, struct snap_stream *stream)
{
	struct snap_stream_stats *stats = &rc->stats[stream->watches];

	records_lose(stream, 1);
	WRITE_ONCE(stats->lost, stats->lost + 1);
}

static bool records_write(struct records_cpu *rc, struct snap_stream *stream,
			  const struct snap_trigger *trigger,
			  const struct pmscope_capture *cap)
{
	struct pmscope_record *record = this_cpu_ptr(records_room);
	struct snap_area *area = perf_aux_output_begin(&rc->handle,
						       stream->event);

	if (!area)
		return false;
	if (!stream->fill(stream, record, trigger, cap)) {
		perf_aux_output_end(&rc->handle, 0);
		return false;
	}
	record->size = sizeof(*record) +
		       record->nr_counters * record->counter_size;
	record->lost = local64_read(&stream->lost);
	if (stream->throttled)
		record->flags |= PMSCOPE_RECORD_THROTTLED;
	if (!snap_area_end(&rc->handle, area, record))
		return false;
	local64_sub(record->lost, &stream->lost);
	stream->throttled = false;
	return true;
}

/**
 * snap_records_make() - capture, and write a record
 * @stream: it runs on this CPU
 * @trigger: why
 * @cap: the capture, folded into the group's counts, or NULL: capture now
 *
 * Context: interrupts off, also in a pseudo-NMI.
 */
void snap_records_make(struct snap_stream *stream,
		       const struct snap_trigger *trigger,
		       const struct pmscope_capture *cap)
{
	struct records_cpu *rc = this_cpu_ptr(&records_cpu);
	struct snap_stream_stats *stats = &rc->stats[stream->watches];

	if (rc->busy) {
		records_drop(rc, stream);
		return;
	}
	WRITE_ONCE(rc->busy, true);
	/* Code that interrupts this CPU must see busy first. */
	barrier();
	if (records_write(rc, stream, trigger, cap)) {
		WRITE_ONCE(stats->records, stats->records + 1);
		pmscope_count_record(stream->event);
	} else {
		records_drop(rc, stream);
	}
	barrier();
	WRITE_ONCE(rc->busy, false);
}

/* The timer */

static bool records_shares_time(const struct snap_stream *a,
				const struct snap_stream *b)
{
	return a->by == PMSCOPE_TRIGGER_TIMER && a->sees_all == b->sees_all;
}

static bool records_is_first_of_owner(const struct records_cpu *rc,
				      const struct snap_stream *stream)
{
	const struct snap_stream *first;

	hlist_for_each_entry_rcu(first, &rc->running, node, irqs_disabled())
		if (records_shares_time(first, stream) &&
		    uid_eq(first->owner, stream->owner))
			return first == stream;
	return false;
}

/*
 * perf core does not throttle these timers.  So on each CPU the timers of those
 * with CAP_PERFMON use at most a third of the time, and those of all others
 * another third.  Users have equal shares of it, and so have the streams of a
 * user: none can starve another's.  This counts the shares.
 */
static unsigned int records_shares(const struct records_cpu *rc,
				   const struct snap_stream *stream)
{
	const struct snap_stream *other;
	unsigned int owners = 0, own = 0;

	hlist_for_each_entry_rcu(other, &rc->running, node, irqs_disabled()) {
		if (!records_shares_time(other, stream))
			continue;
		owners += records_is_first_of_owner(rc, other);
		own += uid_eq(other->owner, stream->owner);
	}
	return owners * own;
}

static void records_record_and_rest(struct records_cpu *rc,
				    struct snap_stream *stream,
				    ktime_t begin)
{
	const struct snap_trigger trigger = { .by = PMSCOPE_TRIGGER_TIMER };
	unsigned int shares = records_shares(rc, stream);
	ktime_t end;

	snap_records_make(stream, &trigger, NULL);
	end = ktime_get();
	stream->rest_until =
		ktime_add(end, (3 * shares - 1) * ktime_sub(end, begin));
}

static enum hrtimer_restart records_timer_fires(struct hrtimer *timer)
{
	struct snap_stream *stream =
		container_of(timer, struct snap_stream, timer);
	struct records_cpu *rc = this_cpu_ptr(&records_cpu);
	ktime_t period = ns_to_ktime(stream->event->hw.sample_period);
	ktime_t now = ktime_get();
	bool rests = ktime_before(now, stream->rest_until);
	struct snap_stream_stats *stats;
	u64 missed;

	if (!rests)
		records_record_and_rest(rc, stream, now);
	missed = hrtimer_forward(timer, stream->rest_until, period) - !rests;
	/* The last of them is of the rest, not of a timer that was late. */
	stream->throttled |= missed &&
		ktime_after(ktime_sub(hrtimer_get_expires(timer), period), now);
	stream->throttled |= rests;
	records_lose(stream, missed);
	stats = &rc->stats[stream->watches];
	WRITE_ONCE(stats->missed, stats->missed + missed);
	return HRTIMER_RESTART;
}

/**
 * snap_records_running() - the streams that run on this CPU
 *
 * Context: interrupts off.
 * Return: their list
 */
struct hlist_head *snap_records_running(void)
{
	return &this_cpu_ptr(&records_cpu)->running;
}

/**
 * snap_records_start() - enable the trigger of a stream, on this CPU
 * @stream: its event runs here
 *
 * Context: interrupts off.
 */
void snap_records_start(struct snap_stream *stream)
{
	struct hw_perf_event *hw = &stream->event->hw;
	u64 left;

	hlist_add_tail_rcu(&stream->node, snap_records_running());
	if (stream->by != PMSCOPE_TRIGGER_TIMER)
		return;

	/* The period counts the time that the event runs, as cpu-clock does. */
	left = local64_xchg(&hw->period_left, 0) ?: hw->sample_period;
	hrtimer_start(&stream->timer, ns_to_ktime(left),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * snap_records_stop() - undo snap_records_start()
 * @stream: the stream
 *
 * Context: interrupts off, on the same CPU.
 */
void snap_records_stop(struct snap_stream *stream)
{
	s64 left;

	hlist_del_rcu(&stream->node);
	if (stream->by != PMSCOPE_TRIGGER_TIMER)
		return;

	left = ktime_to_ns(hrtimer_get_remaining(&stream->timer));
	local64_set(&stream->event->hw.period_left, max_t(s64, left, 1));
	hrtimer_cancel(&stream->timer);
}

/**
 * snap_records_reload() - start a new period, after it was changed
 * @stream: it runs on this CPU
 *
 * Context: interrupts off.
 */
void snap_records_reload(struct snap_stream *stream)
{
	snap_records_stop(stream);
	local64_set(&stream->event->hw.period_left, 0);
	snap_records_start(stream);
}

/**
 * snap_records_check_timer() - can the timer do this period, or this frequency?
 * @attr: of the event
 *
 * Context: any.
 * Return: 0 or -EINVAL
 */
int snap_records_check_timer(const struct perf_event_attr *attr)
{
	u64 period = attr->sample_period;

	if (attr->freq)
		period = div64_u64(NSEC_PER_SEC, attr->sample_freq);
	return period < PMSCOPE_TIMER_PERIOD_MIN ? -EINVAL : 0;
}

/* A timer holds a frequency without perf core's feedback: make it a period. */
static void records_fix_period(struct perf_event *event)
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
 * snap_records_create() - the streaming side of an event
 * @event: in its event_init
 * @by: its trigger
 * @fill: makes its records
 * @parent: for an inherited event, that of its parent, else NULL
 *
 * Context: process.
 * Return: NULL without memory; the caller frees it with kfree().
 */
struct snap_stream *snap_records_create(struct perf_event *event,
					enum pmscope_trigger by,
					snap_record_fn fill,
					const struct snap_stream *parent)
{
	struct snap_stream *stream = kzalloc(sizeof(*stream), GFP_KERNEL);

	if (!stream)
		return NULL;
	stream->event = event;
	stream->by = by;
	stream->fill = fill;
	pmscope_hrtimer_setup(&stream->timer, records_timer_fires,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	records_fix_period(event);
	/* An inherited event has the privilege of the task that opened it. */
	stream->owner = parent ? parent->owner : current_euid();
	stream->sees_all = parent ? parent->sees_all : perfmon_capable();
	return stream;
}

/**
 * snap_records_stats() - records since the module was loaded
 * @sum: set to the sum of all CPUs
 * @watches: of pmu_external, else of pmu_snapshot
 *
 * Context: any.
 */
void snap_records_stats(struct snap_stream_stats *sum, bool watches)
{
	const struct snap_stream_stats *stats;
	int cpu;

	*sum = (struct snap_stream_stats){};
	for_each_possible_cpu(cpu) {
		stats = &per_cpu_ptr(&records_cpu, cpu)->stats[watches];
		sum->records += READ_ONCE(stats->records);
		sum->lost += READ_ONCE(stats->lost);
		sum->missed += READ_ONCE(stats->missed);
	}
}

/**
 * snap_records_init() - allocate room for the record that is made
 *
 * Context: process, in module init.
 * Return: 0 or -ENOMEM
 */
int __init snap_records_init(void)
{
	records_room =
		__alloc_percpu(RECORD_MAX, __alignof__(struct pmscope_record));
	return records_room ? 0 : -ENOMEM;
}

/**
 * snap_records_exit() - undo snap_records_init()
 *
 * Context: process; no event is left.
 */
void snap_records_exit(void)
{
	free_percpu(records_room);
}
