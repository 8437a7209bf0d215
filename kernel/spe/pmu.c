// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm_spe_<n>: what perf core calls.
 */
#include "spe/pmu.h"
#include "compat.h"
#include "spe/freeze.h"
#include "spe/regs.h"

#include <linux/capability.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>

/* What this PMU never does */
static int check_mode(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	/* Guests are never sampled: spe_hw_exclude_guests(); without VHE by KVM. */
	if (attr->exclude_idle || attr->exclude_host)
		return -EOPNOTSUPP;
	/* A buffer of samples comes too late to steer a frequency with. */
	if (attr->freq)
		return -EINVAL;
	return 0;
}

/* Decided by who opens the event, not by who runs when it starts. */
static int check_permission(struct perf_event *event)
{
	int refused = pmscope_allow_kernel(&event->attr);

	if (IS_ENABLED(CONFIG_PID_IN_CONTEXTIDR) && !refused)
		event->hw.flags |= SPE_EVENT_CX;
	if (perfmon_capable())
		event->hw.flags |= SPE_EVENT_ANY_INTERVAL;
	/* It changes what others count. */
	if (spe_format_freezes(&event->attr) && !perfmon_capable())
		return -EACCES;
	return spe_format_privileged(&event->attr) ? refused : 0;
}

/*
 * The first interval is what period_left says, which perf core has set to the
 * period.  It ends up in PMSICR.COUNT and must not spill into ECOUNT.
 */
static void limit_first_interval(struct perf_event *event)
{
	u64 interval = spe_format_pmsirr(event) & PMSIRR_INTERVAL;
	u64 period = event->hw.sample_period;

	if (period > PMSICR_COUNT || period < interval)
		local64_set(&event->hw.period_left, interval);
}

static void spe_event_destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
}

static int check_event(struct perf_event *event)
{
	struct spe_pmu *spe = to_spe_pmu(event->pmu);

	if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &spe->cpus))
		return -ENOENT;

	return spe_format_check(&event->attr, &spe->caps) ?:
	       check_mode(event) ?: check_permission(event);
}

static int spe_event_init(struct perf_event *event)
{
	struct spe_regs *regs;
	int ret;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;

	/*
	 * A child's event is made when its task forks, with the rights of that
	 * task: what counts is what the opener of its parent was allowed.
	 */
	if (event->parent) {
		event->hw.flags |= event->parent->hw.flags &
				   (SPE_EVENT_CX | SPE_EVENT_ANY_INTERVAL);
	} else {
		ret = check_event(event);
		if (ret)
			return ret;
	}

	regs = kmalloc(sizeof(*regs), GFP_KERNEL);
	if (!regs)
		return -ENOMEM;
	spe_format_regs(event, regs);
	/* A child is made in fork(), where probes must not be changed. */
	ret = regs->freeze && !event->parent ? spe_freeze_get() : 0;
	if (ret) {
		kfree(regs);
		return ret;
	}
	limit_first_interval(event);

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	event->pmu_private = regs;
	event->destroy = spe_event_destroy;
	return 0;
}

static struct spe_cpu *this_spe_cpu(struct perf_event *event)
{
	return this_cpu_ptr(to_spe_pmu(event->pmu)->cpu);
}

/*
 * Where the reader is late the event waits to be enabled by it.  A failure of
 * add() would make perf core try again at each context switch; one of start()
 * nobody hears of, and enabling an event that is on does nothing.
 */
static int start(struct spe_cpu *cpu, struct perf_event *event, int flags)
{
	int ret;

	/*
	 * perf core also starts events after throttling, without add(); before
	 * 6.17 with the members of the group that are off.
	 */
	if (!(event->hw.state & PERF_HES_STOPPED) ||
	    event->state != PERF_EVENT_STATE_ACTIVE)
		return 0;
	if (!cpu->ready || cpu->event)
		return -EINVAL;

	if (flags & PERF_EF_RELOAD) {
		struct spe_regs *regs = event->pmu_private;

		regs->pmsirr = spe_format_pmsirr(event);
	}
	ret = spe_run_start(cpu, event);
	if (ret != -ENOSPC)
		return ret;
	pmscope_disable_event_soon(event);
	return 0;
}

