/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm_spe_<n>: the state of one profiling device and of its CPUs.
 */
#ifndef PMSCOPE_SPE_PMU_H
#define PMSCOPE_SPE_PMU_H

#include "spe/buffer.h"
#include "spe/caps.h"
#include "spe/format.h"
#include "spe/hw.h"
#include "spe/layout.h"
#include "spe/stats.h"

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/irqreturn.h>
#include <linux/list.h>
#include <linux/notifier.h>
#include <linux/perf_event.h>

struct platform_device;
struct spe_pmu;

/**
 * struct spe_cpu - the profiling unit of one CPU
 * @handle: perf's side of the window that is open, if one is
 * @spe: the device
 * @event: the event that profiles, NULL when none does
 * @window: what the hardware may write now
 * @pmbptr: PMBPTR_EL1 at its start
 * @saved: registers across a power-down of the CPU
 * @stats: losses
 * @ready: the CPU is online, has its interrupt and may profile
 *
 * Touched by its own CPU only, with interrupts off.
 */
struct spe_cpu {
	struct perf_output_handle	handle;
	struct spe_pmu			*spe;
	struct perf_event		*event;
	struct spe_window		window;
	u64				pmbptr;
	struct spe_hw_state		saved;
	struct spe_stats		stats;
	bool				ready;
};

/**
 * struct spe_pmu - one profiling device: one or more CPUs of the same kind
 * @pmu: perf's view
 * @pdev: the platform device
 * @caps: what all of its CPUs have
 * @cpus: the CPUs that may profile
 * @physical: buffers are given to the hardware by physical address
 * @irq: the per-CPU interrupt
 * @affinity: the CPUs that @irq belongs to
 * @node: of the CPU hotplug state
 * @pm: CPU power notifier
 * @cpu: per-CPU state, also the interrupt's dev_id
 * @name: arm_spe_<n>
 */
struct spe_pmu {
	struct pmu		pmu;
	struct platform_device	*pdev;
	struct spe_caps		caps;
	struct cpumask		cpus;
	bool			physical;
	int			irq;
	struct cpumask		affinity;
	struct hlist_node	node;
	struct notifier_block	pm;
	struct spe_cpu __percpu	*cpu;
	char			name[16];
};

static inline struct spe_pmu *to_spe_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct spe_pmu, pmu);
}

/* From the PMU's own device, whose driver data perf core sets */
static inline struct spe_pmu *dev_to_spe_pmu(struct device *dev)
{
	return to_spe_pmu(dev_get_drvdata(dev));
}

/* The registers of an event, worked out once by event_init */
static inline const struct spe_regs *spe_event_regs(const struct perf_event *ev)
{
	return ev->pmu_private;
}

/* spe/probe.c */
int spe_probe_cpu(struct spe_caps *caps);
int spe_access_print(const struct spe_caps *caps, char *text, size_t size);
void spe_report_no_caps(struct device *dev, int cpu, int ret,
			const struct spe_caps *caps);

/* spe/pmu.c */
int spe_pmu_register(struct spe_pmu *spe);
void spe_pmu_unregister(struct spe_pmu *spe);

/* spe/window.c */
int spe_window_open(struct spe_cpu *cpu, struct perf_event *event);
void spe_window_close(struct spe_cpu *cpu, u64 pmbsr);

/* spe_run.c */
int spe_run_start(struct spe_cpu *cpu, struct perf_event *event);
void spe_run_stop(struct spe_cpu *cpu);
void spe_run_pause(struct spe_cpu *cpu, struct perf_event *event);
void spe_run_suspend(struct spe_cpu *cpu);
void spe_run_resume(struct spe_cpu *cpu);

/* spe_irq.c */
irqreturn_t spe_irq_handler(int irq, void *dev_id);

/* spe_hotplug.c */
int spe_hotplug_init(void);
void spe_hotplug_exit(void);
int spe_hotplug_add(struct spe_pmu *spe);
void spe_hotplug_quiesce(struct spe_pmu *spe);

/* spe_sysfs.c */
extern const struct attribute_group *spe_attr_groups[];

#endif /* PMSCOPE_SPE_PMU_H */
