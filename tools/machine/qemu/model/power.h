/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An idle state in which a CPU is switched off and loses what it holds: PSCI
 * CPU_SUSPEND of a powerdown state (Arm DEN0022).
 *
 * The Generic Timer stays on, as the device tree says by not saying
 * local-timer-stop, and so do Distributor and Redistributor.
 */
#pragma once

#include "cpu.h"

void power_add_properties(ARMCPU *cpu);
bool power_realize(ARMCPU *cpu, Error **errp);
void power_reset(ARMCPU *cpu);

/* Neither idle nor switched off by PSCI, which calls an idle CPU on. */
static inline bool power_is_on(const ARMCPU *cpu)
{
    return cpu->power_state == PSCI_ON && cpu->power.phase == POWER_UP;
}

/* The idle state in the device tree, whose CPU nodes are there. */
void power_add_idle_state(void *fdt, unsigned cpus, bool gicv3);

/*
 * CPU_SUSPEND, by the CPU itself. Returns, false, only when this is no state
 * that loses power.
 */
bool power_suspend(ARMCPU *cpu, const uint64_t param[4]);

/* Is an interrupt pending for the CPU, even if its interface masks it? */
void power_wake_request(ARMCPU *cpu, bool pending);
