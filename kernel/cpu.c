// SPDX-License-Identifier: GPL-2.0-only
/*
 * Feature discovery.  Each CPU reads its own ID registers: the sanitised
 * copies of the kernel have no PMSS field and hide big.LITTLE differences.
 */
#include "cpu.h"
#include "sysreg.h"

#include <linux/bitfield.h>
#include <linux/cpumask.h>
#include <linux/cpuhotplug.h>
#include <linux/percpu.h>

static DEFINE_PER_CPU(struct pmscope_cpu_caps, cpu_caps);
static int caps_hp_state;

static unsigned long caps_pmu_features(u64 dfr0, u64 dfr1)
{
	unsigned int ver = FIELD_GET(PMSCOPE_DFR0_PMUVER, dfr0);
	unsigned long features = 0;

	if (ver < PMSCOPE_PMUVER_V3 || ver == PMSCOPE_PMUVER_IMPDEF)
		return 0;

	features |= PMSCOPE_FEAT_PMUV3;
	if (ver >= PMSCOPE_PMUVER_V3P4)
		features |= PMSCOPE_FEAT_PMUV3P4;
	if (ver >= PMSCOPE_PMUVER_V3P5)
		features |= PMSCOPE_FEAT_PMUV3P5;
	if (ver >= PMSCOPE_PMUVER_V3P7)
		features |= PMSCOPE_FEAT_PMUV3P7;
	if (ver >= PMSCOPE_PMUVER_V3P9)
		features |= PMSCOPE_FEAT_PMUV3P9;
	if (FIELD_GET(PMSCOPE_DFR0_PMSS, dfr0))
		features |= PMSCOPE_FEAT_SS;
	if (FIELD_GET(PMSCOPE_DFR1_PMICNTR, dfr1))
		features |= PMSCOPE_FEAT_ICNTR;
	if (FIELD_GET(PMSCOPE_DFR1_EBEP, dfr1))
		features |= PMSCOPE_FEAT_EBEP;
	return features;
}

static void caps_probe_pmu(struct pmscope_cpu_caps *caps)
{
	caps->nr_counters = FIELD_GET(PMSCOPE_PMCR_N, read_sysreg(pmcr_el0));
	caps->pmceid[0] = read_sysreg(pmceid0_el0);
	caps->pmceid[1] = read_sysreg(pmceid1_el0);
	if (caps->features & PMSCOPE_FEAT_PMUV3P4)
		caps->pmmir = read_sysreg_s(SYS_PMMIR_EL1);
}

/* Runs on @cpu: from the cpuhp core, at module load and when it comes online */
static int caps_probe_cpu(unsigned int cpu)
{
	struct pmscope_cpu_caps *caps = per_cpu_ptr(&cpu_caps, cpu);

	caps->dfr0 = read_sysreg_s(SYS_ID_AA64DFR0_EL1);
	caps->dfr1 = read_sysreg_s(SYS_ID_AA64DFR1_EL1);
	/* It reads as 0 if it is not defined. */
	caps->dfr2 = read_sysreg_s(SYS_ID_AA64DFR2_EL1);

	caps->features = caps_pmu_features(caps->dfr0, caps->dfr1);
	if (FIELD_GET(PMSCOPE_DFR0_PMSVER, caps->dfr0))
		caps->features |= PMSCOPE_FEAT_SPE;

	if (caps->features & PMSCOPE_FEAT_PMUV3)
		caps_probe_pmu(caps);
	caps->valid = true;
	return 0;
}

/**
 * pmscope_caps() - features of a CPU
 * @cpu: a possible CPU
 *
 * Context: any.
 * Return: never NULL; .valid is false for a CPU that was never online.
 */
const struct pmscope_cpu_caps *pmscope_caps(int cpu)
{
	return per_cpu_ptr(&cpu_caps, cpu);
}

/**
 * pmscope_caps_any() - does at least one CPU have all of these features?
 * @features: PMSCOPE_FEAT_* bits
 *
 * Context: any.
 * Return: true if so
 */
bool pmscope_caps_any(unsigned long features)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if ((pmscope_caps(cpu)->features & features) == features)
			return true;
	return false;
}

/**
 * pmscope_caps_init() - probe every CPU, now and as CPUs come online
 *
 * Context: process, in module init.
 * Return: 0 or a negative errno of the CPU hotplug core.
 */
int pmscope_caps_init(void)
{
	int ret;

	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmscope/caps:online",
				caps_probe_cpu, NULL);
	if (ret < 0)
		return ret;
	caps_hp_state = ret;
	return 0;
}

/**
 * pmscope_caps_exit() - undo pmscope_caps_init()
 *
 * Context: process.
 */
void pmscope_caps_exit(void)
{
	cpuhp_remove_state_nocalls(caps_hp_state);
}
