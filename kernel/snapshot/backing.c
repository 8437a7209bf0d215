// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing counters.  A pmu_snapshot event programs no hardware: perf core
 * schedules, inherits and folds a pinned event of the arm_pmu beside it, and
 * the snapshot is read at the index that event got.
 */
#include "compat.h"
#include "cpu.h"
#include "snapshot/backing.h"
#include "snapshot/event.h"

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pmscope.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>
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

/* Who is to free a backing whose job has ended? */
enum job_state { JOB_PENDING, JOB_DONE, JOB_ABANDONED };

/**
 * struct snap_backing - the counters of an opened event
 * @kind: of each arm_pmu whose CPUs the event may come to
 * @nr: how many
 * @attr: of the counters, but for their type
 * @trigger_period: sample_period of the triggers, 0 for none
 * @overflow: overflow handler of the triggers
 * @cpu: that of the event
 * @target: its task, or NULL
 * @cred: of who opens it
 * @work: runs @job
 * @job: makes the counters, or gives them up
 * @ret: what it returned
 * @state: of @job
 * @done: @job has ended, and the one who waits frees the backing
 * @node: in releasing, while the counters are given up
 */
struct snap_backing {
	struct backing_kind kind[MAX_KINDS];
	unsigned int nr;
	struct perf_event_attr attr;
	u64 trigger_period;
	perf_overflow_handler_t overflow;
	int cpu;
	struct task_struct *target;
	const struct cred *cred;
	struct work_struct work;
	int (*job)(struct snap_backing *backing);
	int ret;
	atomic_t state;
	struct completion done;
	struct list_head node;
};

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

static struct perf_event_attr backing_attr(const struct perf_event *event)
{
	const struct perf_event_attr *user = &event->attr;

