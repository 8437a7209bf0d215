/* SPDX-License-Identifier: GPL-2.0-only */
/* arm_spe_<n>: the perf PMU of a profiling device. */
#ifndef PMSCOPE_SPE_PMU_H
#define PMSCOPE_SPE_PMU_H

#include "spe/caps.h"
#include "spe/profile.h"

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/notifier.h>
#include <linux/perf_event.h>

struct platform_device;

/**
 * struct spe_pmu - one profiling device: one or more CPUs of the same kind
 * @pmu: the perf PMU
 * @pdev: the platform device
 * @caps: capabilities that all of its CPUs have
 * @cpus: the CPUs that may profile
 * @physical: buffers are given to the hardware by physical address
 * @irq: the per-CPU interrupt
 * @affinity: the CPUs that @irq belongs to
 * @node: node of the CPU hotplug state
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

int spe_pmu_register(struct spe_pmu *spe);

#endif /* PMSCOPE_SPE_PMU_H */
