// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures for BPF programs (kfuncs): tracing, kprobe, uprobe, tracepoint,
 * perf_event and syscall programs.
 *
 * A program names a group of pmu_snapshot events by the id of its leader
 * (PERF_EVENT_IOC_ID), the same for all that inherit it.  Each CPU knows which
 * members of which groups count there now.  A capture is bounded, takes no
 * lock and changes no event, so it may come from any context, but from a
 * pseudo-NMI that may have interrupted the folding of a counter.  None comes
 * inside of another: all interrupts are masked, and no probe is let in.
 *
 * A request makes records (snapshot/stream.c) from the same contexts; inside the
 * making of another record it is lost, and counted.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "snapshot/bpf.h"

#ifdef PMSCOPE_KFUNCS

#include "capture.h"
#include "snapshot/backing.h"
#include "snapshot/event.h"
#include "snapshot/stream.h"

#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pmscope.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <asm/irq_regs.h>

/**
 * struct bpf_member - an event that counts on this CPU
 * @event: the event
 * @counter: the event of arm_pmu that counts for it
 * @place: its place in the group, the leader's being 0
 * @mask: the width of the counter (backing.h)
 */
struct bpf_member {
	struct perf_event *event;
	struct perf_event *counter;
	u64 place;
	u64 mask;
};

/**
 * struct bpf_group - a group that counts on this CPU
 * @id: that of its leader
 * @first: its first member
 * @nr: how many follow each other, in the order of their places
 * @room: how many values it takes; 0 where there is more to look at: an empty
 *	place, a counter of less than 64 bits
 */
struct bpf_group {
	u64 id;
	unsigned int first;
	unsigned int nr;
	unsigned int room;
};

/**
 * struct bpf_cpu - what programs on this CPU can capture
 * @nr_groups: groups in use
 * @nr_members: members in use
 * @unsettled: leaders and places may be others by now
 * @cap: the last one
 * @group: groups in the order of their members; the id of one not in use is 0
 * @member: each has a counter of the CPU, so there are never more
 *
 * Groups and members are written by perf core's calls, with interrupts off, and
 * brought up to date by captures.
 */
struct bpf_cpu {
	unsigned int nr_groups;
	unsigned int nr_members;
	bool unsettled;
	struct bpf_group group[PMSCOPE_NR_COUNTERS + 1];
	struct bpf_member member[PMSCOPE_NR_COUNTERS];
	struct pmscope_capture cap;
};

static struct bpf_cpu __percpu *bpf_cpu;

static notrace unsigned int __kprobes
place_in_group(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int place = 1;

	if (event == leader)
		return 0;
	/*
	 * Not for_each_sibling_event(): it asks lockdep whether interrupts are
	 * off, which is not told of those that a capture masks.
	 */
	list_for_each_entry(sibling, &leader->sibling_list, sibling_list) {
		if (sibling == event)
			break;
		place++;
	}
	return place;
}

/* The group of that id, or the first that is not in use; ids begin with 1. */
static __always_inline struct bpf_group *find_group(struct bpf_cpu *bc, u64 id)
{
	struct bpf_group *group = bc->group;

	while (group->id != id && group->id)
		group++;
	return group;
}

/* Move what follows the member at @i by one: up (1) or down (-1). */
static void shift_members(struct bpf_cpu *bc, struct bpf_group *group,
			  unsigned int i, int by)
{
	struct bpf_group *end = bc->group + bc->nr_groups;
	struct bpf_member *from = &bc->member[i];

	if (by < 0)
		from++;
	memmove(from + by, from,
		(bc->member + bc->nr_members - from) * sizeof(*from));
	bc->nr_members += by;
	group->nr += by;
	while (++group < end)
		group->first += by;
}

/* How many values do the members take? */
static __always_inline unsigned int room_of(const struct bpf_cpu *bc,
					    const struct bpf_group *group)
{
	return bc->member[group->first + group->nr - 1].place + 1;
}

