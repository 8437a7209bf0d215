/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between the supported kernels (6.1 and newer), as Kbuild finds
 * it in the headers (compat/probe.c).  Versions that are named here are those of
 * kernel.org; other kernels take changes earlier.
 */
#ifndef PMSCOPE_COMPAT_H
#define PMSCOPE_COMPAT_H

#include "compat/have.h"

#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/irqdesc.h>
#include <linux/lockdep.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/preempt.h>

/*
 * perf_allow_kernel(): may this task look at the kernel?  6.1 has it as an
 * inline over symbols that modules cannot reach; perfmon_capable() is the
 * stricter answer, it ignores a lowered kernel.perf_event_paranoid.
 */
static inline int pmscope_allow_kernel(struct perf_event_attr *attr)
{
#if defined(PMSCOPE_HAVE_PERF_ALLOW_KERNEL)
	return perf_allow_kernel();
#elif defined(PMSCOPE_HAVE_PERF_ALLOW_KERNEL_ATTR)
	return perf_allow_kernel(attr);
#else
	return perfmon_capable() ? 0 : -EACCES;
#endif
}

/*
 * The PMCNTENSET_EL0 bit of an event of arm_pmu; before 6.12 hw.idx 0 is the
 * cycle counter and event counters follow it.
 */
static inline unsigned int pmscope_idx_to_counter(int idx)
{
#ifdef PMSCOPE_HAVE_IDX_IS_COUNTER
	return idx;
#else
	return idx ? idx - 1 : 31;
#endif
}

/*
 * The context that holds the arm_pmu events of the task of @event, a software
 * event, or NULL; before 6.2 a task has one context for each kind.
 */
static inline struct perf_event_context *
pmscope_hw_context(struct perf_event *event)
{
#ifdef PMSCOPE_HAVE_ONE_TASK_CONTEXT
	return event->ctx;
#else
	return event->ctx->task->perf_event_ctxp[perf_hw_context];
#endif
}

/* The contexts of a task that may hold our events, from 0; NULL for no more */
static inline struct perf_event_context **
pmscope_task_context(struct task_struct *task, unsigned int n)
{
#ifdef PMSCOPE_HAVE_ONE_TASK_CONTEXT
	return n ? NULL : &task->perf_event_ctxp;
#else
	/* That of arm_pmu has those that are in a group with events of it. */
	return n < perf_nr_task_contexts ? &task->perf_event_ctxp[n] : NULL;
#endif
}

/* Before 6.12 arm_pmu does not know of PMICNTR_EL0. */
#define PMSCOPE_USES_PMICNTR	__is_defined(PMSCOPE_HAVE_PMICNTR)

/* Does an arm_pmu leave PMCCNTR_EL0 alone?  It does on cores with SMT. */
static inline bool pmscope_avoids_pmccntr(const struct arm_pmu *pmu)
{
#ifdef PMSCOPE_HAVE_AVOID_PMCCNTR
	return pmu->avoid_pmccntr;
#else
	return false;
#endif
}

/*
 * Before 6.2 a task that exits gives up its arm_pmu events ahead of its software
 * events, and may leave the CPU and come back in between.
 */
static inline bool pmscope_has_lost_counters(const struct perf_event *event)
{
#ifdef PMSCOPE_HAVE_ONE_TASK_CONTEXT
	return false;
#else
	struct task_struct *task = event->ctx->task;

	return task && task->flags & PF_EXITING &&
	       !task->perf_event_ctxp[perf_hw_context];
#endif
}

/*
 * Before 6.2 a task that exits frees the arm_pmu events that it inherited while its
 * software events may still be on the CPU (perf_event_exit_task(): one context
 * after the other).
 */
#define PMSCOPE_FREES_COUNTERS_FIRST	\
	(!__is_defined(PMSCOPE_HAVE_ONE_TASK_CONTEXT))

/*
 * Before 6.2 two tasks may exchange their software events in a context switch,
 * all of which go on, and keep their arm_pmu events, which are scheduled out and
 * in: ours would go on with counters of the wrong task.  So the context of an
 * event that is on the CPU is pinned, which is perf core's own way to forbid the
 * exchange.  ctx->lock is held: add() and del() are.
 */
static inline void pmscope_pin_context(struct perf_event *event)
{
#ifndef PMSCOPE_HAVE_ONE_TASK_CONTEXT
	lockdep_assert_held(&event->ctx->lock);
	event->ctx->pin_count++;
#endif
}

