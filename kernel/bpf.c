// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures for BPF programs (kfuncs): tracing, kprobe, uprobe, tracepoint,
 * perf_event and syscall programs.
 *
 * A program names a group of pmu_snapshot events by the id of its leader
 * (PERF_EVENT_IOC_ID), the same for all that inherit it.  Each CPU knows which
 * members of which groups count there now.  A capture is bounded, takes no
 * lock and changes no event, so it may come from any context; a second one
 * inside of the first, and one from a pseudo-NMI that may have interrupted the
 * folding of a counter, are refused.
 */
#define pr_fmt(fmt) "pmscope: " fmt

#include "bpf.h"

#ifdef PMSCOPE_KFUNCS

#include "backing.h"
#include "capture.h"

#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/irqflags.h>
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
 * @counter: the one that counts for it
 * @group: the id of the leader of its group
 * @place: its place in the group, the leader's being 0
 */
struct bpf_member {
	struct perf_event *event;
	struct perf_event *counter;
	u64 group;
	unsigned int place;
};

/**
 * struct bpf_cpu - what programs on this CPU can capture
 * @busy: a capture is under way
 * @nr: members in use
 * @number: captures so far
 * @cap: the last one
 * @member: written by perf core's calls, with interrupts off
 */
struct bpf_cpu {
	bool busy;
	unsigned int nr;
	u64 number;
	struct pmscope_capture cap;
	struct bpf_member member[PMSCOPE_NR_COUNTERS];
};

static DEFINE_PER_CPU(struct bpf_cpu, bpf_cpu);

/* What PERF_EVENT_IOC_ID says: children count under the name of the parent. */
static u64 primary_id(const struct perf_event *event)
{
	return event->parent ? event->parent->id : event->id;
}

static unsigned int place_in_group(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int place = 1;

	if (event == leader)
		return 0;
	for_each_sibling_event(sibling, leader) {
		if (sibling == event)
			break;
		place++;
	}
	return place;
}

/**
 * pmscope_bpf_add() - an event begins to count on this CPU
 * @event: an event of pmu_snapshot in its ->add
 * @counter: the event that counts for it
 */
void pmscope_bpf_add(struct perf_event *event, struct perf_event *counter)
{
	struct bpf_cpu *bc = this_cpu_ptr(&bpf_cpu);

	/* Each has a counter of the CPU, so there are never more. */
	if (WARN_ON_ONCE(bc->nr >= ARRAY_SIZE(bc->member)))
		return;
	bc->member[bc->nr] = (struct bpf_member){
		.event = event,
		.counter = counter,
		.group = primary_id(event->group_leader),
		.place = place_in_group(event),
	};
	/* A program in a pseudo-NMI sees it whole or not at all. */
	barrier();
	bc->nr++;
}

/**
 * pmscope_bpf_del() - an event ends to count on this CPU
 * @event: an event of pmu_snapshot in its ->del
 */
void pmscope_bpf_del(struct perf_event *event)
{
	struct bpf_cpu *bc = this_cpu_ptr(&bpf_cpu);
	unsigned int i;

	for (i = 0; i < bc->nr; i++) {
		if (bc->member[i].event != event)
			continue;
		/* For a moment the last one is there twice, never missing. */
		bc->member[i] = bc->member[bc->nr - 1];
		barrier();
		bc->nr--;
		return;
	}
}

/* A fold in progress has moved prev_count and not yet the count. */
static bool may_interrupt_fold(void)
{
	return in_nmi() && !interrupts_enabled(get_irq_regs());
}

/* The event's own count: that of its counter began when it was opened. */
static __always_inline bool member_count(const struct bpf_member *m,
					 const struct pmscope_capture *cap,
					 u64 *count)
{
	u64 value;

	if (!pmscope_counter_on_cpu(m->counter) ||
	    !pmscope_counter_value(m->counter, cap, &value))
		return false;
	*count = local64_read(&m->event->count) + value -
		 local64_read(&m->event->hw.prev_count);
	return true;
}

static __always_inline int counts_of_group(const struct bpf_cpu *bc, u64 group,
					   u64 *values, u32 room)
{
	const struct bpf_member *m = bc->member, *end = m + bc->nr;
	int found = 0;

	for (; m < end; m++) {
		if (m->group != group)
			continue;
		if (m->place >= room)
			return -ENOSPC;
		if (!member_count(m, &bc->cap, &values[m->place]))
			return -EAGAIN;
		found++;
	}
	return found ?: -ENOENT;
}

static __always_inline int capture_group(struct bpf_cpu *bc, u64 group,
					 u64 *values, u32 room)
{
	int ret;

	if (bc->busy || may_interrupt_fold())
		return -EBUSY;
	bc->busy = true;
	barrier();
	pmscope_capture(0, &bc->cap);
	bc->number++;
	ret = counts_of_group(bc, group, values, room);
	barrier();
	bc->busy = false;
	return ret;
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
 * on this CPU now; -ENOSPC: @values is too small; -EBUSY: called inside of a
 * capture, or from a pseudo-NMI that interrupted the PMU's own code; -EAGAIN:
 * a counter was just taken off the CPU.
 */
__bpf_kfunc int bpf_pmscope_capture(u64 group, u64 *values, u32 values__sz)
{
	unsigned long flags;
	int ret;

	/* raw_: programs may sit in the tracing of interrupt flags, too. */
	raw_local_irq_save(flags);
	ret = capture_group(this_cpu_ptr(&bpf_cpu), group, values,
			    values__sz / sizeof(*values));
	raw_local_irq_restore(flags);
	return ret;
}

/**
 * bpf_pmscope_captured() - the last capture of a BPF program on this CPU, raw
 * @captured: filled in, as far as @captured__sz goes
 * @captured__sz: bytes of @captured
 *
 * Return: 0; -ENODATA: no program has captured this CPU yet; -EBUSY: called
 * inside of a capture.
 */
__bpf_kfunc int bpf_pmscope_captured(struct pmscope_captured *captured,
				     u32 captured__sz)
{
	struct bpf_cpu *bc;
	unsigned long flags;
	int ret = 0;

	raw_local_irq_save(flags);
	bc = this_cpu_ptr(&bpf_cpu);
	if (bc->busy) {
		ret = -EBUSY;
	} else if (!bc->number) {
		ret = -ENODATA;
	} else {
		struct pmscope_captured all = {
			.number = bc->number,
			.counters = bc->cap.counters,
			.stopped = bc->cap.stopped,
			.backend = bc->cap.backend,
		};

		BUILD_BUG_ON(sizeof(all.value) != sizeof(bc->cap.value));
		memcpy(all.value, bc->cap.value, sizeof(all.value));
		memcpy(captured, &all, min_t(u32, captured__sz, sizeof(all)));
	}
	raw_local_irq_restore(flags);
	return ret;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(pmscope_kfuncs)
BTF_ID_FLAGS(func, bpf_pmscope_capture, PMSCOPE_KFUNC_FLAGS)
BTF_ID_FLAGS(func, bpf_pmscope_captured, PMSCOPE_KFUNC_FLAGS)
BTF_KFUNCS_END(pmscope_kfuncs)

static const struct btf_kfunc_id_set pmscope_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &pmscope_kfuncs,
};

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
