// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing counters.  A pmu_snapshot event programs no hardware: perf core
 * schedules, inherits and folds a pinned event of the arm_pmu beside it, and
 * the snapshot is read at the index that this event got.
 */
#include "compat.h"
#include "cpu.h"
#include "snapshot/backing.h"
#include "snapshot/event.h"

#include <linux/anon_inodes.h>
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pmscope.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/* Format "long" of armv8_pmuv3: one 64-bit counter for the event */
#define ARMV8_CONFIG1_LONG	BIT(0)

/**
 * struct backing_kind - the counters of an opened event on CPUs of one kind
 * @counter: counts; perf core lists the inherited ones as its children
 * @trigger: for a stream by overflow: counts the same, and overflows.  perf
 *	throttles it when that happens too often, while @counter continues.
 */
struct backing_kind {
	struct perf_event *counter;
	struct perf_event *trigger;
};

/* Kinds of CPUs, each with an arm_pmu: more than any machine has */
#define MAX_KINDS 8

/* Who frees a backing after its job ended: the waiter or the job? */
enum job_state { JOB_PENDING, JOB_DONE, JOB_ABANDONED };

/**
 * struct snap_payer - one user's jobs for tasks of one user
 * @node: in snap_backing_payers
 * @opener: effective user of those who open the events
 * @target: user of the tasks that they count, INVALID_UID for events of CPUs
 * @users: backings, and running jobs
 * @running: jobs that workers have
 * @stuck: jobs that have not ended, and that nobody waits for any more
 * @waiting: backings whose jobs wait for one of these to end
 */
struct snap_payer {
	struct list_head node;
	kuid_t opener;
	kuid_t target;
	unsigned int users;
	unsigned int running;
	atomic_t stuck;
	struct list_head waiting;
};

/**
 * struct snap_backing - the counters of an opened event
 * @kind: counters of each arm_pmu whose CPUs the event may run on
 * @nr: used entries of @kind
 * @attr: of the counters, without their type
 * @inherit_stat: of the event: its counts stay with their task
 * @pinned: the context that is not exchanged for that, or NULL
 * @trigger_period: sample_period of the triggers, 0 for none
 * @overflow: overflow handler of the triggers
 * @cpu: of the event
 * @target: its task, or NULL
 * @cred: of the task that opens it
 * @payer: whose job it is
 * @turn: its place in the list of waiting jobs
 * @refs: of the event, and of the open that perf core has not decided on
 * @event: until it is closed
 * @start: starts it once the counters are enabled
 * @enabling: a job enables the counters; if @event is closed then, it releases
 *	them
 * @work: runs @job
 * @job: creates, enables or releases the counters
 * @ret: what @job returned
 * @state: of @job
 * @done: @job has ended, and the task that waits frees the backing
 * @node: in snap_backing_releasing, while the counters are being released
 */
struct snap_backing {
	struct backing_kind kind[MAX_KINDS];
	unsigned int nr;
	struct perf_event_attr attr;
	bool inherit_stat;
	struct perf_event_context *pinned;
	u64 trigger_period;
	perf_overflow_handler_t overflow;
	int cpu;
	struct task_struct *target;
	const struct cred *cred;
	struct snap_payer *payer;
	struct list_head turn;
	refcount_t refs;
	struct perf_event *event;
	smp_call_func_t start;
	bool enabling;
	struct work_struct work;
	int (*job)(struct snap_backing *backing);
	int ret;
	atomic_t state;
	struct completion done;
	struct list_head node;
};

/* The arm_pmuv3 driver names the PMUs of newer CPUs armv9_*. */
static bool snap_backing_is_armv8(const struct pmu *pmu)
{
	return pmu->name && (strstarts(pmu->name, "armv8_") ||
			     strstarts(pmu->name, "armv9_"));
}

/*
 * Without FEAT_PMUv3p5 a 64-bit event takes two chained counters, which are not
 * captured as one; a 32-bit event is folded at each overflow by arm_pmu.
 */
