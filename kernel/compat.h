/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All differences between the supported kernels (6.1 and newer), detected in
 * the headers by Kbuild (compat/probe.c).  Versions in comments refer to
 * kernel.org; distribution kernels may have backports.
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
#include <linux/poll.h>
#include <linux/preempt.h>

/*
 * perf_allow_kernel(): may this task profile the kernel?  In 6.1 it is an
 * inline that uses unexported symbols; perfmon_capable() is stricter, because
 * it ignores a lowered kernel.perf_event_paranoid.
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
	/* Events in a group with arm_pmu events are in arm_pmu's context. */
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
 * Before 6.2 an exiting task releases its arm_pmu events before its software
 * events, and may be scheduled out and in again in between.
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
 * Before 6.2 an exiting task frees its inherited arm_pmu events while its
 * software events may still be on the CPU (perf_event_exit_task(): one context
 * after the other).
 */
#define PMSCOPE_FREES_COUNTERS_FIRST	\
	(!__is_defined(PMSCOPE_HAVE_ONE_TASK_CONTEXT))

/*
 * Before 6.2 a context switch may swap the software contexts of two tasks,
 * whose events keep running, but not the arm_pmu contexts: our events would use
 * counters of the wrong task.  So pin the context while an event is on the CPU,
 * which is perf core's own way to prevent the swap.  Called by add() and del(),
 * with ctx->lock held.
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
 * Do all counters of a task stop together when it leaves a CPU?  Before 6.2
 * perf core disables only one arm_pmu then, the first that the task's events
 * used; the counters of another stop one after the other.
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
 * If perf_event_attr has no config3 or config4, the filters in these words use
 * the bits of config2 above min_latency instead.
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
 * Does el2_setup set HDFGxTR2_EL2.nPMSDSFR_EL1?  Kernels with config4 do, which
 * was added later, for the filter that uses this register.
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
 * Makes perf core skip the events of a PMU on some CPUs.  Before 6.2 perf core
 * calls a filter for each event instead.
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
 * perf_event_attr.aux_action: other events of the group pause and resume an
 * event with an AUX area, by stop() and start().  Older kernels lack this.
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
 * From 6.16 on perf core throttles whole groups: the overflow of one member
 * stops all of them, perhaps in an NMI, which may have interrupted our own
 * code.  So in an NMI, members that did not overflow themselves keep running,
 * as in older kernels.
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

/* hrtimer_setup() came with 6.13; hrtimer_init() was removed later. */
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
 * Disables an event that runs on this CPU, as soon as interrupts are enabled,
 * like perf_event_disable_inatomic(), which is not exported.  perf core should
 * do so itself after a TRUNCATED AUX record.  But up to 6.16 it marks the event
 * with the CPU number, so on CPU 0 the mark is lost, and from 6.11 on it does
 * not queue the work either.
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

/* After a record of an event, for PERF_EVENT_IOC_REFRESH: this was the last. */
static inline void pmscope_count_record(struct perf_event *event)
{
	if (!atomic_read(&event->event_limit) ||
	    !atomic_dec_and_test(&event->event_limit))
		return;
	event->pending_kill = POLL_HUP;
	pmscope_disable_event_soon(event);
}

/*
 * The per-CPU interrupt of a device and its CPUs: from 6.19 on interrupts are
 * requested with an affinity; before, each partition of a PPI is a separate
 * interrupt.
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
 * kfuncs.  Kernels before 6.9 have no BTF_KFUNCS_START and no kfuncs for
 * kprobe, uprobe and perf_event programs, so programs that capture do not load.
 * Kernels before 6.12 still reject the registration for these programs.  From
 * 7.0 on arguments are always trusted, and a kfunc can require CAP_PERFMON.
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
