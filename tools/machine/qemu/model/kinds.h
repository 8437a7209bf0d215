/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs of two kinds in one machine, as on big.LITTLE.
 *
 * CPU property:
 *   second-kind=N:PROP=VAL:...  the CPUs from number N on have these values of
 *                               properties, and are a Neoverse E1 if midr is
 *                               not among them
 *
 * The device tree has a node of the PMU and one of SPE for each kind that has it.
 * Their interrupts are the same PPIs, divided by ppi-partitions of the GICv3.
 */
#ifndef TARGET_ARM_PMSCOPE_KINDS_H
#define TARGET_ARM_PMSCOPE_KINDS_H

#include "cpu.h"

void kinds_add_properties(ARMCPU *cpu);

/* CPU number n, before it is realized. */
void kinds_choose(ARMCPU *cpu, unsigned n);

/* SPE, and two kinds, in a device tree that is complete but for this. */
void kinds_describe(void *fdt, unsigned cpus, bool gicv3);

#endif