static bool snap_backing_wants_long(const struct perf_event *event)
{
	int cpu;

	if (event->cpu >= 0)
		return pmscope_caps(event->cpu)->features &
		       PMSCOPE_FEAT_PMUV3P5;
	for_each_online_cpu(cpu)
		if (!(pmscope_caps(cpu)->features & PMSCOPE_FEAT_PMUV3P5))
			return false;
	return true;
}

static bool snap_backing_overflows(const struct perf_event *event)
{
	return event->attr.config & PMSCOPE_SNAPSHOT_OVERFLOW;
}

static struct perf_event_attr snap_backing_attr(const struct perf_event *event)
{
	const struct perf_event_attr *user = &event->attr;
	u64 config1 = snap_backing_wants_long(event) ? ARMV8_CONFIG1_LONG : 0;

	return (struct perf_event_attr){
		.size		= sizeof(struct perf_event_attr),
		.config		= user->config & PMSCOPE_SNAPSHOT_EVENT_MASK,
		.config1	= config1,
		/* Until perf core has admitted the event. */
		.disabled	= 1,
		.pinned		= 1,
		.remove_on_exec	= user->remove_on_exec,
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

static void snap_backing_release_kind(const struct backing_kind *kind)
{
	if (kind->trigger)
		perf_event_release_kernel(kind->trigger);
	perf_event_release_kernel(kind->counter);
}

static void snap_backing_add_pin(struct perf_event_context *ctx, int nr)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	ctx->pin_count += nr;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/*
 * Tasks that inherited the same events exchange them, and perf core gives the
 * counts back to their tasks by the order of the events.  A child inherits
 * pinned events first, so its counters and events are in another order than
 * those of the task they were opened for: the context of that task is not
 * exchanged.
 */
static void snap_backing_pin_context(struct snap_backing *backing)
{
	if (!backing->target || !backing->inherit_stat)
		return;
	backing->pinned = backing->kind[0].counter->ctx;
	snap_backing_add_pin(backing->pinned, 1);
}

static void snap_backing_release_kinds(struct snap_backing *backing)
{
	if (backing->pinned)
		snap_backing_add_pin(backing->pinned, -1);
	backing->pinned = NULL;
	while (backing->nr)
		snap_backing_release_kind(&backing->kind[--backing->nr]);
}

/* CPUs whose arm_pmu is known not to use PMCCNTR_EL0.  It only ever grows. */
static struct cpumask snap_backing_no_pmccntr;

static void snap_backing_note_pmccntr(const struct arm_pmu *pmu)
{
	int cpu;

	if (!pmscope_avoids_pmccntr(pmu))
		return;
	for_each_cpu(cpu, &pmu->supported_cpus)
		cpumask_set_cpu(cpu, &snap_backing_no_pmccntr);
}

/**
 * snap_backing_has_pmccntr() - may a backing counter use PMCCNTR_EL0 of a CPU?
 * @cpu: a possible CPU
 *
 * Context: any.
 * Return: true, until the first backing counter of its arm_pmu shows otherwise
 */
bool snap_backing_has_pmccntr(int cpu)
{
	return !cpumask_test_cpu(cpu, &snap_backing_no_pmccntr);
}

/*
 * @type: of the arm_pmu; @sample_period: 0 for no trigger.  The backing is the
 * context of the overflow handler, which inherited triggers get as well.
 */
static struct perf_event *
snap_backing_create_counter(struct snap_backing *backing, u32 type,
			    u64 sample_period)
{
	struct perf_event_attr attr = backing->attr;
	struct perf_event *counter;

	attr.type = type;
	attr.sample_period = sample_period;
	counter = perf_event_create_kernel_counter(&attr, backing->cpu,
						   backing->target,
						   sample_period ?
						   backing->overflow : NULL,
						   backing);
	if (IS_ERR(counter))
		return counter;
	if (snap_backing_is_armv8(counter->pmu)) {
		snap_backing_note_pmccntr(to_arm_pmu(counter->pmu));
		return counter;
	}
	perf_event_release_kernel(counter);
	return ERR_PTR(-ENODEV);
}

static int snap_backing_create_kind(struct snap_backing *backing, u32 type)
{
	u64 period = backing->trigger_period;
	struct backing_kind kind = { };

	if (backing->nr == MAX_KINDS)
		return -ENODEV;
	kind.counter = snap_backing_create_counter(backing, type, 0);
	if (IS_ERR(kind.counter))
		return PTR_ERR(kind.counter);
	if (period) {
		kind.trigger = snap_backing_create_counter(backing, type,
							   period);
		if (IS_ERR(kind.trigger)) {
			perf_event_release_kernel(kind.counter);
			return PTR_ERR(kind.trigger);
		}
	}
	backing->kind[backing->nr++] = kind;
	return 0;
}

static bool snap_backing_counts_on(const struct backing_kind *kind, int cpu)
{
	const struct arm_pmu *pmu = to_arm_pmu(kind->counter->pmu);

	return cpumask_test_cpu(cpu, &pmu->supported_cpus);
}

static const struct backing_kind *
snap_backing_kind_of(const struct snap_backing *backing, int cpu)
{
	unsigned int i;

	for (i = 0; i < backing->nr; i++)
		if (snap_backing_counts_on(&backing->kind[i], cpu))
			return &backing->kind[i];
	return NULL;
}

/*
 * Type of the arm_pmu of a CPU, or -errno: there is no list of arm_pmus, so
 * open an event and look.
 */
static int snap_backing_pmu_type(const struct snap_backing *backing, int cpu)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.disabled	= 1,
	};
	struct perf_event *event;
	int type;