/*
 * A place is empty where an event is disabled or another PMU's.  When such an
 * event is closed nobody tells us, but others move up.
 */
static __always_inline void settle_room(struct bpf_cpu *bc,
					struct bpf_group *group, u64 mask)
{
	bool gap = room_of(bc, group) != group->nr;

	bc->unsettled |= gap;
	if (gap || mask != U64_MAX)
		group->room = 0;
	else if (group->room || group->nr == 1)
		group->room = group->nr;
}

static __always_inline struct bpf_group *
begin_group(struct bpf_cpu *bc, const struct perf_event *leader,
	    unsigned int first)
{
	struct bpf_group *group = &bc->group[bc->nr_groups++];

	*group = (struct bpf_group){
		.id = snap_primary_id(leader),
		.first = first,
	};
	return group;
}

/**
 * snap_bpf_add() - an event counts on this CPU from now on
 * @event: an event of pmu_snapshot that starts, with its first prev_count
 * @counter: the event that counts for it
 */
void snap_bpf_add(struct perf_event *event, struct perf_event *counter)
{
	struct bpf_cpu *bc = this_cpu_ptr(bpf_cpu);
	const struct perf_event *leader = event->group_leader;
	struct bpf_group *group = find_group(bc, snap_primary_id(leader));
	unsigned int place = place_in_group(event), i;

	if (WARN_ON_ONCE(bc->nr_members >= ARRAY_SIZE(bc->member)))
		return;
	if (!group->nr)
		group = begin_group(bc, leader, bc->nr_members);
	i = group->first + group->nr;
	while (i > group->first && bc->member[i - 1].place > place)
		i--;
	shift_members(bc, group, i, 1);
	bc->member[i] = (struct bpf_member){
		.event = event,
		.counter = counter,
		.place = place,
		.mask = snap_backing_mask(counter),
	};
	settle_room(bc, group, bc->member[i].mask);
}

/* Return: its place in bc->member, bc->nr_members if it is not there. */
static unsigned int find_member(const struct bpf_cpu *bc,
				const struct perf_event *event)
{
	unsigned int i;

	for (i = 0; i < bc->nr_members; i++)
		if (bc->member[i].event == event)
			break;
	return i;
}

/* Groups are in the order of their members, which have no gap between them. */
static struct bpf_group *group_of_member(struct bpf_cpu *bc, unsigned int i)
{
	struct bpf_group *group = bc->group;

	while (i >= group->first + group->nr)
		group++;
	return group;
}

/**
 * snap_bpf_del() - an event ends to count on this CPU
 * @event: the event
 *
 * If it is being closed the others go on: those behind it move up or, where it
 * was the leader, each is its own leader.  That comes later, so they wait for
 * regroup().
 */
void snap_bpf_del(const struct perf_event *event)
{
	struct bpf_cpu *bc = this_cpu_ptr(bpf_cpu);
	unsigned int i = find_member(bc, event);
	struct bpf_group *group;

	if (i == bc->nr_members)
		return;
	group = group_of_member(bc, i);
	shift_members(bc, group, i, -1);
	group->room = 0;
	bc->unsettled = bc->nr_members;
	if (group->nr)
		return;
	bc->nr_groups--;
	memmove(group, group + 1,
		(bc->group + bc->nr_groups + 1 - group) * sizeof(*group));
}

/*
 * Look again who leads whom.  Groups only ever fall apart, so the members of one
 * follow each other still.  The lists of groups that run change on their CPU
 * only, with interrupts off.
 */
static notrace void __kprobes regroup(struct bpf_cpu *bc)
{
	const struct perf_event *leader = NULL;
	struct bpf_group *group = NULL;
	struct bpf_member *m;
	unsigned int i;

	bc->unsettled = false;
	bc->nr_groups = 0;
	for (i = 0; i < bc->nr_members; i++) {
		m = &bc->member[i];
		if (m->event->group_leader != leader) {
			leader = m->event->group_leader;
			group = begin_group(bc, leader, i);
		}
		m->place = place_in_group(m->event);
		group->nr++;
		settle_room(bc, group, m->mask);
	}
}

