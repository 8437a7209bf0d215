// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening a pmu_snapshot event: what is refused, and what an event consists of.
 */
#include "access.h"
#include "compat.h"
#include "cpu.h"
#include "snapshot/backing.h"
#include "snapshot/event.h"
#include "snapshot/group.h"
#include "snapshot/stream.h"

#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/pmscope.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#define EVENT_CPU_CYCLES	0x11
#define EVENT_INST_RETIRED	0x08

static int check_attr(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	unsigned int word;

	if (has_branch_stack((struct perf_event *)event))
		return -EOPNOTSUPP;
	if (attr->config & ~PMSCOPE_SNAPSHOT_CONFIG_MASK)
		return -EINVAL;
	for (word = 1; word < PMSCOPE_ATTR_CONFIGS; word++)
		if (pmscope_attr_config(attr, word))
			return -EINVAL;
	return 0;
}

struct demand {
	unsigned int events;
	bool cycles;
	bool instructions;
};

static void add_demand(struct demand *demand, const struct perf_event *event)
{
	u64 number = event->attr.config & PMSCOPE_SNAPSHOT_EVENT_MASK;

	/* Foreign members are none of our business, whatever they are. */
	if (!snap_group_is_ours(event))
		return;
	demand->events++;
	/* A trigger is a counter of its own. */
	if (event->attr.config & PMSCOPE_SNAPSHOT_OVERFLOW)
		demand->events++;
	demand->cycles |= number == EVENT_CPU_CYCLES;
	demand->instructions |= number == EVENT_INST_RETIRED;
}

static void group_demand(struct perf_event *leader, struct demand *demand)
{
	struct perf_event_context *ctx;
	struct perf_event *sibling;
	unsigned long flags;

	/* Nobody holds the group still for us: software PMUs get no mutex. */
	rcu_read_lock();
again:
	ctx = READ_ONCE(leader->ctx);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (ctx != leader->ctx) {
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		goto again;
	}
	add_demand(demand, leader);
	for_each_sibling_event(sibling, leader)
		add_demand(demand, sibling);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	rcu_read_unlock();
}

static bool fits(const struct demand *demand, int cpu)
{
	const struct pmscope_cpu_caps *caps = pmscope_caps(cpu);
	unsigned int room = caps->nr_counters;

	room += demand->cycles && snap_backing_has_pmccntr(cpu);
	room += demand->instructions && PMSCOPE_USES_PMICNTR &&
		(caps->features & PMSCOPE_FEAT_ICNTR);
	return demand->events <= room;
}

/* What the events of a task need on a CPU, as far as they are in one context */
static void context_demand(struct perf_event_context **where, int cpu,
			   struct demand *demand)
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
			add_demand(demand, event);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
out:
	rcu_read_unlock();
}

/* All that a task has open counts at once, whatever group it is in. */
static bool task_fits(const struct perf_event *event, int cpu)
{
	struct perf_event_context **where;
	struct demand demand = {};
	unsigned int n = 0;

	add_demand(&demand, event);
	while ((where = pmscope_task_context(event->hw.target, n++)))
		context_demand(where, cpu, &demand);
	return fits(&demand, cpu);
}

/* A task may come to any CPU. */
static bool task_fits_everywhere(const struct perf_event *event)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!task_fits(event, cpu))
			return false;
	return true;
}

/*
 * perf core schedules a pinned leader of another PMU ahead of our counters, and
 * puts its group into the error state, for good, as we cannot follow yet.
 */
static bool leads_too_early(const struct perf_event *leader)
{
	return leader->attr.pinned && !snap_group_is_ours(leader);
}

static bool group_fits(struct perf_event *event)
{
	struct demand demand = {};

	add_demand(&demand, event);
	if (event->group_leader != event)
		group_demand(event->group_leader, &demand);
	return fits(&demand, event->cpu);
}

/*
 * Counters do not multiplex: what cannot fit is refused at once.  On a CPU the
 * counters of other groups are found taken; those of a task only when it runs.
 */
static int check_room(struct perf_event *event)
{
	bool fit;

	if (leads_too_early(event->group_leader))
		return -EINVAL;
	if (!event->hw.target)
		fit = group_fits(event);
	else if (event->cpu >= 0)
		fit = task_fits(event, event->cpu);
	else
		fit = task_fits_everywhere(event);
	return fit ? 0 : -ENOSPC;
}