	/* For the task: an event of a CPU takes more privilege. */
	event = perf_event_create_kernel_counter(&attr, cpu, backing->target,
						 NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? -ENODEV : PTR_ERR(event);
	type = event->pmu->type;
	perf_event_release_kernel(event);
	return type;
}

/*
 * PERF_TYPE_RAW finds the arm_pmu of the event's CPU.  For a task it finds any
 * of them; the task may run on all CPUs, and an arm_pmu counts on its own CPUs
 * only.
 */
static int snap_backing_create_kinds(struct snap_backing *backing)
{
	int ret, cpu;

	ret = snap_backing_create_kind(backing, PERF_TYPE_RAW);
	if (backing->cpu >= 0)
		return ret;

	for_each_online_cpu(cpu) {
		if (ret)
			break;
		if (snap_backing_kind_of(backing, cpu))
			continue;
		ret = -EOPNOTSUPP;
		if (PMSCOPE_ALL_KINDS_STOP)
			ret = snap_backing_pmu_type(backing, cpu);
		if (ret >= 0)
			ret = snap_backing_create_kind(backing, ret);
	}
	return ret;
}

/*
 * Jobs.  Creating and releasing a counter takes the mutex of a perf context,
 * and the context's owner can hold that for any time: read(2) of an event holds
 * it while it writes to memory, which may be a page of the owner's FUSE file.
 * event_init() is called under SRCU, for which perf waits when a PMU goes, and
 * only then.  So a worker creates and releases counters; the caller waits for a
 * bounded time, killable, and after that the worker frees what it has made.
 */
#define CREATE_WAIT	(5 * HZ)
#define CONTEXT_WAIT	(2 * HZ)
#define RELEASE_WAIT	HZ

/*
 * Jobs that run in workers; the queue has twice as many.  More jobs than these
 * get a thread each, so that blocked ones do not delay others.
 */
#define MAX_WORKERS	128

/*
 * Of them for each pair of users, so that nobody fills the machine with threads
 * that hang; and who has so many jobs that hang opens no more events.
 */
#define MAX_WORKERS_OF_USER 4

static struct workqueue_struct *snap_backing_wq;
static atomic_t snap_backing_jobs = ATOMIC_INIT(0);

/* Backings whose counters are being released */
static LIST_HEAD(snap_backing_releasing);
static DEFINE_SPINLOCK(snap_backing_lock);
static DECLARE_WAIT_QUEUE_HEAD(snap_backing_released);

static LIST_HEAD(snap_backing_payers);

static bool snap_payer_is(const struct snap_payer *payer, kuid_t opener,
			  kuid_t target)
{
	return uid_eq(payer->opener, opener) &&
	       (uid_eq(payer->target, target) ||
		!(uid_valid(payer->target) || uid_valid(target)));
}

/* Return: NULL without memory */
static struct snap_payer *snap_payer_get(kuid_t opener, kuid_t target)
{
	struct snap_payer *made = kzalloc(sizeof(*made), GFP_KERNEL);
	struct snap_payer *payer;

