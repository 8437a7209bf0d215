// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening and closing a pmu_snapshot event, and what is refused.
 *
 * perf core multiplexes counters; a backing counter is pinned, as a group is
 * only captured as one while all its counters are on the CPU.  So an event that
 * cannot get a counter is refused here instead of counting nothing.
 */
#include "access.h"
#include "compat.h"
#include "cpu.h"
#include "snapshot/backing.h"
#include "snapshot/event.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/pmscope.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>

struct pmu *snap_counting_pmu __ro_after_init;
struct pmu *snap_streaming_pmu __ro_after_init;

#define EVENT_CPU_CYCLES	0x11
#define EVENT_INST_RETIRED	0x08

static int snap_event_check_attr(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	unsigned int word;

	/*
	 * perf core lets groups of software contexts, such as ours, be beside
	 * others.  A record raises no signal.  And at exec it would free an
	 * inherited counter before its event.
	 */
	if (has_branch_stack((struct perf_event *)event) || attr->exclusive ||
	    attr->sigtrap || attr->precise_ip ||
	    (attr->remove_on_exec && attr->inherit))
		return -EOPNOTSUPP;
	if (attr->config & ~PMSCOPE_SNAPSHOT_CONFIG_MASK)
		return -EINVAL;
	for (word = 1; word < PMSCOPE_ATTR_CONFIGS; word++)
		if (pmscope_attr_config(attr, word))
			return -EINVAL;
	return 0;
}

/**
 * struct demand - the counters that events need at the same time
 * @events: how many
 * @cycles: one of them can count on PMCCNTR_EL0
 * @instructions: one of them can count on PMICNTR_EL0
 */
struct demand {
	unsigned int events;
	bool cycles;
	bool instructions;
};

static void snap_event_add_demand(struct demand *demand,
				  const struct perf_event *event)
{
	u64 number = event->attr.config & PMSCOPE_SNAPSHOT_EVENT_MASK;

	/* perf core multiplexes events of other PMUs around ours. */
	if (!snap_event_is_ours(event))
		return;
	demand->events++;
	/* The trigger of a stream by overflow is a counter of its own. */
	if (event->attr.config & PMSCOPE_SNAPSHOT_OVERFLOW)
		demand->events++;
	demand->cycles |= number == EVENT_CPU_CYCLES;
	demand->instructions |= number == EVENT_INST_RETIRED;
}

static void snap_event_group_demand(struct perf_event *leader,
				    struct demand *demand)
{
	struct perf_event_context *ctx;
	struct perf_event *sibling;
	unsigned long flags;

	/*
	 * perf core takes the context mutex for groups of hardware PMUs only,
	 * so the group may move to another context, or change, meanwhile.
	 */
	rcu_read_lock();
again:
	ctx = READ_ONCE(leader->ctx);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (ctx != leader->ctx) {
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		goto again;
	}
	snap_event_add_demand(demand, leader);
	for_each_sibling_event(sibling, leader)
		snap_event_add_demand(demand, sibling);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	rcu_read_unlock();
}

static bool snap_event_fits(const struct demand *demand, int cpu)
{
	const struct pmscope_cpu_caps *caps = pmscope_caps(cpu);
	unsigned int room = caps->nr_counters;

	room += demand->cycles && snap_backing_has_pmccntr(cpu);
	room += demand->instructions && PMSCOPE_USES_PMICNTR &&
		(caps->features & PMSCOPE_FEAT_ICNTR);
	return demand->events <= room;
}

/* The counters that a task's events in one context need on a CPU */
static void snap_event_context_demand(struct perf_event_context **where,
				      int cpu, struct demand *demand)
{
	struct perf_event_context *ctx;
	struct perf_event *event;
	unsigned long flags;

	rcu_read_lock();
again:
	ctx = READ_ONCE(*where);
	if (!ctx)
		goto out;
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (ctx != READ_ONCE(*where)) {
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		goto again;
	}
	list_for_each_entry(event, &ctx->event_list, event_entry)
		if (event->cpu < 0 || event->cpu == cpu)
			snap_event_add_demand(demand, event);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
out:
	rcu_read_unlock();
}

/* All events of a task are scheduled together, whatever group they are in. */
static bool snap_event_task_fits(const struct perf_event *event, int cpu)
{
	struct perf_event_context **where;
	struct demand demand = {};
	unsigned int n = 0;

	snap_event_add_demand(&demand, event);
	while ((where = pmscope_task_context(event->hw.target, n++)))
		snap_event_context_demand(where, cpu, &demand);
	return snap_event_fits(&demand, cpu);
}

/* The scheduler may move a task to any CPU. */
static bool snap_event_task_fits_everywhere(const struct perf_event *event)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!snap_event_task_fits(event, cpu))
			return false;
	return true;
}

/*
 * perf core schedules a pinned leader of another PMU before our backing
 * counters.  Our siblings cannot be added then, and the group goes to the error
 * state, which it does not leave.
 */
static bool snap_event_leads_too_early(const struct perf_event *leader)
{
	return leader->attr.pinned && !snap_event_is_ours(leader);
}