/* An event that cannot start stays stopped, its state says so. */
static void spe_event_start(struct perf_event *event, int flags)
{
	if (flags & PMSCOPE_EF_RESUME)
		spe_run_pause(this_spe_cpu(event), event);
	else
		start(this_spe_cpu(event), event, flags);
}

static void spe_event_stop(struct perf_event *event, int flags)
{
	struct spe_cpu *cpu = this_spe_cpu(event);

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	if (flags & PMSCOPE_EF_PAUSE)
		spe_run_pause(cpu, event);
	else if (cpu->event == event && !pmscope_throttled_in_nmi())
		spe_run_stop(cpu);
}

static int spe_event_add(struct perf_event *event, int flags)
{
	struct spe_cpu *cpu = this_spe_cpu(event);

	if (!cpu->ready)
		return -ENOENT;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	return flags & PERF_EF_START ? start(cpu, event, PERF_EF_RELOAD) : 0;
}

/*
 * CPUs that are another PMU's: events of tasks wait there.  If add() refused
 * them instead, perf core would try again and again, and before 6.2 leave out
 * what the task has behind them.
 */
static bool skips_cpu(struct pmu *pmu, int cpu)
{
	return !cpumask_test_cpu(cpu, &to_spe_pmu(pmu)->cpus);
}

static int matches_cpu(struct perf_event *event)
{
	return !skips_cpu(event->pmu, smp_processor_id());
}

static void spe_event_del(struct perf_event *event, int flags)
{
	spe_event_stop(event, PERF_EF_UPDATE);
}

/* Nothing counts: the data is in the AUX area. */
static void spe_event_read(struct perf_event *event)
{
}

/*
 * One page can never hold a window that ends on a page boundary and leaves
 * unread data alone.  In snapshot mode, where the area is overwritten, it is
 * used as two halves.
 */
static void *spe_setup_aux(struct perf_event *event, void **pages,
			   int nr_pages, bool snapshot)
{
	struct spe_pmu *spe = to_spe_pmu(event->pmu);
	int node = event->cpu < 0 ? NUMA_NO_NODE : cpu_to_node(event->cpu);
	struct spe_buffer *buf;

	if (nr_pages < 2)
		return NULL;

	buf = spe_buffer_alloc(pages, nr_pages, node, spe->physical);
	if (buf)
		buf->snapshot = snapshot;
	return buf;
}

/**
 * spe_pmu_register() - show arm_spe_<n> to user space
 * @spe: complete but for its pmu member
 *
 * From here on events may be opened; each holds a reference to the module.
 *
 * Return: 0 or -errno.
 */
int spe_pmu_register(struct spe_pmu *spe)
{
	spe->pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.capabilities	= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE |
				  PMSCOPE_CAP_AUX_PAUSE |
				  (spe->physical ? PMSCOPE_CAP_AUX_LARGE : 0),
		.attr_groups	= spe_attr_groups,
		/*
		 * Profiling goes with any group of counters.  The events of
		 * a software context need not share a PMU with the others.
		 */
		.task_ctx_nr	= perf_sw_context,
		.event_init	= spe_event_init,
		.add		= spe_event_add,
		.del		= spe_event_del,
		.start		= spe_event_start,
		.stop		= spe_event_stop,
		.read		= spe_event_read,
		.setup_aux	= spe_setup_aux,
		.free_aux	= spe_buffer_free,
	};
	pmscope_pmu_set_parent(&spe->pmu, &spe->pdev->dev);
	pmscope_pmu_set_filter(&spe->pmu, skips_cpu, matches_cpu);

	return perf_pmu_register(&spe->pmu, spe->name, -1);
}

/**
 * spe_pmu_unregister() - take arm_spe_<n> away
 * @spe: no event of it is open
 */
void spe_pmu_unregister(struct spe_pmu *spe)
{
	perf_pmu_unregister(&spe->pmu);
}