	if (!made)
		return NULL;
	made->opener = opener;
	made->target = target;
	INIT_LIST_HEAD(&made->waiting);
	spin_lock(&snap_backing_lock);
	list_for_each_entry(payer, &snap_backing_payers, node)
		if (snap_payer_is(payer, opener, target))
			goto found;
	list_add(&made->node, &snap_backing_payers);
	payer = made;
	made = NULL;
found:
	payer->users++;
	spin_unlock(&snap_backing_lock);
	kfree(made);
	return payer;
}

static void snap_payer_put(struct snap_payer *payer)
{
	spin_lock(&snap_backing_lock);
	if (--payer->users)
		payer = NULL;
	else
		list_del(&payer->node);
	spin_unlock(&snap_backing_lock);
	kfree(payer);
}

/* Return: true if the job may run now; else it waits for others to end. */
static bool snap_payer_begins(struct snap_backing *backing)
{
	struct snap_payer *payer = backing->payer;
	bool begins;

	spin_lock(&snap_backing_lock);
	begins = payer->running < MAX_WORKERS_OF_USER;
	if (begins) {
		payer->running++;
		payer->users++;
	} else {
		list_add_tail(&backing->turn, &payer->waiting);
	}
	spin_unlock(&snap_backing_lock);
	return begins;
}

static void snap_payer_ends(struct snap_payer *payer)
{
	struct snap_backing *next;

	spin_lock(&snap_backing_lock);
	next = list_first_entry_or_null(&payer->waiting, struct snap_backing,
					turn);
	if (next)
		list_del(&next->turn);
	else
		payer->running--;
	spin_unlock(&snap_backing_lock);
	if (next)
		queue_work(snap_backing_wq, &next->work);
	else
		snap_payer_put(payer);
}

static bool snap_backing_is_context_held(struct task_struct *task)
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
 * perf core waits for this mutex, too, from 6.15 on under SRCU.  So no job starts
 * while it is held.  (A task can still block perf so with an event of any other
 * PMU.)  The task that opens the event waits here itself, because the time and
 * the memory of a job are not charged to it.
 */
static int snap_backing_wait_for_context(struct task_struct *task)
{
	unsigned long end = jiffies + CONTEXT_WAIT;

	while (task && snap_backing_is_context_held(task)) {
		if (time_after(jiffies, end) || fatal_signal_pending(current))
			return -EAGAIN;
		usleep_range(500, 1000);
	}
	return 0;
}

static int snap_backing_create_job(struct snap_backing *backing)
{
	const struct cred *old = override_creds(backing->cred);
	int ret = snap_backing_create_kinds(backing);

	revert_creds(old);
	if (ret)
		snap_backing_release_kinds(backing);
	return ret;
}

/* Counters that are inherited before @counter is enabled are disabled, too. */
static void snap_backing_enable_counter(struct perf_event *counter)
{
	struct perf_event *child;

	if (!counter)
		return;
	perf_event_enable(counter);
	mutex_lock(&counter->child_mutex);
	list_for_each_entry(child, &counter->child_list, child_list) {
		/* Their task gets them when it is scheduled in. */
		raw_spin_lock_irq(&child->ctx->lock);
		if (child->state == PERF_EVENT_STATE_OFF)
			WRITE_ONCE(child->state, PERF_EVENT_STATE_INACTIVE);
		raw_spin_unlock_irq(&child->ctx->lock);
	}
	mutex_unlock(&counter->child_mutex);
}

static int snap_backing_release_job(struct snap_backing *backing)
{
	snap_backing_release_kinds(backing);
	spin_lock(&snap_backing_lock);
	list_del(&backing->node);
	spin_unlock(&snap_backing_lock);
	wake_up_all(&snap_backing_released);
	return 0;
}

static void snap_backing_put(struct snap_backing *backing)
{
	if (!refcount_dec_and_test(&backing->refs))
		return;
	put_cred(backing->cred);
	snap_payer_put(backing->payer);
	if (backing->target)
		put_task_struct(backing->target);
	kfree(backing);
}

static int snap_backing_enable_job(struct snap_backing *backing)
{
	struct perf_event *event;
	unsigned int i;
	int cpu;

	snap_backing_pin_context(backing);
	for (i = 0; i < backing->nr; i++) {
		snap_backing_enable_counter(backing->kind[i].counter);
		snap_backing_enable_counter(backing->kind[i].trigger);
	}

	spin_lock(&snap_backing_lock);
	event = backing->event;
	cpu = event ? READ_ONCE(event->oncpu) : -1;
	if (cpu >= 0)
		smp_call_function_single(cpu, backing->start, event, true);
	backing->enabling = false;
	spin_unlock(&snap_backing_lock);
	if (!event) {
		snap_backing_release_job(backing);
		snap_backing_put(backing);
	}
	return 0;
}

/* Return: true if nobody waits any more; the job holds the module then. */
static bool snap_backing_run_job(struct snap_backing *backing)
{
	backing->ret = backing->job(backing);
	if (atomic_cmpxchg(&backing->state, JOB_PENDING, JOB_DONE) ==
	    JOB_PENDING) {
		complete(&backing->done);
		return false;
	}
	atomic_dec(&backing->payer->stuck);
	if (backing->job == snap_backing_create_job)
		snap_backing_release_kinds(backing);
	snap_backing_put(backing);
	return true;
}

/* The module is held by others, or this runs in a worker. */
static void snap_backing_do_job(struct snap_backing *backing)
{
	struct snap_payer *payer = backing->payer;
	bool abandoned = snap_backing_run_job(backing);

	snap_payer_ends(payer);
	atomic_dec(&snap_backing_jobs);
	if (abandoned)
		module_put(THIS_MODULE);
}

static int snap_backing_job_thread(void *backing)
{
	snap_backing_do_job(backing);
	module_put_and_kthread_exit(0);
}

static bool snap_backing_hand_to_thread(struct snap_backing *backing)
{
	struct task_struct *thread =
		kthread_create(snap_backing_job_thread, backing, "pmscope");

	if (IS_ERR(thread))
		return false;
	__module_get(THIS_MODULE);
	wake_up_process(thread);
	return true;
}

static void snap_backing_job_work(struct work_struct *work)
{
	struct snap_backing *backing =
		container_of(work, struct snap_backing, work);

	if (atomic_inc_return(&snap_backing_jobs) > MAX_WORKERS &&
	    snap_backing_hand_to_thread(backing))
		return;
	snap_backing_do_job(backing);
}

static void snap_backing_start_job(struct snap_backing *backing,
				   int (*job)(struct snap_backing *backing))
{
	backing->job = job;
	atomic_set(&backing->state, JOB_PENDING);
	reinit_completion(&backing->done);
	if (snap_payer_begins(backing))
		queue_work(snap_backing_wq, &backing->work);
}

/* Return: true if the job has ended; if not, the job puts the backing. */
static bool snap_backing_wait_for_job(struct snap_backing *backing,
				      unsigned long timeout)
{
	if (timeout &&
	    wait_for_completion_killable_timeout(&backing->done, timeout) > 0)
		return true;
	__module_get(THIS_MODULE);
	atomic_inc(&backing->payer->stuck);
	if (atomic_cmpxchg(&backing->state, JOB_PENDING, JOB_ABANDONED) ==
	    JOB_PENDING)
		return false;
	/* The job ended meanwhile, and completes @done. */
	atomic_dec(&backing->payer->stuck);
	module_put(THIS_MODULE);
	wait_for_completion(&backing->done);
	return true;
}

/*
 * Does a pinned event that is on this CPU stay there while counters of @target,
 * or of the CPU, are?
 */
static bool snap_backing_is_beside(const struct perf_event *other,
				   const struct task_struct *target)
{
	const struct task_struct *task = other ? other->ctx->task : NULL;

	return other && other->attr.pinned && (!task || task == target);
}

/**
 * struct backing_room - is there room for counters on a CPU?
 * @backing: the counters, all disabled
 * @fits: the answer
 */
struct backing_room {
	const struct snap_backing *backing;
	bool fits;
};

/* As arm_pmu assigns counters, on this CPU beside the pinned events there */
static void snap_backing_find_room(void *info)
{
	struct backing_room *room = info;
	const struct snap_backing *backing = room->backing;
	const struct backing_kind *kind =
		snap_backing_kind_of(backing, smp_processor_id());
	struct pmu_hw_events taken = { }, *now;
	struct perf_event *other;
	struct arm_pmu *pmu;
	unsigned int idx;

	if (!kind)
		return;
	pmu = to_arm_pmu(kind->counter->pmu);
	now = this_cpu_ptr(pmu->hw_events);
	for_each_set_bit(idx, now->used_mask, ARMPMU_MAX_HWEVENTS) {
		other = now->events[idx];
		/* The lower half of a chained pair */
		if (!other && idx + 1 < ARMPMU_MAX_HWEVENTS)
			other = now->events[idx + 1];
		if (snap_backing_is_beside(other, backing->target))
			__set_bit(idx, taken.used_mask);
	}
	room->fits = pmu->get_event_idx(&taken, kind->counter) >= 0 &&
		     (!kind->trigger ||
		      pmu->get_event_idx(&taken, kind->trigger) >= 0);
}

/*
 * A task is looked at where it is.  On another CPU, or later, perf core may put
 * its counters into the error state: then reads fail.
 */
static bool snap_backing_has_room(const struct snap_backing *backing)
{
	struct backing_room room = { .backing = backing, .fits = true };
	int cpu = backing->cpu >= 0 ? backing->cpu : task_cpu(backing->target);

	smp_call_function_single(cpu, snap_backing_find_room, &room, true);
	return room.fits;
}

/* Does a closed event of the same task or CPU still hold counters? */
static bool snap_backing_is_releasing(const struct perf_event *event)
{
	const struct snap_backing *other;
	bool found = false;

	spin_lock(&snap_backing_lock);
	list_for_each_entry(other, &snap_backing_releasing, node)
		found |= other->target == event->hw.target &&
			 (other->target || other->cpu == event->cpu);
	spin_unlock(&snap_backing_lock);
	return found;
}

/* Return: true if it did, and they are free now. */
static bool snap_backing_wait_for_release(const struct perf_event *event)
{
	return snap_backing_is_releasing(event) &&
	       wait_event_killable_timeout(snap_backing_released,
					   !snap_backing_is_releasing(event),
					   RELEASE_WAIT) > 0;
}

static struct snap_backing *snap_backing_alloc(const struct perf_event *event,
					       perf_overflow_handler_t overflow)
{
	struct snap_backing *backing = kzalloc(sizeof(*backing), GFP_KERNEL);

	if (!backing)
		return NULL;
	backing->payer = snap_payer_get(current_euid(), event->hw.target ?
					task_uid(event->hw.target) :
					INVALID_UID);
	if (!backing->payer) {
		kfree(backing);
		return NULL;
	}
	refcount_set(&backing->refs, 1);
	INIT_WORK(&backing->work, snap_backing_job_work);
	init_completion(&backing->done);
	backing->attr = snap_backing_attr(event);
	backing->inherit_stat = event->attr.inherit && event->attr.inherit_stat;
	backing->trigger_period =
		snap_backing_overflows(event) ? event->attr.sample_period : 0;
	backing->overflow = overflow;
	backing->cpu = event->cpu;
	backing->target = event->hw.target;
	if (backing->target)
		get_task_struct(backing->target);
	backing->cred = get_current_cred();
	return backing;
}

static struct snap_backing *
snap_backing_create_once(const struct perf_event *event,
			 perf_overflow_handler_t overflow)
{
	struct snap_backing *backing;
	int ret = snap_backing_wait_for_context(event->hw.target);

	if (ret)
		return ERR_PTR(ret);
	backing = snap_backing_alloc(event, overflow);
	if (!backing)
		return ERR_PTR(-ENOMEM);
	if (atomic_read(&backing->payer->stuck) >= MAX_WORKERS_OF_USER) {
		snap_backing_put(backing);
		return ERR_PTR(-EMFILE);
	}
	snap_backing_start_job(backing, snap_backing_create_job);
	if (!snap_backing_wait_for_job(backing, CREATE_WAIT))
		return ERR_PTR(-EAGAIN);
	ret = backing->ret;
	if (!ret && !snap_backing_has_room(backing))
		ret = -EBUSY;
	if (!ret)
		return backing;
	snap_backing_release(backing);
	return ERR_PTR(ret);
}

/**
 * snap_backing_create() - create the backing counters of an event
 * @event: an event of pmu_snapshot or pmu_external in its event_init, not an
 *	inherited one
 * @overflow: overflow handler of the trigger, if @event streams by overflow
 *
 * They have the task, CPU, exclusions and inheritance of @event, and are
 * disabled until snap_backing_enable_later().
 *
 * Context: process, no perf lock held.  Waits for some seconds at most,
 * killable.
 * Return: the backing, or ERR_PTR: -EBUSY when pinned events of others hold the
 * counters of the CPU, -EAGAIN when somebody holds the mutex of the task's perf
 * context, or the caller is killed, -EMFILE when too many jobs of the user hang
 * at such a mutex, -ENODEV when the PMU of the CPU, or of one
 * on which the task may run, is no PMUv3, -EOPNOTSUPP when a task may run on
 * CPUs of more than one kind and its counts would not be of one instant there,
 * or an error of perf_event_create_kernel_counter().
 */
struct snap_backing *snap_backing_create(struct perf_event *event,
					 perf_overflow_handler_t overflow)
{
	struct snap_backing *backing =
		snap_backing_create_once(event, overflow);

	if (backing == ERR_PTR(-EBUSY) && snap_backing_wait_for_release(event))
		backing = snap_backing_create_once(event, overflow);
	return backing;
}

/* A task that exits may hold a context mutex that the job needs. */
static bool snap_backing_may_wait(const struct snap_backing *backing)
{
	return !(current->flags & PF_EXITING) || !backing->attr.inherit;
}

/**
 * snap_backing_release() - release the backing counters of an event
 * @backing: from snap_backing_create()
 *
 * Usually the counters are free when this returns.
 *
 * Context: process; waits for at most a second.  The last reference to an event
 * may be dropped by a child that exits, under the mutex of its perf context, or
 * under the mmap lock.
 */
void snap_backing_release(struct snap_backing *backing)
{
	unsigned long timeout;
	bool enabling;

	if (!backing->nr) {
		snap_backing_put(backing);
		return;
	}
	spin_lock(&snap_backing_lock);
	list_add_tail(&backing->node, &snap_backing_releasing);
	backing->event = NULL;
	enabling = backing->enabling;
	spin_unlock(&snap_backing_lock);
	if (enabling)
		return;
	snap_backing_start_job(backing, snap_backing_release_job);
	timeout = snap_backing_may_wait(backing) ? RELEASE_WAIT : 0;
	if (snap_backing_wait_for_job(backing, timeout))
		snap_backing_put(backing);
}

/*
 * The open has succeeded or failed: the task that opened is about to leave the
 * kernel.  perf core sets event->ctx after its last check.
 */
static int snap_backing_decided(struct inode *inode, struct file *file)
{
	struct snap_backing *backing = file->private_data;
	bool enabling;

	spin_lock(&snap_backing_lock);
	enabling = backing->event && READ_ONCE(backing->event->ctx);
	backing->enabling = enabling;
	spin_unlock(&snap_backing_lock);
	if (enabling) {
		snap_backing_start_job(backing, snap_backing_enable_job);
		if (!snap_backing_wait_for_job(backing, CREATE_WAIT))
			return 0;
	}
	snap_backing_put(backing);
	return 0;
}

static const struct file_operations snap_backing_decision = {
	.owner		= THIS_MODULE,
	.release	= snap_backing_decided,
};

/**
 * snap_backing_enable_later() - enable the counters once the event is admitted
 * @backing: from snap_backing_create()
 * @event: the event, in its event_init
 * @start: called on the CPU of an event that was added before
 *
 * perf core checks after event_init whether the task may be looked at, and does
 * not tell the PMU.  It cannot enable counters in add() either.  But a file that
 * is put is closed just before the system call returns.
 *
 * Context: process.
 * Return: 0 or -errno; -EOPNOTSUPP in a kernel thread, which does not leave the
 * kernel.
 */
int snap_backing_enable_later(struct snap_backing *backing,
			      struct perf_event *event, smp_call_func_t start)
{
	struct file *file;