	return (struct perf_event_attr){
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

static void release_kinds(struct snap_backing *backing)
{
	while (backing->nr)
		release_kind(&backing->kind[--backing->nr]);
}

/* CPUs whose arm_pmu is known to leave PMCCNTR_EL0 alone.  Only ever grows. */
static struct cpumask without_pmccntr;

static void learn(const struct arm_pmu *pmu)
{
	int cpu;

	if (!pmscope_avoids_pmccntr(pmu))
		return;
	for_each_cpu(cpu, &pmu->supported_cpus)
		cpumask_set_cpu(cpu, &without_pmccntr);
}

/**
 * snap_backing_has_pmccntr() - does the cycle counter of a CPU count for us?
 * @cpu: the CPU
 *
 * Known from the first counter of its arm_pmu on.
 */
bool snap_backing_has_pmccntr(int cpu)
{
	return !cpumask_test_cpu(cpu, &without_pmccntr);
}

/* @type: of the arm_pmu */
static struct perf_event *create_counter(const struct snap_backing *backing,
					 u32 type, u64 sample_period)
{
	struct perf_event_attr attr = backing->attr;
	struct perf_event *counter;

	attr.type = type;
	attr.sample_period = sample_period;
	counter = perf_event_create_kernel_counter(&attr, backing->cpu,
						   backing->target,
						   sample_period ?
						   backing->overflow : NULL,
						   NULL);
	if (IS_ERR(counter))
		return counter;
	if (is_armv8_pmu(counter->pmu)) {
		learn(to_arm_pmu(counter->pmu));
		return counter;
	}
	perf_event_release_kernel(counter);
	return ERR_PTR(-ENODEV);
}

static int create_kind(struct snap_backing *backing, u32 type)
{
	struct backing_kind kind = { };

	if (backing->nr == MAX_KINDS)
		return -ENODEV;
	kind.counter = create_counter(backing, type, 0);
	if (IS_ERR(kind.counter))
		return PTR_ERR(kind.counter);
	if (backing->trigger_period) {
		kind.trigger = create_counter(backing, type,
					      backing->trigger_period);
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
kind_of_cpu(const struct snap_backing *backing, int cpu)
{
	unsigned int i;

	for (i = 0; i < backing->nr; i++)
		if (counts_on(&backing->kind[i], cpu))
			return &backing->kind[i];
	return NULL;
}

/* Type of the arm_pmu of a CPU, or -errno.  There is no list of arm_pmus. */
static int arm_pmu_type(const struct snap_backing *backing, int cpu)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.disabled	= 1,
	};
	struct perf_event *event;
	int type;

	/* One of the task: not everybody may have one of a CPU. */
	event = perf_event_create_kernel_counter(&attr, cpu, backing->target,
						 NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? -ENODEV : PTR_ERR(event);
	type = event->pmu->type;
	perf_event_release_kernel(event);
	return type;
}

/*
 * PERF_TYPE_RAW finds the arm_pmu of the event's CPU.  For a task it finds any;
 * the task may come to all CPUs, and an arm_pmu counts on its own only.
 */
static int create_kinds(struct snap_backing *backing)
{
	int ret, cpu;

	ret = create_kind(backing, PERF_TYPE_RAW);
	if (backing->cpu >= 0)
		return ret;

	for_each_online_cpu(cpu) {
		if (ret)
			break;
		if (kind_of_cpu(backing, cpu))
			continue;
		ret = PMSCOPE_ALL_KINDS_STOP ? arm_pmu_type(backing, cpu) :
					       -EOPNOTSUPP;
		if (ret >= 0)
			ret = create_kind(backing, ret);
	}
	return ret;
}

/*
 * Jobs.  To make or to release a counter takes the mutex of a perf context, that
 * its owner can hold for as long as he likes: read(2) of an event holds it while
 * it writes to memory, which may be a page of his own FUSE file.  event_init() is
 * called under SRCU, which all of perf waits for.  So others do it, and who wants
 * it done waits for a moment; what takes longer goes on by itself.
 */
#define CREATE_WAIT	(5 * HZ)
#define CONTEXT_WAIT	(2 * HZ)
#define RELEASE_WAIT	HZ

/* Jobs that workers are left to; the queue has twice as many.  The rest get threads. */
#define MAX_WORKERS	128

static struct workqueue_struct *job_wq;
static atomic_t jobs_running = ATOMIC_INIT(0);

/* Backings whose counters are being given up */
static LIST_HEAD(releasing);
static DEFINE_SPINLOCK(releasing_lock);
static DECLARE_WAIT_QUEUE_HEAD(released);

static bool is_context_held(struct task_struct *task)
{
	struct perf_event_context **where, *ctx;
	unsigned int n = 0;
	bool held = false;

	rcu_read_lock();
	while ((where = pmscope_task_context(task, n++))) {
		ctx = READ_ONCE(*where);
		held |= ctx && mutex_is_locked(&ctx->mutex);
	}
	rcu_read_unlock();
	return held;
}

/*
 * perf core, too, waits for the mutex, and from 6.15 on under SRCU.  So look first;
 * who takes it in between could as well have opened an event of another PMU.  Who
 * opens waits himself: the time and memory of a job are not charged to him.
 */
static int wait_for_context(struct task_struct *task)
{
	unsigned long end = jiffies + CONTEXT_WAIT;

	while (task && is_context_held(task)) {
		if (time_after(jiffies, end) || fatal_signal_pending(current))
			return -EAGAIN;
		usleep_range(500, 1000);
	}
	return 0;
}

static int create_job(struct snap_backing *backing)
{
	const struct cred *old = override_creds(backing->cred);
	int ret = create_kinds(backing);

	revert_creds(old);
	if (ret)
		release_kinds(backing);
	return ret;
}

static int release_job(struct snap_backing *backing)
{
	release_kinds(backing);
	spin_lock(&releasing_lock);
	list_del(&backing->node);
	spin_unlock(&releasing_lock);
	wake_up_all(&released);
	return 0;
}

static void free_backing(struct snap_backing *backing)
{
	put_cred(backing->cred);
	if (backing->target)
		put_task_struct(backing->target);
	kfree(backing);
}

/* Return: whether nobody waited, and the module is held for the job. */
static bool run_job(struct snap_backing *backing)
{
	backing->ret = backing->job(backing);
	if (atomic_cmpxchg(&backing->state, JOB_PENDING, JOB_DONE) ==
	    JOB_PENDING) {
		complete(&backing->done);
		return false;
	}
	release_kinds(backing);
	free_backing(backing);
	return true;
}

static int job_thread(void *backing)
{
	if (run_job(backing))
		module_put(THIS_MODULE);
	atomic_dec(&jobs_running);
	module_put_and_kthread_exit(0);
}

static bool hand_to_thread(struct snap_backing *backing)
{
	struct task_struct *thread = kthread_create(job_thread, backing,
						    "pmscope");

	if (IS_ERR(thread))
		return false;
	__module_get(THIS_MODULE);
	wake_up_process(thread);
	return true;
}

static void job_work(struct work_struct *work)
{
	struct snap_backing *backing =
		container_of(work, struct snap_backing, work);

	if (atomic_inc_return(&jobs_running) > MAX_WORKERS &&
	    hand_to_thread(backing))
		return;
	/* snap_backing_exit() waits for workers that are on their way out. */
	if (run_job(backing))
		module_put(THIS_MODULE);
	atomic_dec(&jobs_running);
}

static void start_job(struct snap_backing *backing,
		      int (*job)(struct snap_backing *backing))
{
	backing->job = job;
	atomic_set(&backing->state, JOB_PENDING);
	reinit_completion(&backing->done);
	queue_work(job_wq, &backing->work);
}

/* Return: whether the job has ended; if not, the backing is its own. */
static bool wait_for_job(struct snap_backing *backing, unsigned long timeout)
{
	if (timeout &&
	    wait_for_completion_killable_timeout(&backing->done, timeout) > 0)
		return true;
	__module_get(THIS_MODULE);
	if (atomic_cmpxchg(&backing->state, JOB_PENDING, JOB_ABANDONED) ==
	    JOB_PENDING)
		return false;
	/* It has ended meanwhile. */
	module_put(THIS_MODULE);
	wait_for_completion(&backing->done);
	return true;
}

/* A pinned event that does not get on the CPU goes to the error state. */
static bool has_failed(const struct perf_event *counter)
{
	return counter &&
	       READ_ONCE(counter->state) == PERF_EVENT_STATE_ERROR;
}

static bool any_failed(const struct snap_backing *backing)
{
	unsigned int i;

	for (i = 0; i < backing->nr; i++)
		if (has_failed(backing->kind[i].counter) ||
		    has_failed(backing->kind[i].trigger))
			return true;
	return false;
}

/* Does a closed event of the same task, or CPU, still hold counters? */
static bool is_releasing(const struct perf_event *event)
{
	const struct snap_backing *other;
	bool found = false;

	spin_lock(&releasing_lock);
	list_for_each_entry(other, &releasing, node)
		found |= other->target == event->hw.target &&
			 (other->target || other->cpu == event->cpu);
	spin_unlock(&releasing_lock);
	return found;
}

/* Return: whether it did, and they are free now. */
static bool wait_for_release(const struct perf_event *event)
{
	return is_releasing(event) &&
	       wait_event_killable_timeout(released, !is_releasing(event),
					   RELEASE_WAIT) > 0;
}

static struct snap_backing *alloc_backing(const struct perf_event *event,
					  perf_overflow_handler_t overflow)
{
	struct snap_backing *backing = kzalloc(sizeof(*backing), GFP_KERNEL);

	if (!backing)
		return NULL;
	INIT_WORK(&backing->work, job_work);
	init_completion(&backing->done);
	backing->attr = backing_attr(event);
	backing->trigger_period = overflows(event) ? event->attr.sample_period :
						     0;
	backing->overflow = overflow;
	backing->cpu = event->cpu;
	backing->target = event->hw.target;
	if (backing->target)
		get_task_struct(backing->target);
	backing->cred = get_current_cred();
	return backing;
}

static struct snap_backing *create_once(const struct perf_event *event,
					perf_overflow_handler_t overflow)
{
	struct snap_backing *backing;
	int ret = wait_for_context(event->hw.target);

	if (ret)
		return ERR_PTR(ret);
	backing = alloc_backing(event, overflow);
	if (!backing)
		return ERR_PTR(-ENOMEM);
	start_job(backing, create_job);
	if (!wait_for_job(backing, CREATE_WAIT))
		return ERR_PTR(-EAGAIN);
	ret = backing->ret;
	if (!ret && any_failed(backing))
		ret = -EBUSY;
	if (!ret)
		return backing;
	snap_backing_release(backing);
	return ERR_PTR(ret);
}

/**
 * snap_backing_create() - make the backing counters of an event
 * @event: a pmu_snapshot event in its event_init, not an inherited one
 * @overflow: overflow handler of the trigger, if @event streams by overflow
 *
 * Same task, CPU, exclusions and inheritance as @event.  Waits no more than some
 * seconds.  Process context, no perf lock held.
 *
 * Return: the backing, or ERR_PTR: -EBUSY when pinned events of others hold
 * the counters of the CPU, -EAGAIN when somebody holds the mutex of the task's
 * perf context, or the caller is killed, -ENODEV when the PMU of the CPU, or of
 * one to which the task may come, is no PMUv3, -EOPNOTSUPP when a task may come
 * to CPUs of more than one kind and its counts would not be of one instant
 * there, or what perf_event_create_kernel_counter() says.
 */
struct snap_backing *snap_backing_create(struct perf_event *event,
					 perf_overflow_handler_t overflow)
{
	struct snap_backing *backing = create_once(event, overflow);

	if (backing == ERR_PTR(-EBUSY) && wait_for_release(event))
		backing = create_once(event, overflow);
	return backing;
}

/* A task that exits may hold a mutex that the job needs. */
static bool may_wait(const struct snap_backing *backing)
{
	return !(current->flags & PF_EXITING) || !backing->attr.inherit;
}

/**
 * snap_backing_release() - give a backing counter up
 * @backing: from snap_backing_create()
 *
 * The last reference to an event may be dropped by a child that exits, under its
 * perf context's mutex, or under that of memory.  As a rule the counters are free
 * when this returns, but it waits no more than a second.
 */
void snap_backing_release(struct snap_backing *backing)
{
	if (!backing->nr) {
		free_backing(backing);
		return;
	}
	spin_lock(&releasing_lock);
	list_add_tail(&backing->node, &releasing);
	spin_unlock(&releasing_lock);
	start_job(backing, release_job);
	if (wait_for_job(backing, may_wait(backing) ? RELEASE_WAIT : 0))
		free_backing(backing);
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
this_kind(const struct snap_backing *backing)
{
	return backing->nr == 1 ? backing->kind :
				  kind_of_cpu(backing, smp_processor_id());
}

/*
 * The arm_pmu event that counts for an event which is being scheduled in, or NULL
 * if the task has none for this CPU.
 *
 * perf core inherits a counter at the same fork as the event it backs.  Tasks
 * that inherited the same events exchange them when one follows the other on a
 * CPU; before 6.2 they may exchange counters without the events.  So the task
 * tells which of the counters counts.
 */
static struct perf_event *find_counter(struct perf_event *event)
{
	const struct snap_backing *backing = to_snap(event)->backing;
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
 * is exiting.  What it counted is folded.  The rest of the task's exit is not
 * counted, as that of a task which leaves the CPU here and comes back.
 */
static void destroy_counter(struct perf_event *counter)
{
	struct perf_event *event;
	unsigned long flags;

	local_irq_save(flags);
	event = counter->overflow_handler_context;
	if (event) {
		event->pmu->stop(event, 0);
		/* @counter has the destroy() of its PMU again. */
		snap_backing_detach(event);
	}
	local_irq_restore(flags);
	if (counter->destroy)
		counter->destroy(counter);
}

/**
 * snap_backing_attach() - give an event its counter on this CPU
 * @event: one of ours that is being scheduled in
 *
 * If its counter is freed while it counts, @event is stopped first.  That happens
 * to inherited counters only.
 *
 * Context: interrupts off.
 * Return: 0, also for the event of a task that exits and has lost its counters;
 * -EAGAIN where the event cannot count.
 */
int snap_backing_attach(struct perf_event *event)
{
	struct perf_event *counter = find_counter(event);

	/* What such a task still does is not counted, and not scaled for. */
	if (!counter)
		return pmscope_has_lost_counters(event) ? 0 : -EAGAIN;
	if (!snap_backing_on_cpu(counter))
		return -EAGAIN;
	to_snap(event)->counter = counter;
	if (PMSCOPE_FREES_COUNTERS_FIRST && counter->parent) {
		/* Its creator's, and a backing counter has no handler that uses it. */
		counter->overflow_handler_context = event;
		counter->destroy = destroy_counter;
	}
	return 0;
}

/**
 * snap_backing_detach() - undo snap_backing_attach()
 * @event: the same event, or one without a counter
 *
 * Context: interrupts off.
 */
void snap_backing_detach(struct perf_event *event)
{
	struct perf_event *counter = to_snap(event)->counter;

	if (!counter)
		return;
	if (PMSCOPE_FREES_COUNTERS_FIRST && counter->parent) {
		counter->destroy = counter->parent->destroy;
		counter->overflow_handler_context = NULL;
	}
	to_snap(event)->counter = NULL;
}

/**
 * snap_backing_has_trigger() - is this the trigger of a stream?
 * @backing: the backing of the stream's event, or of the one it inherits from
 * @trigger: a counter that overflowed in the context of the stream's event
 */
bool snap_backing_has_trigger(const struct snap_backing *backing,
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
 * snap_backing_init() - prepare for snap_backing_create()
 *
 * Return: 0 or -ENOMEM.
 */
int snap_backing_init(void)
{
	job_wq = alloc_workqueue("pmscope", WQ_UNBOUND, 2 * MAX_WORKERS);
	return job_wq ? 0 : -ENOMEM;
}

/**
 * snap_backing_exit() - undo snap_backing_init()
 *
 * Every backing counter is given up: a job that somebody waits for has an event
 * that holds the module, and others hold it themselves.
 */
void snap_backing_exit(void)
{
	destroy_workqueue(job_wq);
	/* A task may have been preempted on its way into destroy_counter(). */
	if (PMSCOPE_FREES_COUNTERS_FIRST)
		synchronize_rcu_tasks();
}