static void snapshot_destroy(struct perf_event *event)
{
	struct snap_event *snap = to_snap(event);

	snap_stream_free(event);
	if (!event->parent)
		snap_backing_release(snap->backing);
	kfree(snap);
}

/* Called at fork for an inherited event, under the parent's context mutex */
static int init_inherited(struct perf_event *event, struct snap_event *snap)
{
	snap->backing = to_snap(event->parent)->backing;
	return 0;
}

static int init_opened(struct perf_event *event, struct snap_event *snap)
{
	int ret = check_room(event);

	if (ret)
		return ret;
	snap->backing = snap_backing_create(event, snap_stream_overflow);
	return PTR_ERR_OR_ZERO(snap->backing);
}

static bool is_of_same_user(const struct cred *mine, const struct cred *theirs)
{
	return uid_eq(mine->uid, theirs->euid) &&
	       uid_eq(mine->uid, theirs->suid) &&
	       uid_eq(mine->uid, theirs->uid) &&
	       gid_eq(mine->gid, theirs->egid) &&
	       gid_eq(mine->gid, theirs->sgid) && gid_eq(mine->gid, theirs->gid);
}

/*
 * perf core asks that, too, but behind event_init, when the task would have the
 * backing counters already.  As far as credentials go this is what
 * ptrace_may_access() says, which modules cannot reach.
 */
static bool may_look_at(struct task_struct *task)
{
	const struct cred *theirs;
	bool may;

	if (perfmon_capable() || same_thread_group(task, current))
		return true;
	rcu_read_lock();
	theirs = __task_cred(task);
	may = is_of_same_user(current_cred(), theirs) ||
	      ns_capable(theirs->user_ns, CAP_SYS_PTRACE);
	rcu_read_unlock();
	return may;
}

static bool is_captured(int cpu)
{
	return pmscope_access_backend(cpu) != PMSCOPE_BACKEND_NONE;
}

/* With backend=hardware a task must not come to a CPU that has to be stopped. */
static bool is_captured_everywhere(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!is_captured(cpu))
			return false;
	return true;
}

static int check_event(const struct perf_event *event)
{
	int ret;

	/*
	 * For an event of a task perf core only compares with nr_cpu_ids; a CPU
	 * in a hole of cpu_possible_mask has no per-CPU memory.
	 */
	if (event->cpu >= 0 && !cpu_possible(event->cpu))
		return -ENODEV;
	if (event->hw.target && !may_look_at(event->hw.target))
		return -EACCES;
	if (event->cpu >= 0 && !is_captured(event->cpu))
		return -ENOENT;
	ret = check_attr(event);
	if (!ret && event->cpu < 0 && !is_captured_everywhere())
		ret = -EOPNOTSUPP;
	if (!ret && snap_stream_is_wanted(&event->attr))
		ret = snap_stream_check(event);
	return ret;
}

/* The part that needs nothing undone but memory comes first. */
static int init_snap(struct perf_event *event, struct snap_event *snap)
{
	int ret;

	event->pmu_private = snap;
	/* Until add(): whoever asks before finds nothing to read. */
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (snap_stream_is_wanted(&event->attr)) {
		ret = snap_stream_create(event);
		if (ret)
			return ret;
	}
	ret = event->parent ? init_inherited(event, snap) :
			      init_opened(event, snap);
	if (ret)
		snap_stream_free(event);
	return ret;
}

/**
 * snap_event_init() - make an event of pmu_snapshot or of pmscope_stream
 * @event: in its event_init, of the right PMU
 *
 * Context: process; under the parent's context mutex for an inherited event.
 * Return: 0 or -errno, as in perf_event_open(2).
 */
int snap_event_init(struct perf_event *event)
{
	struct snap_event *snap;
	int ret;

	if (!event->parent) {
		ret = check_event(event);
		if (ret)
			return ret;
	}

	snap = kzalloc(sizeof(*snap), GFP_KERNEL);
	if (!snap)
		return -ENOMEM;
	ret = init_snap(event, snap);
	if (ret) {
		event->pmu_private = NULL;
		kfree(snap);
		return ret;
	}
	event->destroy = snapshot_destroy;
	return 0;
}
