// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of pmu_external: one capture serves all members.  perf core works on a group in
 * a transaction, or with the PMU disabled; what is read in such a window is of one
 * capture.
 */
#include "counter.h"
#include "external/frame.h"
#include "external/group.h"
#include "snapshot/backing.h"
#include "snapshot/pmu.h"

#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/processor.h>
#include <linux/spinlock.h>
#include <asm/barrier.h>

/*
 * Captures in a row that may come to nothing: some 100 us, in which a CPU has changed
 * its counters.
 */
#define MAX_TRIES	32

/**
 * struct ext_window - while perf core works on groups on this CPU
 * @depth: how many times it has begun to
 * @leader: of the group that was captured, or NULL
 * @ret: how that ended
 * @reads: the transaction is a read
 */
struct ext_window {
	unsigned int depth;
	struct perf_event *leader;
	int ret;
	bool reads;
};

static DEFINE_PER_CPU(struct ext_window, ext_window);
static void ext_start_txn(struct pmu *pmu, unsigned int flags);

/**
 * ext_is_ours() - is this an event of pmu_external?
 * @event: any event
 *
 * Context: any.
 * Return: true if so
 */
bool ext_is_ours(const struct perf_event *event)
{
	return event->pmu->start_txn == ext_start_txn;
}

/* Counters of another CPU */

/* What arm_pmu changes when it gives a counter to an event, or takes it back */
static void ext_note_counter(struct perf_event *event)
{
	struct ext_event *ext = to_ext(event);
	struct perf_event *counter = snap_backing_counter(ext->backing);

	ext->idx = READ_ONCE(counter->state) == PERF_EVENT_STATE_ACTIVE ?
			   READ_ONCE(counter->hw.idx) : -1;
	ext->raw = local64_read(&counter->hw.prev_count);
	ext->folded = local64_read(&counter->count);
}

/* Return: false if the CPU was changing the counter meanwhile */
static bool ext_take_total(struct perf_event *event,
			   const struct ext_capture *cap)
{
	struct ext_event *ext = to_ext(event), was = *ext;
	unsigned int n;
	u64 total;

	ext_note_counter(event);
	if (ext->idx != was.idx || ext->raw != was.raw ||
	    ext->folded != was.folded)
		return false;
	/* It was not enabled yet, is lost, or left with its CPU. */
	ext->valid = ext->idx >= 0;
	if (!ext->valid)
		return true;
	n = pmscope_idx_to_counter(ext->idx);
	if (!(cap->counters & BIT_ULL(n)))
		return false;
	total = ext->folded + ((cap->value[n] - ext->raw) &
		snap_backing_mask(snap_backing_counter(ext->backing)));
	/* Less than before: between both halves of a fold */
	if (ext->based && (s64)(total - ext->total) < 0)
		return false;
	ext->total = total;
	return true;
}

static int ext_try_group(struct ext_frame *frame, struct perf_event *leader,
			 struct ext_capture *cap)
{
	struct perf_event *member;
	int ret;

	for (member = leader; member; member = snap_next_member(leader, member))
		if (ext_is_ours(member))
			ext_note_counter(member);
	/* What was noted is read before the frame, ... */
	rmb();
	ret = ext_capture(frame, cap);
	/* ... and what is noted again behind it. */
	rmb();
	for (member = leader; !ret && member;
	     member = snap_next_member(leader, member))
		if (ext_is_ours(member) && !ext_take_total(member, cap))
			ret = -EAGAIN;
	return ret;
}

static int ext_capture_group(struct perf_event *leader, struct ext_capture *cap)
{
	struct ext_frame *frame = ext_frame(to_ext(leader)->cpu);
	unsigned int tries = 0;
	int ret = -ENODEV;

	raw_spin_lock(&frame->lock);
	while (frame->powered && tries < MAX_TRIES) {
		ret = ext_try_group(frame, leader, cap);
		if (!ret)
			break;
		tries += ret == -EIO ? MAX_TRIES / 4 : 1;
		frame->stats[EXT_RETRIED]++;
		cpu_relax();
	}
	frame->stats[ret ? EXT_FAILED : EXT_CAPTURED]++;
	raw_spin_unlock(&frame->lock);
	return ret;
}

