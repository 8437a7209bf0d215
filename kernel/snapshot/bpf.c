// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures for BPF programs (kfuncs): tracing, kprobe, uprobe, tracepoint,
 * perf_event and syscall programs.
 *
 * A program names a group of pmu_snapshot events by the id of its leader
 * (PERF_EVENT_IOC_ID), the same for all that inherit it.  Each CPU knows which
 * members of which groups count there now.  A capture is bounded, takes no lock
 * and changes no event, so it may come from any context but a pseudo-NMI that
 * may have interrupted the folding of a counter.  Captures do not nest: all
 * interrupts are masked, and the functions are nokprobe.
 *
 * A request makes records (stream.c) from the same contexts; while another
 * record is being made it is lost, and counted.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "snapshot/bpf.h"

#ifdef PMSCOPE_KFUNCS

#include "capture.h"
#include "snapshot/backing.h"
#include "snapshot/event.h"

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/capability.h>
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
 * @dense_nr: @nr where the group is dense: no place is empty and all counters
 *	have 64 bits; 0 where it is sparse, or not known yet
 */
struct bpf_group {
	u64 id;
	unsigned int first;
	unsigned int nr;
	unsigned int dense_nr;
};

/**
 * struct bpf_cpu - what programs on this CPU can capture
 * @nr_groups: groups in use
 * @nr_members: members in use
 * @changed: leaders and places may have changed
 * @cap: the last one
 * @group: groups in the order of their members; the id of one not in use is 0
 * @member: each has a counter of the CPU, so there are never more
 *
 * Written by perf core's calls, with interrupts off, and updated by captures.
 */
struct bpf_cpu {
	unsigned int nr_groups;
	unsigned int nr_members;
	bool changed;
	struct bpf_group group[PMSCOPE_NR_COUNTERS + 1];
	struct bpf_member member[PMSCOPE_NR_COUNTERS];
	struct pmscope_capture cap;
};

static struct bpf_cpu __percpu *bpf_cpu;

/* Makes records of this CPU (stream.c), and returns how many streams take them */
static unsigned int (*snap_bpf_make_records)(u64 cookie) __ro_after_init;

static notrace unsigned int __kprobes
snap_bpf_place(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int place = 1;

	if (event == leader)
		return 0;
	/*
	 * Not for_each_sibling_event(): it has lockdep check that interrupts
	 * are off, and lockdep does not see the mask of a capture.
	 */
	list_for_each_entry(sibling, &leader->sibling_list, sibling_list) {
		if (sibling == event)
			break;
		place++;
	}
	return place;
}

/* The group of that id, or the first that is not in use; ids begin with 1. */
static __always_inline struct bpf_group *snap_bpf_find_group(struct bpf_cpu *bc,
							     u64 id)
{
	struct bpf_group *group = bc->group;

	while (group->id != id && group->id)
		group++;
	return group;
}

