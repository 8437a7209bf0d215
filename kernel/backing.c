// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing counters.  A pmu_snapshot event programs no hardware: perf core
 * schedules, inherits and folds a pinned event of the arm_pmu beside it, and
 * the snapshot is read at the index that event got.
 */
#include "backing.h"
#include "caps.h"
#include "compat.h"
#include "snapshot_event.h"
#include "snapshot_stream.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/pmscope.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

/* armv8_pmuv3 and friends: config1 bit 0, one 64-bit counter for the event */
#define ARMV8_CONFIG1_LONG	BIT(0)

/**
 * struct backing_kind - the counters of an opened event on CPUs of one kind
 * @counter: counts; those of its children hang on it
 * @trigger: for a stream by overflow: counts the same, and overflows.  perf
 *	throttles it when it does so too often; @counter goes on.
 */
struct backing_kind {
	struct perf_event *counter;
	struct perf_event *trigger;
};

/* More arm_pmus than any machine has */
#define MAX_KINDS 8

/**
 * struct pmscope_backing - the counters of an opened event
 * @kind: of each arm_pmu whose CPUs the event may come to
 * @nr: how many
 * @release: gives them up
 */
struct pmscope_backing {
	struct backing_kind kind[MAX_KINDS];
	unsigned int nr;
	struct work_struct release;
};

static struct workqueue_struct *release_wq;

/* The driver names the PMUs of newer CPUs armv9_*. */
static bool is_armv8_pmu(const struct pmu *pmu)
{
	return pmu->name && (strstarts(pmu->name, "armv8_") ||
			     strstarts(pmu->name, "armv9_"));
}

/*
 * Without FEAT_PMUv3p5 a 64-bit event takes two chained counters, that are
 * not captured as one; a 32-bit one is folded at each overflow by arm_pmu.
 */
static bool wants_long(const struct perf_event *event)
{
	int cpu;

	if (event->cpu >= 0)
		return pmscope_caps(event->cpu)->features & PMSCOPE_FEAT_PMUV3P5;
	for_each_online_cpu(cpu)
		if (!(pmscope_caps(cpu)->features & PMSCOPE_FEAT_PMUV3P5))
			return false;
	return true;
}

static bool overflows(const struct perf_event *event)
{
	return event->attr.config & PMSCOPE_SNAPSHOT_OVERFLOW;
}

static struct perf_event_attr backing_attr(const struct perf_event *event,
					   u32 type)
{
	const struct perf_event_attr *user = &event->attr;

	return (struct perf_event_attr){
		.type		= type,
		.size		= sizeof(struct perf_event_attr),
		.config		= user->config & PMSCOPE_SNAPSHOT_EVENT_MASK,
		.config1	= wants_long(event) ? ARMV8_CONFIG1_LONG : 0,
		.pinned		= 1,
		.inherit	= user->inherit,
		.inherit_thread	= user->inherit_thread,
		.exclude_user	= user->exclude_user,
		.exclude_kernel	= user->exclude_kernel,
		.exclude_hv	= user->exclude_hv,
		.exclude_idle	= user->exclude_idle,
		.exclude_host	= user->exclude_host,
		.exclude_guest	= user->exclude_guest,
	};
}

static void release_kind(const struct backing_kind *kind)
{
	if (kind->trigger)
		perf_event_release_kernel(kind->trigger);
	perf_event_release_kernel(kind->counter);
}

static void release_kinds(const struct pmscope_backing *backing)
{
	unsigned int i;

	for (i = 0; i < backing->nr; i++)
		release_kind(&backing->kind[i]);
}

static void release_backing(struct work_struct *work)
{
	struct pmscope_backing *backing =
		container_of(work, struct pmscope_backing, release);

	release_kinds(backing);
	kfree(backing);
}

/* A pinned event that does not get on the CPU goes to the error state. */
static int check_counter(struct perf_event *counter)
{
	if (!is_armv8_pmu(counter->pmu))
		return -ENODEV;
	if (READ_ONCE(counter->state) == PERF_EVENT_STATE_ERROR)
		return -EBUSY;
	return 0;
}