/* Windows */

/* pmu_disable */
static void ext_begin(struct pmu *pmu)
{
	struct ext_window *window = this_cpu_ptr(&ext_window);

	if (!window->depth++)
		window->leader = NULL;
}

/* pmu_enable, and cancel_txn */
static void ext_end(struct pmu *pmu)
{
	this_cpu_ptr(&ext_window)->depth--;
}

static void ext_start_txn(struct pmu *pmu, unsigned int flags)
{
	ext_begin(pmu);
	this_cpu_ptr(&ext_window)->reads = flags & PERF_PMU_TXN_READ;
}

/* The read of a group fails instead of returning an old count. */
static int ext_commit_txn(struct pmu *pmu)
{
	struct ext_window *window = this_cpu_ptr(&ext_window);

	ext_end(pmu);
	return window->reads && window->leader ? window->ret : 0;
}

/* Makes @total of each member current. */
static int ext_update_group(struct perf_event *event)
{
	struct ext_window *window = this_cpu_ptr(&ext_window);
	struct perf_event *leader = event->group_leader;
	struct ext_capture cap = {};

	if (window->depth && window->leader == leader)
		return window->ret;
	window->ret = ext_capture_group(leader, &cap);
	window->leader = leader;
	return window->ret;
}

/* Counts */

/*
 * A count that stands still has no error to return, but in a transaction.  So its
 * running time stands still, too, and users scale as for any event that did not always
 * run, until the next capture brings both up to date.
 */
static void ext_stand_still(struct perf_event *event)
{
	struct ext_event *ext = to_ext(event);

	ext->stood += event->total_time_running - ext->ran;
	event->total_time_running = ext->ran;
}

/* @ret: how the capture ended.  Return: the same, or -EBUSY */
static int ext_fold_one(struct perf_event *event, int ret)
{
	struct ext_event *ext = to_ext(event);
	u64 before;

	if (!ret && !ext->valid)
		ret = -EBUSY;
	if (ret) {
		ext_stand_still(event);
		return ret;
	}
	before = local64_xchg(&event->hw.prev_count, ext->total);
	if (ext->based)
		local64_add(ext->total - before, &event->count);
	ext->based = true;
	event->total_time_running += ext->stood;
	ext->stood = 0;
	ext->ran = event->total_time_running;
	return 0;
}

/**
 * ext_fold() - bring an event's count up to date
 * @event: it is not stopped
 *
 * Context: interrupts off, on any CPU.
 */
void ext_fold(struct perf_event *event)
{
	int ret = ext_fold_one(event, ext_update_group(event));

	if (ret)
		this_cpu_ptr(&ext_window)->ret = ret;
}

/**
 * ext_fold_all() - capture, and bring all counts of a group up to it
 * @leader: it runs on this CPU, and is not read on others
 * @cap: the capture; @cap->wants_pc is set
 *
 * Context: interrupts off.
 * Return: 0, or an errno if not all could be captured
 */
int ext_fold_all(struct perf_event *leader, struct ext_capture *cap)
{
	int ret = ext_capture_group(leader, cap), error = ret, one;
	struct perf_event *member;

	for (member = leader; member;
	     member = snap_next_member(leader, member)) {
		if (!ext_is_ours(member) || ext_is_stopped(member))
			continue;
		one = ext_fold_one(member, ret);
		error = error ?: one;
	}
	return error;
}

/**
 * ext_group_set_ops() - what perf core calls around groups
 * @pmu: ours, which is not registered yet
 *
 * Context: process, in module init.
 */
void __init ext_group_set_ops(struct pmu *pmu)
{
	pmu->pmu_disable = ext_begin;
	pmu->pmu_enable = ext_end;
	pmu->start_txn = ext_start_txn;
	pmu->commit_txn = ext_commit_txn;
	pmu->cancel_txn = ext_end;
}
