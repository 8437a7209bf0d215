/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which counters count: Arm ARM D13.5 and CountPMUEvents() of its
 * pseudocode. There is no third range of counters (FEAT_PMUv3_EXTPMN) and no
 * FEAT_SEBEP.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "cpu-features.h"
#include "internals.h"
#include "system/cpu-timers.h"
#include "pmss.h"
#include "pmss_firmware.h"
#include "spe.h"

#define PMCR_FZO (1ULL << 9)
#define PMCR_FZS (1ULL << 32)

bool pmss_has_icntr(CPUARMState *env)
{
    return env_archcpu(env)->pmss.icntr && pmss_pmuv3p9(env);
}

uint64_t pmss_implemented_counters(CPUARMState *env)
{
    uint64_t mask = MAKE_64BIT_MASK(0, pmu_num_counters(env));

    mask |= 1ULL << PMSS_CYCLE_COUNTER;
    if (pmss_has_icntr(env)) {
        mask |= 1ULL << PMSS_INSN_COUNTER;
    }
    return mask;
}

unsigned pmss_effective_hpmn(CPUARMState *env)
{
    unsigned counters = pmu_num_counters(env);

    if (!arm_feature(env, ARM_FEATURE_EL2)) {
        return counters;
    }
    return MIN(FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HPMN), counters);
}

static bool in_first_range(CPUARMState *env, unsigned counter)
{
    return counter >= PMSS_CYCLE_COUNTER ||
           counter < pmss_effective_hpmn(env);
}

static uint64_t first_range_events(CPUARMState *env)
{
    uint64_t mask = MAKE_64BIT_MASK(0, pmss_effective_hpmn(env));

    return pmss_has_icntr(env) ? mask | 1ULL << PMSS_INSN_COUNTER : mask;
}

static uint64_t second_range_events(CPUARMState *env)
{
    return MAKE_64BIT_MASK(0, pmu_num_counters(env)) &
           ~first_range_events(env);
}

static bool enabled(CPUARMState *env, unsigned counter)
{
    bool global = in_first_range(env, counter) ?
        env->cp15.c9_pmcr & PMCRE :
        FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HPME);

    return global && extract64(env->cp15.c9_pmcnten, counter, 1);
}

static bool prohibited_in_secure(CPUARMState *env, unsigned counter)
{
    uint64_t mdcr = env->cp15.mdcr_el3;
    bool spme = FIELD_EX64(mdcr, PMSS_MDCR_EL3, SPME);
    bool mpmx = FIELD_EX64(mdcr, PMSS_MDCR_EL3, MPMX);

    if (!spme && !mpmx) {
        return true;
    }
    return arm_current_el(env) == 3 && mpmx &&
           (!spme || in_first_range(env, counter));
}

/* Prohibiting counting of events: D13.5.4, RGNGCW, RMMZLZ, RCSRMB. */
static bool prohibited(CPUARMState *env, unsigned counter)
{
    if (arm_feature(env, ARM_FEATURE_EL3) &&
        (arm_is_secure(env) || arm_current_el(env) == 3) &&
        prohibited_in_secure(env, counter)) {
        return true;
    }
    return arm_current_el(env) == 2 && in_first_range(env, counter) &&
           FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HPMD);
}

/* Freezing on overflow (RFGSDP, RBHFSF) and on an SPE event (RHSGZX). */
static bool frozen(CPUARMState *env, unsigned counter)
{
    uint64_t pmcr = env->cp15.c9_pmcr;
    uint64_t mdcr = env->cp15.mdcr_el2;
    bool first = in_first_range(env, counter);
    bool fzo = first ? pmcr & PMCR_FZO
                     : FIELD_EX64(mdcr, PMSS_MDCR_EL2, HPMFZO);
    bool fzs = first ? pmcr & PMCR_FZS
                     : FIELD_EX64(mdcr, PMSS_MDCR_EL2, HPMFZS);
    uint64_t range = first ? first_range_events(env)
                           : second_range_events(env);

    if (fzo && (env->cp15.c9_pmovsr & range)) {
        return true;
    }
    /* Without FEAT_SPE_DPFZS the cycle counter is not affected. */
    return fzs && counter != PMSS_CYCLE_COUNTER && spe_freezes_counters(env);
}

/* Controls of the cycle counter that PMCR_EL0.DP does not override. */
static bool cycles_prohibited(CPUARMState *env)
{
    int el = arm_current_el(env);
    uint64_t mdcr_el3 = env->cp15.mdcr_el3;

    if (arm_feature(env, ARM_FEATURE_EL3) && (arm_is_secure(env) || el == 3) &&
        FIELD_EX64(mdcr_el3, PMSS_MDCR_EL3, SCCD)) {
        return true;
    }
    if (el == 3 && FIELD_EX64(mdcr_el3, PMSS_MDCR_EL3, MCCD)) {
        return true;
    }
    return el == 2 && FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HCCD);
}