static inline void pmscope_unpin_context(struct perf_event *event)
{
#ifndef PMSCOPE_HAVE_ONE_TASK_CONTEXT
	lockdep_assert_held(&event->ctx->lock);
	event->ctx->pin_count--;
#endif
}

/*
 * Do the counters of a task's arm_pmu events stop as one when it leaves a CPU?
 * Before 6.2 perf core disables one arm_pmu there, whichever the task's events
 * met first, and the counters of another stop one after the other.
 */
#define PMSCOPE_ALL_KINDS_STOP	__is_defined(PMSCOPE_HAVE_ONE_TASK_CONTEXT)

/* How many config words perf_event_attr has: config, config1, config2, ... */
#if defined(PERF_ATTR_SIZE_VER9)
#define PMSCOPE_ATTR_CONFIGS	5
#elif defined(PERF_ATTR_SIZE_VER8)
#define PMSCOPE_ATTR_CONFIGS	4
#else
#define PMSCOPE_ATTR_CONFIGS	3
#endif

/*
 * Where perf_event_attr lacks config3 or config4, the filters that live there
 * get as many bits as config2 has left behind min_latency.
 */
#if PMSCOPE_ATTR_CONFIGS > 3
#define PMSCOPE_INV_EVENT_WORD	3
#define PMSCOPE_INV_EVENT_LO	0
#define PMSCOPE_INV_EVENT_HI	63
#else
#define PMSCOPE_INV_EVENT_WORD	2
#define PMSCOPE_INV_EVENT_LO	16
#define PMSCOPE_INV_EVENT_HI	47
#endif

#if PMSCOPE_ATTR_CONFIGS > 4
#define PMSCOPE_INV_SOURCE_WORD	4
#define PMSCOPE_INV_SOURCE_LO	0
#else
#define PMSCOPE_INV_SOURCE_WORD	2
#define PMSCOPE_INV_SOURCE_LO	(PMSCOPE_ATTR_CONFIGS > 3 ? 16 : 48)
#endif

/*
 * Does el2_setup set HDFGxTR2_EL2.nPMSDSFR_EL1?  It does where there is config4,
 * which came after it, and is for the filter that needs the register.
 */
#define PMSCOPE_EL2_OPENS_PMSDSFR	(PMSCOPE_ATTR_CONFIGS > 4)

/* config<word>, 0 for a word that this kernel does not have */
static inline u64 pmscope_attr_config(const struct perf_event_attr *attr,
				      unsigned int word)
{
	switch (word) {
	case 0:
		return attr->config;
	case 1:
		return attr->config1;
	case 2:
		return attr->config2;
#if PMSCOPE_ATTR_CONFIGS > 3
	case 3:
		return attr->config3;
#endif
#if PMSCOPE_ATTR_CONFIGS > 4
	case 4:
		return attr->config4;
#endif
	default:
		return 0;
	}
}

/*
 * The CPUs that perf core is to pass over with the events of a PMU.  Before 6.2
 * it asks for each event whether it matches the CPU it is on.
 */
static inline void
pmscope_pmu_set_filter(struct pmu *pmu, bool (*skips)(struct pmu *, int cpu),
		       int (*matches)(struct perf_event *event))
{
#ifdef PMSCOPE_HAVE_PMU_FILTER
	pmu->filter = skips;
#else
	pmu->filter_match = matches;
#endif
}

/*
 * Allocate the AUX area in high-order chunks, not in single pages. Other
 * kernels always do so.
 */
#ifdef PERF_PMU_CAP_AUX_PREFER_LARGE
#define PMSCOPE_CAP_AUX_LARGE	PERF_PMU_CAP_AUX_PREFER_LARGE
#else
#define PMSCOPE_CAP_AUX_LARGE	0
#endif

/*
 * perf_event_attr.aux_action: other events of the group pause and resume one with
 * an AUX area, by stop() and start().  Elsewhere nobody asks for it.
 */
#ifdef PERF_PMU_CAP_AUX_PAUSE
#define PMSCOPE_CAP_AUX_PAUSE	PERF_PMU_CAP_AUX_PAUSE
#define PMSCOPE_EF_PAUSE	PERF_EF_PAUSE
#define PMSCOPE_EF_RESUME	PERF_EF_RESUME
#else
#define PMSCOPE_CAP_AUX_PAUSE	0
#define PMSCOPE_EF_PAUSE	0
#define PMSCOPE_EF_RESUME	0
#endif

