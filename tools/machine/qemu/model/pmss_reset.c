/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reset values that the architecture leaves UNKNOWN (Arm ARM D24.5), made
 * hostile by the property unknown-at-reset; and what of the state migrates
 * beside the System registers.
 */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "pmss.h"

/* splitmix64: any seed will do. */
static uint64_t next_unknown(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static void unknown_counters(CPUARMState *env, uint64_t *state)
{
    for (unsigned i = 0; i < pmu_num_counters(env); i++) {
        env->cp15.c14_pmevcntr[i] = next_unknown(state);
        env->cp15.c14_pmevtyper[i] = next_unknown(state) &
            (pmss_filter_mask(env) | PMXEVTYPER_EVTCOUNT);
        env->pmss.pmevcntsvr_el1[i] = next_unknown(state);
    }
    env->cp15.c15_ccnt = next_unknown(state);
    env->cp15.pmccfiltr_el0 = next_unknown(state) & pmss_filter_mask(env);
    env->pmss.pmccntsvr_el1 = next_unknown(state);
    if (pmss_has_icntr(env)) {
        env->pmss.pmicntr_el0 = next_unknown(state);
        env->pmss.pmicfiltr_el0 = next_unknown(state) & pmss_filter_mask(env);
        env->pmss.pmicntsvr_el1 = next_unknown(state);
    }
}

static void unknown_controls(CPUARMState *env, uint64_t *state)
{
    uint64_t counters = pmss_implemented_counters(env);

    env->cp15.c9_pmcnten = next_unknown(state) & counters;
    env->cp15.c9_pminten = next_unknown(state) & counters;
    env->cp15.c9_pmovsr = next_unknown(state) & counters;
    env->pmss.pmuacr_el1 = next_unknown(state) & counters;
    env->cp15.c9_pmselr = next_unknown(state) & 0x1f;
    env->cp15.c9_pmcr |= next_unknown(state) & pmss_pmcr_writable(env) & ~PMCRE;
    /* 0 if EL1 is the highest implemented Exception level. */
    if (arm_feature(env, ARM_FEATURE_EL2) ||
        arm_feature(env, ARM_FEATURE_EL3)) {
        env->pmss.pmecr_el1 = next_unknown(state) & R_PMECR_EL1_SSE_MASK;
    }
}

void pmss_reset(ARMCPU *cpu)
{
    uint64_t state = cpu->pmss.unknown_seed + CPU(cpu)->cpu_index;

    if (cpu->pmss.unknown_seed) {
        unknown_counters(&cpu->env, &state);
        unknown_controls(&cpu->env, &state);
    }
    qemu_set_irq(cpu->pmu_interrupt, pmss_irq_level(&cpu->env));
}

/*
 * The System registers migrate with those of the CPU, and loading them sets
 * the counters anew against the event counts of this process.
 */
static const VMStateDescription vmstate_pmss = {
    .name = "cpu/pmss",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(pmss.pmccr, ARMCPU),
        VMSTATE_UINT64(pmss.random, ARMCPU),
        VMSTATE_UINT64(pmss.allowed_requests, ARMCPU),
        VMSTATE_TIMER_PTR(pmss.capture_timer, ARMCPU),
        VMSTATE_TIMER_PTR(pmss.external_timer, ARMCPU),
        VMSTATE_TIMER_PTR(pmss.external_at_timer, ARMCPU),
        VMSTATE_END_OF_LIST()
    }
};

void pmss_register_vmstate(ARMCPU *cpu)
{
    vmstate_register(NULL, CPU(cpu)->cpu_index, &vmstate_pmss, cpu);
}