static uint64_t filter_of(CPUARMState *env, unsigned counter)
{
    switch (counter) {
    case PMSS_CYCLE_COUNTER:
        return env->cp15.pmccfiltr_el0;
    case PMSS_INSN_COUNTER:
        return env->pmss.pmicfiltr_el0;
    default:
        return env->cp15.c14_pmevtyper[counter];
    }
}

static bool filtered(CPUARMState *env, unsigned counter)
{
    uint64_t filter = filter_of(env, counter);
    bool el3 = arm_feature(env, ARM_FEATURE_EL3);
    bool secure = arm_is_secure(env);
    bool p = filter & PMXEVTYPER_P;
    bool u = filter & PMXEVTYPER_U;
    bool nsk = el3 && (filter & PMXEVTYPER_NSK);
    bool nsu = el3 && (filter & PMXEVTYPER_NSU);
    bool m = el3 && (filter & PMXEVTYPER_M);

    switch (arm_current_el(env)) {
    case 0:
        return secure ? u : u != nsu;
    case 1:
        return secure ? p : p != nsk;
    case 2:
        return !(filter & PMXEVTYPER_NSH);
    default:
        return m != p;
    }
}

static bool cycle_counter_enabled(CPUARMState *env)
{
    unsigned counter = PMSS_CYCLE_COUNTER;

    if ((env->cp15.c9_pmcr & PMCRDP) &&
        (prohibited(env, counter) || frozen(env, counter))) {
        return false;
    }
    return enabled(env, counter) && !cycles_prohibited(env) &&
           !filtered(env, counter);
}

bool pmss_counter_enabled(CPUARMState *env, unsigned counter)
{
    if (counter == PMSS_CYCLE_COUNTER) {
        return cycle_counter_enabled(env);
    }
    return enabled(env, counter) && !prohibited(env, counter) &&
           !filtered(env, counter) && !frozen(env, counter);
}

/* The global enable of its range gates the interrupt of a counter too. */
bool pmss_irq_level(CPUARMState *env)
{
    uint64_t flags = env->cp15.c9_pmovsr & env->cp15.c9_pminten;

    if (!(env->cp15.c9_pmcr & PMCRE)) {
        flags &= ~(first_range_events(env) | 1ULL << PMSS_CYCLE_COUNTER);
    }
    if (!FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HPME)) {
        flags &= ~second_range_events(env);
    }
    return flags & pmss_implemented_counters(env);
}

static bool needs_instructions(CPUARMState *env)
{
    for (unsigned i = 0; i < pmu_num_counters(env); i++) {
        uint64_t event = env->cp15.c14_pmevtyper[i] & PMXEVTYPER_EVTCOUNT;

        if (event == PMSS_EVENT_INST_RETIRED && enabled(env, i)) {
            return true;
        }
    }
    return pmss_has_icntr(env) && enabled(env, PMSS_INSN_COUNTER);
}

/* As QEMU's pmevcntr_op_start() and pmevcntr_op_finish(). */
void pmss_icntr_op_start(CPUARMState *env)
{
    PMSSState *s = &env->pmss;
    uint64_t count;

    if (!pmss_has_icntr(env)) {
        return;
    }
    count = pmss_instructions(env);
    if (extract64(s->counting, PMSS_INSN_COUNTER, 1)) {
        uint64_t value = count - s->pmicntr_delta;

        if (s->pmicntr_el0 & ~value & (1ULL << 63)) {
            env->cp15.c9_pmovsr |= 1ULL << PMSS_INSN_COUNTER;
        }
        s->pmicntr_el0 = value;
        s->counting &= ~(1ULL << PMSS_INSN_COUNTER);
    }
    s->pmicntr_delta = count;
}

void pmss_icntr_op_finish(CPUARMState *env)
{
    PMSSState *s = &env->pmss;

    s->count_insns = !icount_enabled() && needs_instructions(env);
    if (pmss_has_icntr(env) &&
        pmss_counter_enabled(env, PMSS_INSN_COUNTER)) {
        s->counting |= 1ULL << PMSS_INSN_COUNTER;
        pmss_expect_overflow(env, PMSS_EVENT_INST_RETIRED, -s->pmicntr_el0);
        s->pmicntr_delta -= s->pmicntr_el0;
    }
}