/* Is it paused?  An NMI may change it. */
static inline bool pmscope_aux_paused(const struct perf_event *event)
{
#ifdef PERF_PMU_CAP_AUX_PAUSE
	return READ_ONCE(event->hw.aux_paused);
#else
	return false;
#endif
}

/*
 * From 6.16 on perf core throttles a group as a whole: the overflow of one member
 * stops all of them, in an NMI where the PMU has those.  It may have interrupted
 * anything of ours, so members that do not overflow themselves go on then, as
 * they did before.
 */
static inline bool pmscope_throttled_in_nmi(void)
{
	return in_nmi();
}

/* The device a PMU belongs to, where sysfs can show it */
static inline void pmscope_pmu_set_parent(struct pmu *pmu, struct device *dev)
{
#ifdef PMSCOPE_HAVE_PMU_PARENT
	pmu->parent = dev;
#endif
}

/* hrtimer_setup() came with 6.13; hrtimer_init() went some time later. */
static inline void
pmscope_hrtimer_setup(struct hrtimer *timer,
		      enum hrtimer_restart (*function)(struct hrtimer *),
		      clockid_t clock, enum hrtimer_mode mode)
{
#ifdef PMSCOPE_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/*
 * Disable an event that runs on this CPU, as soon as interrupts are on: what
 * perf_event_disable_inatomic() does, which modules cannot reach.  perf core
 * should do it by itself behind a TRUNCATED AUX record.  Up to 6.16 it marks
 * the event with the number of the CPU, which CPU 0 takes for "no", and from
 * 6.11 on it does not queue the work either.
 */
static inline void pmscope_disable_event_soon(struct perf_event *event)
{
	event->pending_disable = 1;
#ifdef PMSCOPE_HAVE_PENDING_DISABLE_IRQ
	irq_work_queue(&event->pending_disable_irq);
#else
	irq_work_queue(&event->pending_irq);
#endif
}

/*
 * The per-CPU interrupt of a device and the CPUs that it belongs to: from 6.19
 * on interrupts are requested with an affinity, before that each partition of
 * a PPI is an interrupt of its own.
 */
static inline int pmscope_get_percpu_irq(struct platform_device *pdev,
					 struct cpumask *affinity)
{
#ifdef PMSCOPE_HAVE_PERCPU_IRQ_AFFINITY
	const struct cpumask *mask = NULL;
	int irq = platform_get_irq_affinity(pdev, 0, &mask);

	cpumask_copy(affinity, mask ?: cpu_possible_mask);
#else
	int irq = platform_get_irq(pdev, 0);
#endif
	if (irq < 0)
		return irq;
	if (!irq_is_percpu(irq))
		return -EINVAL;
#ifndef PMSCOPE_HAVE_PERCPU_IRQ_AFFINITY
	if (irq_get_percpu_devid_partition(irq, affinity))
		return -EINVAL;
#endif
	return irq;
}

static inline int pmscope_request_percpu_irq(unsigned int irq,
					     irq_handler_t handler,
					     const char *name,
					     const struct cpumask *affinity,
					     void __percpu *dev_id)
{
#ifdef PMSCOPE_HAVE_PERCPU_IRQ_AFFINITY
	return request_percpu_irq_affinity(irq, handler, name, affinity,
					   dev_id);
#else
	return request_percpu_irq(irq, handler, name, dev_id);
#endif
}

/*
 * kfuncs.  Kernels before 6.9 have no BTF_KFUNCS_START, and lend kfuncs to no
 * kprobe, uprobe or perf_event program: programs that capture do not load there.
 * Those before 6.12 still refuse the registration for these programs.  From 7.0
 * on arguments are always trusted, and a kfunc can ask for CAP_PERFMON.
 */
#include <linux/btf.h>
#include <linux/btf_ids.h>
#ifdef BTF_KFUNCS_START
#define PMSCOPE_KFUNCS
#ifdef KF_TRUSTED_ARGS
#define PMSCOPE_KFUNC_FLAGS	KF_TRUSTED_ARGS
#elif defined(KF_PERFMON)
#define PMSCOPE_KFUNC_FLAGS	KF_PERFMON
#else
#define PMSCOPE_KFUNC_FLAGS	0
#endif
#endif

#endif /* PMSCOPE_COMPAT_H */