static struct perf_event *create_counter(struct perf_event *event, u32 type,
					 u64 sample_period)
{
	struct perf_event_attr attr = backing_attr(event, type);
	struct perf_event *counter;
	int ret;

	attr.sample_period = sample_period;
	counter = perf_event_create_kernel_counter(&attr, event->cpu,
						   event->hw.target,
						   sample_period ?
						   snap_stream_overflow : NULL,
						   NULL);
	if (IS_ERR(counter))
		return counter;
	ret = check_counter(counter);
	if (!ret)
		return counter;
	perf_event_release_kernel(counter);
	return ERR_PTR(ret);
}

/* @type: of the arm_pmu */
static int create_kind(struct pmscope_backing *backing,
		       struct perf_event *event, u32 type)
{
	struct backing_kind kind = { };

	if (backing->nr == MAX_KINDS)
		return -ENODEV;
	kind.counter = create_counter(event, type, 0);
	if (IS_ERR(kind.counter))
		return PTR_ERR(kind.counter);
	if (overflows(event)) {
		kind.trigger = create_counter(event, type,
					      event->attr.sample_period);
		if (IS_ERR(kind.trigger)) {
			perf_event_release_kernel(kind.counter);
			return PTR_ERR(kind.trigger);
		}
	}
	backing->kind[backing->nr++] = kind;
	return 0;
}

static bool counts_on(const struct backing_kind *kind, int cpu)
{
	return cpumask_test_cpu(cpu,
				&to_arm_pmu(kind->counter->pmu)->supported_cpus);
}

static const struct backing_kind *
kind_of_cpu(const struct pmscope_backing *backing, int cpu)
{
	unsigned int i;

	for (i = 0; i < backing->nr; i++)
		if (counts_on(&backing->kind[i], cpu))
			return &backing->kind[i];
	return NULL;
}

/* Type of the arm_pmu of a CPU, or -errno.  There is no list of arm_pmus. */
static int arm_pmu_type(int cpu)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.disabled	= 1,
	};
	struct perf_event *event;
	int type;

	/* One of this task: not everybody may have one of a CPU. */
	event = perf_event_create_kernel_counter(&attr, cpu, current, NULL,
						 NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? -ENODEV : PTR_ERR(event);
	type = event->pmu->type;
	perf_event_release_kernel(event);
	return type;
}

/*
 * PERF_TYPE_RAW finds the arm_pmu of event->cpu.  For a task it finds any; the
 * task may come to all CPUs, and an arm_pmu counts on its own only.
 */
static int create_kinds(struct pmscope_backing *backing,
			struct perf_event *event)
{
	int ret, cpu;

	ret = create_kind(backing, event, PERF_TYPE_RAW);
	if (event->cpu >= 0)
		return ret;

	for_each_online_cpu(cpu) {
		if (ret)
			break;
		if (kind_of_cpu(backing, cpu))
			continue;
		ret = PMSCOPE_ALL_KINDS_STOP ? arm_pmu_type(cpu) : -EOPNOTSUPP;
		if (ret >= 0)
			ret = create_kind(backing, event, ret);
	}
	return ret;
}

/**
 * pmscope_backing_create() - make the backing counters of an event
 * @event: a pmu_snapshot event in its event_init, not an inherited one
 *
 * Same task, CPU, exclusions and inheritance as @event.  Waits for counters
 * that closed events still hold.  Process context, no perf lock held.
 *
 * Return: the backing, or ERR_PTR: -EBUSY when pinned events of others hold
 * the counters of the CPU, -ENODEV when the PMU of the CPU, or of one to which
 * the task may come, is no PMUv3, -EOPNOTSUPP when a task may come to CPUs of
 * more than one kind and its counts would not be of one instant there, or what
 * perf_event_create_kernel_counter() says.
 */
struct pmscope_backing *pmscope_backing_create(struct perf_event *event)
{
	struct pmscope_backing *backing;
	int ret;

	backing = kzalloc(sizeof(*backing), GFP_KERNEL);
	if (!backing)
		return ERR_PTR(-ENOMEM);
	INIT_WORK(&backing->release, release_backing);

	flush_workqueue(release_wq);
	ret = create_kinds(backing, event);
	if (ret) {
		release_kinds(backing);
		kfree(backing);
		return ERR_PTR(ret);
	}
	return backing;
}

/**
 * pmscope_backing_release() - give a backing counter up
 * @backing: from pmscope_backing_create()
 *
 * Deferred: the last reference to an event may be dropped by a child that
 * exits, under its perf context's mutex, and releasing takes another one.
 */
void pmscope_backing_release(struct pmscope_backing *backing)
{
	queue_work(release_wq, &backing->release);
}

