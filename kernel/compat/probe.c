// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the headers of this kernel have.  Version numbers do not tell: stable
 * and vendor kernels take changes from later ones.
 *
 * Kbuild compiles this file once for each PROBE_<NAME>.  If that succeeds,
 * compat/have.h defines PMSCOPE_HAVE_<NAME>, for compat.h.  Without a PROBE_
 * the file compiles everywhere, so an error then stops the build.
 */
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#ifndef __CHECKER__ /* sparse has no __has_include. */
#if __has_include("linux/perf/arm_pmuv3.h")
#include <linux/perf/arm_pmuv3.h>
#endif
#endif

/* Errors in C, unlike warnings, do not depend on the options of the build. */
#define TYPE_IS(it, type)	static_assert(__same_type(it, type))

/*
 * What every kernel since 6.1 has, and pmscope needs.  Users read the errors, so
 * each is one line.
 */
#ifdef PROBE_NEEDS
extern typeof_member(struct perf_event, pending_irq) pending;
static inline bool inherits(struct perf_event_attr *attr)
{
	return attr->inherit_thread;
}

#ifndef PMU_EVENT_ATTR_ID
#error no PMU_EVENT_ATTR_ID() in linux/perf_event.h
#endif
#ifndef IRQ_WORK_INIT_HARD
#error no IRQ_WORK_INIT_HARD() in linux/irq_work.h
#endif
#include <linux/container_of.h>
#include <linux/stdarg.h>
#endif

/* A function that modules can call; an inline one may not be defined again. */
#ifdef PROBE_PERF_ALLOW_KERNEL
int perf_allow_kernel(void)
{
	return 0;
}
#endif

#ifdef PROBE_PERF_ALLOW_KERNEL_ATTR
int perf_allow_kernel(struct perf_event_attr *attr)
{
	return 0;
}
#endif

/* One context of a task for the events of all PMUs */
#ifdef PROBE_ONE_TASK_CONTEXT
TYPE_IS(typeof_member(struct task_struct, perf_event_ctxp),
	struct perf_event_context *);
#endif

#ifdef PROBE_PMU_FILTER
TYPE_IS(typeof_member(struct pmu, filter), bool (*)(struct pmu *, int));
#endif

#ifdef PROBE_PMU_PARENT
TYPE_IS(typeof_member(struct pmu, parent), struct device *);
#endif

#ifdef PROBE_PENDING_DISABLE_IRQ
TYPE_IS(typeof_member(struct perf_event, pending_disable_irq), struct irq_work);
#endif

/* arm_pmu's hw.idx is the number of the counter. */
#ifdef PROBE_IDX_IS_COUNTER
static_assert(ARMV8_PMU_CYCLE_IDX == 31);
#endif

/* arm_pmu counts instructions with PMICNTR_EL0. */
#ifdef PROBE_PMICNTR
static_assert(ARMV8_PMU_INSTR_IDX == 32);
#endif

#ifdef PROBE_AVOID_PMCCNTR
TYPE_IS(typeof_member(struct arm_pmu, avoid_pmccntr), bool);
#endif

#ifdef PROBE_HRTIMER_SETUP
TYPE_IS(hrtimer_setup,
	void (struct hrtimer *, enum hrtimer_restart (*)(struct hrtimer *),
	      clockid_t, enum hrtimer_mode));
#endif

/* Per-CPU interrupts have an affinity, instead of partitions. */
#ifdef PROBE_PERCPU_IRQ_AFFINITY
TYPE_IS(platform_get_irq_affinity,
	int (struct platform_device *, unsigned int, const struct cpumask **));
TYPE_IS(request_percpu_irq_affinity,
	int (unsigned int, irq_handler_t, const char *, const struct cpumask *,
	     void __percpu *));
#endif
