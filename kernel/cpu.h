/* SPDX-License-Identifier: GPL-2.0-only */
/* Features of each CPU's PMU and SPE, read from its own ID registers. */
#ifndef PMSCOPE_CPU_H
#define PMSCOPE_CPU_H

#include <linux/bits.h>
#include <linux/types.h>

/* Bits of pmscope_cpu_caps.features */
#define PMSCOPE_FEAT_PMUV3	BIT(0)	/* FEAT_PMUv3 */
#define PMSCOPE_FEAT_PMUV3P5	BIT(1)	/* FEAT_PMUv3p5: 64-bit counters */
#define PMSCOPE_FEAT_PMUV3P7	BIT(2)	/* FEAT_PMUv3p7: freeze controls */
#define PMSCOPE_FEAT_PMUV3P9	BIT(3)	/* FEAT_PMUv3p9 */
#define PMSCOPE_FEAT_SS		BIT(4)	/* FEAT_PMUv3_SS: snapshots */
#define PMSCOPE_FEAT_ICNTR	BIT(5)	/* FEAT_PMUv3_ICNTR */
#define PMSCOPE_FEAT_EBEP	BIT(6)	/* FEAT_EBEP: PMU exception */
#define PMSCOPE_FEAT_SPE	BIT(7)	/* FEAT_SPE */
#define PMSCOPE_FEAT_PMUV3P4	BIT(8)	/* FEAT_PMUv3p4: PMMIR_EL1 */

/**
 * struct pmscope_cpu_caps - the ID registers of one CPU
 * @dfr0: ID_AA64DFR0_EL1
 * @dfr1: ID_AA64DFR1_EL1
 * @dfr2: ID_AA64DFR2_EL1
 * @pmmir: PMMIR_EL1, 0 before FEAT_PMUv3p4
 * @pmceid: PMCEID0_EL0 and PMCEID1_EL0
 * @features: PMSCOPE_FEAT_* bits
 * @nr_counters: event counters this Exception level sees (PMCR_EL0.N)
 * @valid: false for a CPU that has not been online since the module was loaded
 */
struct pmscope_cpu_caps {
	u64 dfr0;
	u64 dfr1;
	u64 dfr2;
	u64 pmmir;
	u64 pmceid[2];
	unsigned long features;
	unsigned int nr_counters;
	bool valid;
};

int pmscope_caps_init(void);
void pmscope_caps_exit(void);

const struct pmscope_cpu_caps *pmscope_caps(int cpu);
bool pmscope_caps_any(unsigned long features);

#endif /* PMSCOPE_CPU_H */