	if (current->flags & PF_KTHREAD)
		return -EOPNOTSUPP;
	file = anon_inode_getfile("[pmscope]", &snap_backing_decision, backing,
				  O_RDONLY);
	if (IS_ERR(file))
		return PTR_ERR(file);
	refcount_inc(&backing->refs);
	backing->event = event;
	backing->start = start;
	fput(file);
	return 0;
}

/**
 * snap_backing_counter() - the counter of an event of a CPU
 * @backing: from snap_backing_create()
 *
 * Context: any; the event is open.
 * Return: the backing counter
 */
struct perf_event *snap_backing_counter(const struct snap_backing *backing)
{
	return backing->kind[0].counter;
}

static struct perf_event *
snap_backing_inherited_counter(struct perf_event_context *ctx,
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
snap_backing_this_kind(const struct snap_backing *backing)
{
	if (backing->nr == 1)
		return backing->kind;
	return snap_backing_kind_of(backing, smp_processor_id());
}

/*
 * The arm_pmu event that counts for an event which is being scheduled in, or
 * NULL if the task has none for this CPU.
 *
 * perf core inherits a counter at the same fork as the event it backs.  Tasks
 * that inherited the same events exchange them when one follows the other on a
 * CPU; before 6.2 they may exchange counters without the events.  So the task
 * tells which of the counters counts.
 */
static struct perf_event *snap_backing_find_counter(struct perf_event *event)
{
	const struct snap_backing *backing = to_snap(event)->backing;
	const struct backing_kind *kind = snap_backing_this_kind(backing);
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
	return snap_backing_inherited_counter(ctx, counter);
}

/*
 * perf core frees a counter while its event is still on this CPU: the task of
 * both is exiting.  The count so far is folded.  The rest of the exit is not
 * counted, and neither is it for a task that is scheduled out and in at this
 * point.
 */
static void snap_backing_destroy_counter(struct perf_event *counter)
{
	struct perf_event *event;
	unsigned long flags;

	local_irq_save(flags);
	event = counter->overflow_handler_context;
	if (event) {
		event->pmu->stop(event, 0);
		/* This gives @counter the destroy() of its PMU back. */
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
 * If perf core frees the counter while @event counts, as it does with inherited
 * ones, it stops @event first.
 *
 * Context: interrupts off.
 * Return: 0, also for the event of a task that exits and has lost its counters,
 * and for one whose open has not returned yet; -EAGAIN where the event cannot
 * count.
 */
int snap_backing_attach(struct perf_event *event)
{
	struct perf_event *counter = snap_backing_find_counter(event);

	/* The rest of that exit is neither counted nor scaled up. */
	if (!counter)
		return pmscope_has_lost_counters(event) ? 0 : -EAGAIN;
	if (READ_ONCE(counter->state) == PERF_EVENT_STATE_OFF)
		return 0;
	if (!snap_backing_on_cpu(counter))
		return -EAGAIN;
	to_snap(event)->counter = counter;
	if (PMSCOPE_FREES_COUNTERS_FIRST && counter->parent) {
		/* Only a trigger has a handler that uses it. */
		counter->overflow_handler_context = event;
		counter->destroy = snap_backing_destroy_counter;
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
 * snap_backing_init() - prepare for snap_backing_create()
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int snap_backing_init(void)
{
	snap_backing_wq =
		alloc_workqueue("pmscope", WQ_UNBOUND, 2 * MAX_WORKERS);
	return snap_backing_wq ? 0 : -ENOMEM;
}

/**
 * snap_backing_exit() - undo snap_backing_init()
 *
 * No backing counter is left: a job that somebody waits for has an event that
 * holds the module, and a job that was abandoned holds it itself.
 *
 * Context: process; waits for workers that are about to return.
 */
void snap_backing_exit(void)
{
	destroy_workqueue(snap_backing_wq);
	/* A task may be about to enter snap_backing_destroy_counter(). */
	if (PMSCOPE_FREES_COUNTERS_FIRST)
		synchronize_rcu_tasks();
}