/* Make room for a member at @i (@by is 1), or close the gap it leaves (-1). */
static void snap_bpf_shift_members(struct bpf_cpu *bc, struct bpf_group *group,
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

/* How many values does a capture of the group write? */
static __always_inline unsigned int
snap_bpf_nr_values(const struct bpf_cpu *bc, const struct bpf_group *group)
{
	return bc->member[group->first + group->nr - 1].place + 1;
}

/*
 * A place is empty where an event is disabled or another PMU's.  perf core does
 * not call us when such an event is closed, but those after it move up.
 */
static __always_inline void
snap_bpf_check_dense(struct bpf_cpu *bc, struct bpf_group *group, u64 mask)
{
	bool gap = snap_bpf_nr_values(bc, group) != group->nr;

	bc->changed |= gap;
	if (gap || mask != U64_MAX)
		group->dense_nr = 0;
	else if (group->dense_nr || group->nr == 1)
		group->dense_nr = group->nr;
}

static __always_inline struct bpf_group *
snap_bpf_begin_group(struct bpf_cpu *bc, const struct perf_event *leader,
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
 *
 * Context: interrupts off.
 */
void snap_bpf_add(struct perf_event *event, struct perf_event *counter)
{
	struct bpf_cpu *bc = this_cpu_ptr(bpf_cpu);
	const struct perf_event *leader = event->group_leader;
	struct bpf_group *group =
		snap_bpf_find_group(bc, snap_primary_id(leader));
	unsigned int place = snap_bpf_place(event), i;

	if (WARN_ON_ONCE(bc->nr_members >= ARRAY_SIZE(bc->member)))
		return;
	if (!group->nr)
		group = snap_bpf_begin_group(bc, leader, bc->nr_members);
	i = group->first + group->nr;
	while (i > group->first && bc->member[i - 1].place > place)
		i--;
	snap_bpf_shift_members(bc, group, i, 1);
	bc->member[i] = (struct bpf_member){
		.event = event,
		.counter = counter,
		.place = place,
		.mask = snap_backing_mask(counter),
	};
	snap_bpf_check_dense(bc, group, bc->member[i].mask);
}

/* Return: its place in bc->member, bc->nr_members if it is not there. */
static unsigned int snap_bpf_find_member(const struct bpf_cpu *bc,
					 const struct perf_event *event)
{
	unsigned int i;

	for (i = 0; i < bc->nr_members; i++)
		if (bc->member[i].event == event)
			break;
	return i;
}

/* Groups are in the order of their members, which have no gap between them. */
static struct bpf_group *snap_bpf_group_of(struct bpf_cpu *bc, unsigned int i)
{
	struct bpf_group *group = bc->group;

	while (i >= group->first + group->nr)
		group++;
	return group;
}

/**
 * snap_bpf_del() - an event stops counting on this CPU
 * @event: the event
 *
 * If it is being closed the others continue: those after it move up or, where
 * it was the leader, each becomes its own leader.  perf core does that later,
 * so the next capture calls snap_bpf_regroup().
 *
 * Context: interrupts off.
 */
void snap_bpf_del(const struct perf_event *event)
{
	struct bpf_cpu *bc = this_cpu_ptr(bpf_cpu);
	unsigned int i = snap_bpf_find_member(bc, event);
	struct bpf_group *group;

	if (i == bc->nr_members)
		return;
	group = snap_bpf_group_of(bc, i);
	snap_bpf_shift_members(bc, group, i, -1);
	group->dense_nr = 0;
	bc->changed = bc->nr_members;
	if (group->nr)
		return;
	bc->nr_groups--;
	memmove(group, group + 1,
		(bc->group + bc->nr_groups + 1 - group) * sizeof(*group));
}

/*
 * Find the leaders again.  perf core only ever splits groups, so the members of
 * one still follow each other.  The lists of groups that run change on their
 * CPU only, with interrupts off.
 */
static notrace void __kprobes snap_bpf_regroup(struct bpf_cpu *bc)
{
	const struct perf_event *leader = NULL;
	struct bpf_group *group = NULL;
	struct bpf_member *m;
	unsigned int i;

	bc->changed = false;
	bc->nr_groups = 0;
	for (i = 0; i < bc->nr_members; i++) {
		m = &bc->member[i];
		if (m->event->group_leader != leader) {
			leader = m->event->group_leader;
			group = snap_bpf_begin_group(bc, leader, i);
		}
		m->place = snap_bpf_place(m->event);
		group->nr++;
		snap_bpf_check_dense(bc, group, m->mask);
	}
}

/*
 * A fold in progress has moved prev_count and not yet the count.
 *
 * For a pseudo-NMI get_irq_regs() says what it interrupted.  SDEI and SError,
 * which are NMIs as well, do not set it: it is NULL then, or has the registers
 * of an interrupt below them.
 */
static bool snap_bpf_may_interrupt_fold(void)
{
	struct pt_regs *regs;

	if (!IS_ENABLED(CONFIG_ARM64_PSEUDO_NMI) || !in_nmi())
		return false;
	regs = get_irq_regs();
	return !regs || !interrupts_enabled(regs);
}

/*
 * Even pseudo-NMIs are masked, so no fold intervenes.
 *
 * Return: the counter's number; -EAGAIN when arm_pmu has taken it off the CPU.
 */
static __always_inline int snap_bpf_member_count(const struct bpf_member *m,
						 u64 mask, const u64 *captured,
						 u64 *count)
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

/* @sparse: use the place and the width of each member */
static __always_inline int snap_bpf_group_counts(const struct bpf_cpu *bc,
						 const struct bpf_group *group,
						 u64 *values, bool sparse)
{
	const struct bpf_member *m = &bc->member[group->first];
	const struct bpf_member *end = m + group->nr;
	u64 used = 0, count;
	int n;

	do {
		n = snap_bpf_member_count(m, sparse ? m->mask : U64_MAX,
					  bc->cap.value, &count);
		if (unlikely(n < 0))
			return n;
		if (sparse)
			values[m->place] = count;
		else
			*values++ = count;
		used |= BIT_ULL(n);
	} while (++m < end);
	/* arm_pmu is removing one: stopped, but its index is still set. */
	return unlikely(used & ~bc->cap.counters) ? -EAGAIN : group->nr;
}

static noinline notrace int __kprobes
snap_bpf_capture_sparse(struct bpf_cpu *bc, u64 id, u64 *values, u32 room)
{
	struct bpf_group *group;

	if (bc->changed)
		snap_bpf_regroup(bc);
	group = snap_bpf_find_group(bc, id);
	if (!group->nr)
		return -ENOENT;
	if (room < snap_bpf_nr_values(bc, group))
		return -ENOSPC;
	pmscope_capture_masked(0, &bc->cap);
	return snap_bpf_group_counts(bc, group, values, true);
}

static __always_inline int snap_bpf_capture_group(struct bpf_cpu *bc, u64 id,
						  u64 *values, u32 room)
{
	struct bpf_group *group;

	if (snap_bpf_may_interrupt_fold())
		return -EBUSY;
	group = snap_bpf_find_group(bc, id);
	if (unlikely(!group->dense_nr || room < group->dense_nr))
		return snap_bpf_capture_sparse(bc, id, values, room);
	pmscope_capture_masked(0, &bc->cap);
	return snap_bpf_group_counts(bc, group, values, false);
}

__bpf_kfunc_start_defs();

/**
 * bpf_pmscope_capture() - capture this CPU now, and read the counts of a group
 * @group: PERF_EVENT_IOC_ID of the leader of a group of pmu_snapshot events
 * @values: values[i] gets the count of the i-th event of the group, in the
 *	order in which they were opened; events of other PMUs are left out
 * @values__sz: bytes of @values
 *
 * Context: any.
 * Return: how many values were written.  -ENOENT: no event of the group counts
 * on this CPU now; -ENOSPC: @values is too small; -EBUSY: called from a
 * pseudo-NMI that interrupted code with interrupts off, or from SDEI or SError;
 * -EAGAIN: a counter was just taken off the CPU.
 */
__bpf_kfunc int __kprobes
bpf_pmscope_capture(u64 group, u64 *values, u32 values__sz)
{
	unsigned long daif = pmscope_mask_all_irqs();
	int ret;

	ret = snap_bpf_capture_group(this_cpu_ptr(bpf_cpu), group, values,
				     values__sz / sizeof(*values));
	pmscope_restore_irqs(daif);
	return ret;
}

/**
 * bpf_pmscope_captured() - the last capture of a BPF program on this CPU, raw
 * @captured: filled in, as far as @captured__sz goes
 * @captured__sz: bytes of @captured
 *
 * Context: any.
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
 * Only streams that were opened with CAP_PERFMON make records.
 *
 * Context: any.
 * Return: how many streams with the trigger request run on this CPU; each makes
 * a record at every sample_period'th request, or counts it as lost.  -EBUSY as
 * for bpf_pmscope_capture().
 */
__bpf_kfunc int __kprobes bpf_pmscope_request(u64 cookie)
{
	if (snap_bpf_may_interrupt_fold())
		return -EBUSY;
	return snap_bpf_make_records(cookie);
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(snap_bpf_kfuncs)
BTF_ID_FLAGS(func, bpf_pmscope_capture, PMSCOPE_KFUNC_FLAGS)
BTF_ID_FLAGS(func, bpf_pmscope_captured, PMSCOPE_KFUNC_FLAGS)
BTF_ID_FLAGS(func, bpf_pmscope_request, PMSCOPE_KFUNC_FLAGS)
BTF_KFUNCS_END(snap_bpf_kfuncs)

/*
 * Called for a program that the running task loads.  All types take CAP_PERFMON
 * for that but syscall, for which CAP_BPF is enough.
 */
static int snap_bpf_check_program(const struct bpf_prog *prog, u32 kfunc)
{
	return prog->type == BPF_PROG_TYPE_SYSCALL && !perfmon_capable() ?
	       -EACCES : 0;
}

static const struct btf_kfunc_id_set snap_bpf_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &snap_bpf_kfuncs,
	.filter = snap_bpf_check_program,
};

/* Nothing else depends on BPF programs, so a failure is only logged. */
static void snap_bpf_register(void)
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
		ret = register_btf_kfunc_id_set(types[i], &snap_bpf_kfunc_set);
		if (ret) {
			pr_warn("BPF programs cannot capture: kfuncs not registered: %d\n",
				ret);
			return;
		}
	}
}

/**
 * snap_bpf_init() - let BPF programs capture, before any event is opened
 * @request: makes records of this CPU; may be called from any context but a
 *	pseudo-NMI that interrupted a fold
 *
 * Context: process, in module init.
 * Return: 0 or -ENOMEM.
 */
int snap_bpf_init(unsigned int (*request)(u64 cookie))
{
	bpf_cpu = alloc_percpu(struct bpf_cpu);
	if (!bpf_cpu)
		return -ENOMEM;
	snap_bpf_make_records = request;
	snap_bpf_register();
	return 0;
}

/**
 * snap_bpf_exit() - undo snap_bpf_init(), also if it failed
 *
 * Context: process, where the module is unloaded: programs that capture hold a
 * reference to it.
 */
void snap_bpf_exit(void)
{
	free_percpu(bpf_cpu);
	bpf_cpu = NULL;
}

#endif /* PMSCOPE_KFUNCS */
