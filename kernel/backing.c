// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing counters.  A pmu_snapshot event programs no hardware: perf core
 * schedules, inherits and folds a pinned event of the arm_pmu beside it, and
 * the snapshot is read at the index that event got.
 */
#include "backing.h"
#include "caps.h"
#include "compat.h"
#include "snapshot_stream.h"

#include <linux/err.h>
#include <linux/pmscope.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

/* armv8_pmuv3 and friends: config1 bit 0, one 64-bit counter for the event */
#define ARMV8_CONFIG1_LONG	BIT(0)

/**
 * struct pmscope_backing - the counters of an opened event
 * @counter: counts; those of its children hang on it
 * @trigger: for a stream by overflow: counts the same, and overflows.  perf
 *	throttles it when it does so too often; @counter goes on.
 * @release: gives them up
 */
struct pmscope_backing {
	struct perf_event *counter;
	struct perf_event *trigger;
	struct work_struct release;
};

static struct workqueue_struct *release_wq;

static bool is_armv8_pmu(const struct pmu *pmu)
{
	return pmu->name && strstarts(pmu->name, "armv8_");
}

/*
 * Without FEAT_PMUv3p5 a 64-bit event takes two chained counters, that are
 * not captured as one; a 32-bit one is folded at each overflow by arm_pmu.
 */
static bool wants_long(const struct perf_event *event)
{
	int cpu = event->cpu >= 0 ? event->cpu : cpumask_first(cpu_online_mask);

	return pmscope_caps(cpu)->features & PMSCOPE_FEAT_PMUV3P5;
}

static bool overflows(const struct perf_event *event)
{
	return event->attr.config & PMSCOPE_SNAPSHOT_OVERFLOW;
}

static struct perf_event_attr backing_attr(const struct perf_event *event)
{
	const struct perf_event_attr *user = &event->attr;

	/* PERF_TYPE_RAW finds the arm_pmu of event->cpu on big.LITTLE too. */
	return (struct perf_event_attr){
		.type		= PERF_TYPE_RAW,
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

static void release_backing(struct work_struct *work)
{
	struct pmscope_backing *backing =
		container_of(work, struct pmscope_backing, release);

	if (backing->trigger)
		perf_event_release_kernel(backing->trigger);
	perf_event_release_kernel(backing->counter);
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

static struct perf_event *create_counter(struct perf_event *event,
					 u64 sample_period)
{
	struct perf_event_attr attr = backing_attr(event);
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

static int create_counters(struct pmscope_backing *backing,
			   struct perf_event *event)
{
	backing->counter = create_counter(event, 0);
	if (IS_ERR(backing->counter))
		return PTR_ERR(backing->counter);
	if (!overflows(event))
		return 0;

	backing->trigger = create_counter(event, event->attr.sample_period);
	if (!IS_ERR(backing->trigger))
		return 0;
	perf_event_release_kernel(backing->counter);
	return PTR_ERR(backing->trigger);
}

/**
 * pmscope_backing_create() - make the backing counter of an event
 * @event: a pmu_snapshot event in its event_init, not an inherited one
 *
 * Same task, CPU, exclusions and inheritance as @event.  Waits for counters
 * that closed events still hold.  Process context, no perf lock held.
 *
 * Return: the backing, or ERR_PTR: -EBUSY when pinned events of others hold
 * the counters of the CPU, -ENODEV when the CPU's PMU is no PMUv3, or what
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
	ret = create_counters(backing, event);
	if (ret) {
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
 * Return: NULL if the task has none.
 */
struct perf_event *pmscope_backing_counter(struct pmscope_backing *backing,
					   struct perf_event *event)
{
	struct perf_event *counter = backing->counter;
	struct perf_event_context *ctx;

	if (!event->ctx->task)
		return counter;
	ctx = pmscope_hw_context(event);
	if (!ctx)
		return NULL;
	if (READ_ONCE(counter->ctx) == ctx)
		return counter;
	return inherited_counter(ctx, counter);
}

/**
 * pmscope_backing_has_trigger() - is this the trigger of a stream?
 * @backing: the backing of the stream's event, or of the one it inherits from
 * @trigger: a counter that overflowed in the context of the stream's event
 */
bool pmscope_backing_has_trigger(const struct pmscope_backing *backing,
				 const struct perf_event *trigger)
{
	return backing->trigger == (trigger->parent ?: trigger);
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
}