/*
 * A fold in progress has moved prev_count and not yet the count.
 *
 * A pseudo-NMI says what it has interrupted.  SDEI and SError, which are NMIs as
 * well, do not: NULL then, or the registers of an interrupt below them.
 */
static bool may_interrupt_fold(void)
{
	struct pt_regs *regs;

	if (!IS_ENABLED(CONFIG_ARM64_PSEUDO_NMI) || !in_nmi())
		return false;
	regs = get_irq_regs();
	return !regs || !interrupts_enabled(regs);
}

/*
 * No fold comes in between: even pseudo-NMIs are masked.  Return a negative
 * number when arm_pmu has taken the counter off the CPU.
 */
static __always_inline int member_count(const struct bpf_member *m, u64 mask,
					const u64 *captured, u64 *count)
{
	struct perf_event *counter = m->counter, *event = m->event;
	int idx = counter->hw.idx, n;
	u64 delta;

	if (idx < 0)
		return -EAGAIN;
	n = pmscope_idx_to_counter(idx);
	delta = captured[n] - local64_read(&counter->hw.prev_count);
	*count = local64_read(&event->count) +
		 local64_read(&counter->count) + (delta & mask) -
		 local64_read(&event->hw.prev_count);
	return n;
}

/* @odd: at their places, and as wide as they are */
static __always_inline int group_counts(const struct bpf_cpu *bc,
					const struct bpf_group *group,
					u64 *values, bool odd)
{
	const struct bpf_member *m = &bc->member[group->first];
	const struct bpf_member *end = m + group->nr;
	u64 used = 0, count;
	int n;

	do {
		n = member_count(m, odd ? m->mask : U64_MAX, bc->cap.value,
				 &count);
		if (unlikely(n < 0))
			return n;
		if (odd)
			values[m->place] = count;
		else
			*values++ = count;
		used |= BIT_ULL(n);
	} while (++m < end);
	/* arm_pmu is taking one off: stopped, it still has its number. */
	return unlikely(used & ~bc->cap.counters) ? -EAGAIN : group->nr;
}

static noinline notrace int __kprobes
capture_odd_group(struct bpf_cpu *bc, u64 id, u64 *values, u32 room)
{
	struct bpf_group *group;

	if (bc->unsettled)
		regroup(bc);
	group = find_group(bc, id);
	if (!group->nr)
		return -ENOENT;
	if (room < room_of(bc, group))
		return -ENOSPC;
	pmscope_capture_masked(0, &bc->cap);
	return group_counts(bc, group, values, true);
}

static __always_inline int capture_group(struct bpf_cpu *bc, u64 id,
					 u64 *values, u32 room)
{
	struct bpf_group *group;

	if (may_interrupt_fold())
		return -EBUSY;
	group = find_group(bc, id);
	if (unlikely(!group->room || room < group->room))
		return capture_odd_group(bc, id, values, room);
	pmscope_capture_masked(0, &bc->cap);
	return group_counts(bc, group, values, false);
}

__bpf_kfunc_start_defs();

/**
 * bpf_pmscope_capture() - capture this CPU now, and read the counts of a group
 * @group: PERF_EVENT_IOC_ID of the leader of a group of pmu_snapshot events
 * @values: values[i] gets the count of the i-th event of the group, in the
 *	order in which they were opened; events of other PMUs are left out
 * @values__sz: bytes of @values
 *
 * Return: how many values were written.  -ENOENT: no event of the group counts
 * on this CPU now; -ENOSPC: @values is too small; -EBUSY: called from a
 * pseudo-NMI that interrupted code with interrupts off, or from SDEI or SError;
 * -EAGAIN: a counter was just taken off the CPU.
 */