static bool snap_event_group_fits(struct perf_event *event)
{
	struct demand demand = {};

	snap_event_add_demand(&demand, event);
	if (event->group_leader != event)
		snap_event_group_demand(event->group_leader, &demand);
	return snap_event_fits(&demand, event->cpu);
}

/*
 * For a CPU snap_backing_create() finds the counters that other groups hold;
 * for a task it cannot, as that may not be running.  So all events of a task
 * are added up, and only the group of an event of a CPU.
 */
static int snap_event_check_room(struct perf_event *event)
{
	bool fit;

	if (snap_event_leads_too_early(event->group_leader))
		return -EINVAL;
	if (!event->hw.target)
		fit = snap_event_group_fits(event);
	else if (event->cpu >= 0)
		fit = snap_event_task_fits(event, event->cpu);
	else
		fit = snap_event_task_fits_everywhere(event);
	return fit ? 0 : -ENOSPC;
}

static void snap_event_destroy(struct perf_event *event)
{
	struct snap_event *snap = to_snap(event);

	kfree(snap->stream);
	if (!event->parent)
		snap_backing_release(snap->backing);
	kfree(snap);
}

/* Called at fork for an inherited event, under the parent's context mutex */
static int snap_event_init_inherited(struct perf_event *event,
				     struct snap_event *snap)
{
	snap->backing = to_snap(event->parent)->backing;
	return 0;
}

/* Runs on the CPU of an event that was added before its counters were enabled */
static void snap_event_start(void *info)
{
	struct perf_event *event = info;

	if (event->state == PERF_EVENT_STATE_ACTIVE &&
	    event->oncpu == smp_processor_id() && !to_snap(event)->counter &&
	    !snap_backing_attach(event))
		event->pmu->start(event, 0);
}

static int snap_event_init_opened(struct perf_event *event,
				  struct snap_event *snap,
				  const struct snap_stream_ops *streams)
{
	int ret = snap_event_check_room(event);

	if (ret)
		return ret;
	snap->backing = snap_backing_create(event,
					    streams ? streams->overflow : NULL);
	if (IS_ERR(snap->backing))
		return PTR_ERR(snap->backing);
	ret = snap_backing_enable_later(snap->backing, event,
					snap_event_start);
	if (ret)
		snap_backing_release(snap->backing);
	return ret;
}

static bool snap_event_is_captured(int cpu)
{
	return pmscope_access_backend(cpu) != PMSCOPE_BACKEND_NONE;
}

/* With backend=hardware a task may run on a CPU that nobody captures. */
static bool snap_event_is_captured_everywhere(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!snap_event_is_captured(cpu))
			return false;
	return true;
}

static int snap_event_check(const struct perf_event *event,
			    const struct snap_stream_ops *streams)
{
	int ret;

	/*
	 * For an event of a task perf core only compares with nr_cpu_ids; a CPU
	 * in a hole of cpu_possible_mask has no per-CPU memory.
	 */
	if (event->cpu >= 0 && !cpu_possible(event->cpu))
		return -ENODEV;
	if (event->cpu >= 0 && !snap_event_is_captured(event->cpu))
		return -ENOENT;
	ret = snap_event_check_attr(event);
	if (!ret && event->cpu < 0 && !snap_event_is_captured_everywhere())
		ret = -EOPNOTSUPP;
	if (!ret && streams)
		ret = streams->check(event);
	return ret;
}

/* The backing comes last: releasing it may take time. */
static int snap_event_fill(struct perf_event *event, struct snap_event *snap,
			   const struct snap_stream_ops *streams)
{
	int ret;

	event->pmu_private = snap;
	/* No handler: PERF_EVENT_IOC_SET_BPF fails, as nothing would call it. */
	event->overflow_handler_context = event;
	/* Until add(): a read before that finds the event stopped. */
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (streams) {
		ret = streams->create(event);
		if (ret)
			return ret;
	}
	ret = event->parent ? snap_event_init_inherited(event, snap) :
			      snap_event_init_opened(event, snap, streams);
	if (ret)
		kfree(snap->stream);
	return ret;
}

/**
 * snap_event_init() - make an event of pmu_snapshot or of pmscope_stream
 * @event: in its event_init, of the right PMU
 * @streams: of pmscope_stream, NULL for pmu_snapshot
 *
 * Context: process; under the parent's context mutex for an inherited event.
 * Return: 0 or -errno, as in perf_event_open(2).
 */
int snap_event_init(struct perf_event *event,
		    const struct snap_stream_ops *streams)
{
	struct snap_event *snap;
	int ret;

	if (!event->parent) {
		ret = snap_event_check(event, streams);
		if (ret)
			return ret;
	}

	snap = kzalloc(sizeof(*snap), GFP_KERNEL);
	if (!snap)
		return -ENOMEM;
	ret = snap_event_fill(event, snap, streams);
	if (ret) {
		event->pmu_private = NULL;
		kfree(snap);
		return ret;
	}
	event->destroy = snap_event_destroy;
	return 0;
}
