/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs of two kinds in one machine, as on big.LITTLE (second-kind): a Neoverse E1
 * beside the others, if its properties have no midr.
 *
 * The device tree has a node of the PMU and one of SPE for each kind that has it.
 * Their interrupts are the same PPIs, divided by ppi-partitions of the GICv3.
 */
#pragma once

#include "cpu.h"

void kinds_add_properties(ARMCPU *cpu);

/* CPU number n, before it is realized. */
void kinds_choose(ARMCPU *cpu, unsigned n);

/* SPE, and two kinds, in a device tree that is complete but for this. */
void kinds_describe(void *fdt, unsigned cpus, bool gicv3);