__bpf_kfunc int __kprobes bpf_pmscope_capture(u64 group, u64 *values, u32 values__sz)
{
	unsigned long daif = pmscope_mask_all_irqs();
	int ret;

	ret = capture_group(this_cpu_ptr(bpf_cpu), group, values,
			    values__sz / sizeof(*values));
	pmscope_restore_irqs(daif);
	return ret;
}

/**
 * bpf_pmscope_captured() - the last capture of a BPF program on this CPU, raw
 * @captured: filled in, as far as @captured__sz goes
 * @captured__sz: bytes of @captured
 *
 * Return: 0; -ENODATA: no program has captured this CPU yet.
 */
__bpf_kfunc int __kprobes
bpf_pmscope_captured(struct pmscope_captured *captured, u32 captured__sz)
{
	unsigned long daif = pmscope_mask_all_irqs();
	struct bpf_cpu *bc = this_cpu_ptr(bpf_cpu);
	int ret = 0;

	if (!bc->cap.number) {
		ret = -ENODATA;
	} else {
		struct pmscope_captured all = {
			.number = bc->cap.number,
			.counters = bc->cap.counters,
			.stopped = bc->cap.stopped,
			.backend = bc->cap.backend,
		};

		BUILD_BUG_ON(sizeof(all.value) != sizeof(bc->cap.value));
		memcpy(all.value, bc->cap.value, sizeof(all.value));
		memcpy(captured, &all, min_t(u32, captured__sz, sizeof(all)));
	}
	pmscope_restore_irqs(daif);
	return ret;
}

/**
 * bpf_pmscope_request() - a record of this CPU now, for streams by request
 * @cookie: for the record
 *
 * Only streams that were opened with CAP_PERFMON hear of it.
 *
 * Return: how many streams with the trigger request run on this CPU; each makes
 * a record at every sample_period'th request, or counts it as lost.  -EBUSY as
 * for bpf_pmscope_capture().
 */
__bpf_kfunc int __kprobes bpf_pmscope_request(u64 cookie)
{
	if (may_interrupt_fold())
		return -EBUSY;
	return snap_stream_request(cookie);
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(pmscope_kfuncs)
BTF_ID_FLAGS(func, bpf_pmscope_capture, PMSCOPE_KFUNC_FLAGS)
BTF_ID_FLAGS(func, bpf_pmscope_captured, PMSCOPE_KFUNC_FLAGS)
BTF_ID_FLAGS(func, bpf_pmscope_request, PMSCOPE_KFUNC_FLAGS)
BTF_KFUNCS_END(pmscope_kfuncs)

static const struct btf_kfunc_id_set pmscope_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &pmscope_kfuncs,
};

/**
 * snap_bpf_alloc() - what each CPU needs, before any event is opened
 *
 * Return: 0 or -ENOMEM.
 */
int snap_bpf_alloc(void)
{
	bpf_cpu = alloc_percpu(struct bpf_cpu);
	return bpf_cpu ? 0 : -ENOMEM;
}

/**
 * snap_bpf_free() - undo snap_bpf_alloc(), also if it failed
 */
void snap_bpf_free(void)
{
	free_percpu(bpf_cpu);
	bpf_cpu = NULL;
}

/**
 * pmscope_bpf_init() - let BPF programs capture
 *
 * Nothing else depends on it: a failure is told, and that is all.
 */
void pmscope_bpf_init(void)
{
	/* Tracing stands for tracepoint, perf_event and lsm as well. */
	static const enum bpf_prog_type types[] = {
		BPF_PROG_TYPE_TRACING,
		BPF_PROG_TYPE_KPROBE,
		BPF_PROG_TYPE_SYSCALL,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		ret = register_btf_kfunc_id_set(types[i], &pmscope_kfunc_set);
		if (ret) {
			pr_warn("BPF programs cannot capture: kfuncs not registered: %d\n",
				ret);
			return;
		}
	}
}

#endif /* PMSCOPE_KFUNCS */