static struct perf_event *inherited_counter(struct perf_event_context *ctx,
					    struct perf_event *parent)
{
	struct perf_event *counter;

	/* Events leave the list by RCU; this CPU's context is not torn down. */
	list_for_each_entry_rcu(counter, &ctx->event_list, event_entry,
				irqs_disabled())
		if (counter->parent == parent)
			return counter;
	return NULL;
}

static const struct backing_kind *
this_kind(const struct pmscope_backing *backing)
{
	return backing->nr == 1 ? backing->kind :
				  kind_of_cpu(backing, smp_processor_id());
}

/**
 * pmscope_backing_counter() - the arm_pmu event that counts for an event
 * @backing: the backing of @event, or of the event it was inherited from
 * @event: a pmu_snapshot event that is being scheduled in
 *
 * perf core inherits a counter at the same fork as the event it backs.  Tasks
 * that inherited the same events exchange them when one follows the other on a
 * CPU; before 6.2 they may exchange counters without the events.  So it is the
 * task that tells which of the counters counts.  Interrupts off.
 *
 * Return: NULL if the task has none for this CPU.
 */
struct perf_event *pmscope_backing_counter(struct pmscope_backing *backing,
					   struct perf_event *event)
{
	const struct backing_kind *kind = this_kind(backing);
	struct perf_event_context *ctx;
	struct perf_event *counter;

	if (!kind)
		return NULL;
	counter = kind->counter;
	if (!event->ctx->task)
		return counter;
	ctx = pmscope_hw_context(event);
	if (!ctx)
		return NULL;
	if (READ_ONCE(counter->ctx) == ctx)
		return counter;
	return inherited_counter(ctx, counter);
}

/*
 * perf core frees a counter whose event may still be on this CPU: the task of both
 * is exiting.  After detach() @counter has the destroy() of its PMU again.
 */
static void destroy_counter(struct perf_event *counter)
{
	struct perf_event *event;
	unsigned long flags;

	local_irq_save(flags);
	event = counter->overflow_handler_context;
	if (event)
		snap_lose_counter(event);
	local_irq_restore(flags);
	if (counter->destroy)
		counter->destroy(counter);
}

/**
 * pmscope_backing_attach() - an event counts with a counter from now on
 * @counter: from pmscope_backing_counter(), on this CPU
 * @event: the event, which is told by snap_lose_counter() before @counter is
 *	freed.  Only inherited counters are freed while their events count.
 *
 * Interrupts off.
 */
void pmscope_backing_attach(struct perf_event *counter,
			    struct perf_event *event)
{
	if (!PMSCOPE_FREES_COUNTERS_FIRST || !counter->parent)
		return;
	/* Its creator's, and a backing counter has no handler that uses it. */
	counter->overflow_handler_context = event;
	counter->destroy = destroy_counter;
}

/**
 * pmscope_backing_detach() - undo pmscope_backing_attach()
 * @counter: the same counter
 *
 * Interrupts off.
 */
void pmscope_backing_detach(struct perf_event *counter)
{
	if (!PMSCOPE_FREES_COUNTERS_FIRST || !counter->parent)
		return;
	counter->destroy = counter->parent->destroy;
	counter->overflow_handler_context = NULL;
}

/**
 * pmscope_backing_has_trigger() - is this the trigger of a stream?
 * @backing: the backing of the stream's event, or of the one it inherits from
 * @trigger: a counter that overflowed in the context of the stream's event
 */
bool pmscope_backing_has_trigger(const struct pmscope_backing *backing,
				 const struct perf_event *trigger)
{
	const struct perf_event *opened = trigger->parent ?: trigger;
	unsigned int i;

	for (i = 0; i < backing->nr; i++)
		if (backing->kind[i].trigger == opened)
			return true;
	return false;
}

/**
 * pmscope_backing_init() - prepare for pmscope_backing_create()
 *
 * Return: 0 or -ENOMEM.
 */
int pmscope_backing_init(void)
{
	release_wq = alloc_workqueue("pmscope", WQ_UNBOUND, 0);
	return release_wq ? 0 : -ENOMEM;
}

/**
 * pmscope_backing_exit() - wait until every backing counter is given up
 */
void pmscope_backing_exit(void)
{
	destroy_workqueue(release_wq);
	/* A task may have been preempted on its way into destroy_counter(). */
	if (PMSCOPE_FREES_COUNTERS_FIRST)
		synchronize_rcu_tasks();
}
