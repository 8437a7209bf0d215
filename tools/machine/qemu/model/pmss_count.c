/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which counters count: Arm ARM D13.5 and CountPMUEvents() of its
 * pseudocode. There is no FEAT_SEBEP.
 */
#include "qemu/osdep.h"
#include "system/cpu-timers.h"
#include "pmss.h"
#include "pmss_firmware.h"
#include "spe.h"

/* Filters of Secure EL2 and of Realm state. */
#define FILTER_SH  (1ULL << 24)
#define FILTER_RLK (1ULL << 22)
#define FILTER_RLU (1ULL << 21)
#define FILTER_RLH (1ULL << 20)

#define SDER_SUNIDEN (1ULL << 1)

typedef enum CounterRange {
    FIRST_RANGE,
    SECOND_RANGE,       /* reserved for EL2 */
    THIRD_RANGE,        /* reserved for an external agent */
} CounterRange;

bool pmss_has_icntr(CPUARMState *env)
{
    return env_archcpu(env)->pmss.has_icntr;
}

/* MAKE_64BIT_MASK() takes no length of 0. */
uint64_t pmss_counters_below(unsigned counter)
{
    return counter ? MAKE_64BIT_MASK(0, counter) : 0;
}

uint64_t pmss_implemented_counters(CPUARMState *env)
{
    uint64_t mask = pmss_counters_below(pmu_num_counters(env));

    mask |= 1ULL << PMSS_CYCLE_COUNTER;
    if (pmss_has_icntr(env)) {
        mask |= 1ULL << PMSS_INSN_COUNTER;
    }
    return mask;
}

unsigned pmss_effective_epmn(CPUARMState *env)
{
    return FIELD_EX32(env_archcpu(env)->pmss.pmccr, PMCCR, EPMN);
}

/* This applies even when EL2 is disabled in the current Security state. */
unsigned pmss_effective_hpmn(CPUARMState *env)
{
    unsigned counters = pmss_effective_epmn(env);

    if (!arm_feature(env, ARM_FEATURE_EL2)) {
        return counters;
    }
    return MIN(FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HPMN), counters);
}

static CounterRange range_of(CPUARMState *env, unsigned counter)
{
    if (counter >= PMSS_CYCLE_COUNTER ||
        counter < pmss_effective_hpmn(env)) {
        return FIRST_RANGE;
    }
    return counter < pmss_effective_epmn(env) ? SECOND_RANGE : THIRD_RANGE;
}

/* Counters of events: without the cycle counter. */
static uint64_t events_in_range(CPUARMState *env, CounterRange range)
{
    uint64_t first = pmss_counters_below(pmss_effective_hpmn(env));
    uint64_t self_hosted = pmss_counters_below(pmss_effective_epmn(env));

    switch (range) {
    case FIRST_RANGE:
        return pmss_has_icntr(env) ? first | 1ULL << PMSS_INSN_COUNTER : first;
    case SECOND_RANGE:
        return self_hosted & ~first;
    default:
        return pmss_counters_below(pmu_num_counters(env)) & ~self_hosted;
    }
}

/* Table D13-4: the global enable of each range (RKYBQW). */
static bool global_enable(CPUARMState *env, CounterRange range)
{
    switch (range) {
    case FIRST_RANGE:
        return env->cp15.c9_pmcr & PMCRE;
    case SECOND_RANGE:
        return FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HPME);
    default:
        return FIELD_EX32(env_archcpu(env)->pmss.pmccr, PMCCR, EPME);
    }
}

static bool enabled(CPUARMState *env, unsigned counter)
{
    return global_enable(env, range_of(env, counter)) &&
           extract64(env->cp15.c9_pmcnten, counter, 1);
}

bool pmss_counter_is_64_bit(CPUARMState *env, unsigned counter)
{
    switch (range_of(env, counter)) {
    case FIRST_RANGE:
        return env->cp15.c9_pmcr & PMCRLP;
    case SECOND_RANGE:
        return env->cp15.mdcr_el2 & MDCR_HLP;
    default:
        return true;
    }
}

/*
 * At EL3 with {SPME,MPMX} {1,1} the second range counts (RGNGCW), and so does
 * the instruction counter where EL2 is implemented (RCSRMB).
 */
static bool prohibited_at_el3(CPUARMState *env, unsigned counter)
{
    uint64_t mdcr = env->cp15.mdcr_el3;

    if (!FIELD_EX64(mdcr, PMSS_MDCR_EL3, SPME)) {
        return true;
    }
    if (!FIELD_EX64(mdcr, PMSS_MDCR_EL3, MPMX)) {
        return false;
    }
    if (counter == PMSS_INSN_COUNTER) {
        return !arm_feature(env, ARM_FEATURE_EL2);
    }
    return range_of(env, counter) == FIRST_RANGE;
}

/*
 * SDER32_EL3.SUNIDEN permits counting at EL0 below an AArch32 EL1, but not to
 * PMICNTR_EL0 (RCSRMB). MPMX is RES0 before FEAT_PMUv3p7 (RJRYNM, RJDWFF).
 */
bool pmss_prohibited_in_secure(CPUARMState *env, unsigned counter)
{
    uint64_t mdcr = env->cp15.mdcr_el3;
    bool mpmx = pmss_pmuv3p9(env) && FIELD_EX64(mdcr, PMSS_MDCR_EL3, MPMX);

    if (counter != PMSS_INSN_COUNTER && arm_current_el(env) == 0 &&
        !arm_el_is_aa64(env, 1) && (env->cp15.sder & SDER_SUNIDEN)) {
        return false;
    }
    return !FIELD_EX64(mdcr, PMSS_MDCR_EL3, SPME) && !mpmx;
}

/* Prohibiting counting of events: D13.5.4, RGNGCW, RMMZLZ, RCSRMB, RKQDQS. */
static bool prohibited(CPUARMState *env, unsigned counter)
{
    CounterRange range = range_of(env, counter);
    int el = arm_current_el(env);

    if (range == THIRD_RANGE) {
        return false;
    }
    if (el == 3) {
        return prohibited_at_el3(env, counter);
    }
    if (arm_feature(env, ARM_FEATURE_EL3) &&
        arm_security_space(env) == ARMSS_Secure &&
        pmss_prohibited_in_secure(env, counter)) {
        return true;
    }
    return el == 2 && range == FIRST_RANGE &&
           FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HPMD);
}

/* Freezing on overflow: RFGSDP, RBHFSF; the third range never (ILKVKF). */
static bool freezes_on_overflow(CPUARMState *env, CounterRange range)
{
    switch (range) {
    case FIRST_RANGE:
        return env->cp15.c9_pmcr & PMCR_FZO;
    case SECOND_RANGE:
        return FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HPMFZO);
    default:
        return false;
    }
}

static bool frozen_on_overflow(CPUARMState *env, CounterRange range)
{
    return freezes_on_overflow(env, range) &&
           (env->cp15.c9_pmovsr & events_in_range(env, range));
}

bool pmss_freezes_on_overflow(CPUARMState *env, unsigned counter)
{
    return pmss_pmuv3p9(env) &&
           freezes_on_overflow(env, range_of(env, counter));
}

/* Freezing on an SPE management event: RHSGZX. */
static bool frozen_on_spe(CPUARMState *env, unsigned counter,
                          CounterRange range)
{
    bool fzs = range == FIRST_RANGE ?
        env->cp15.c9_pmcr & PMCR_FZS :
        FIELD_EX64(env->cp15.mdcr_el2, PMSS_MDCR_EL2, HPMFZS);

    if (counter == PMSS_CYCLE_COUNTER && !env_archcpu(env)->pmss.dpfzs) {
        return false;
    }
    return fzs && spe_freezes_counters(env);
}

static bool frozen(CPUARMState *env, unsigned counter)
{
    CounterRange range = range_of(env, counter);

    return range != THIRD_RANGE &&
           (frozen_on_overflow(env, range) ||
            frozen_on_spe(env, counter, range));
}

/* Controls of the cycle counter that PMCR_EL0.DP does not override. */
static bool cycles_prohibited(CPUARMState *env)
{
    int el = arm_current_el(env);
    uint64_t mdcr_el3 = env->cp15.mdcr_el3;

    if (arm_feature(env, ARM_FEATURE_EL3) &&
        (el == 3 || arm_security_space(env) == ARMSS_Secure) &&
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

/* The bits besides the event that an AArch64 write to a filter can set. */
uint64_t pmss_filter_mask(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    uint64_t mask = PMXEVTYPER_P | PMXEVTYPER_U;

    if (arm_feature(env, ARM_FEATURE_EL3)) {
        mask |= PMXEVTYPER_NSK | PMXEVTYPER_NSU | PMXEVTYPER_M;
        mask |= cpu_isar_feature(aa64_sel2, cpu) ? FILTER_SH : 0;
        mask |= cpu_isar_feature(aa64_rme, cpu) ? FILTER_RLK | FILTER_RLU |
                                                  FILTER_RLH : 0;
    }
    if (arm_feature(env, ARM_FEATURE_EL2)) {
        mask |= PMXEVTYPER_NSH;
    }
    return mask;
}

static bool filtered_at_el0(ARMSecuritySpace space, uint64_t filter)
{
    bool u = filter & PMXEVTYPER_U;

    switch (space) {
    case ARMSS_Secure:
        return u;
    case ARMSS_Realm:
        return u != !!(filter & FILTER_RLU);
    default:
        return u != !!(filter & PMXEVTYPER_NSU);
    }
}

static bool filtered_at_el1(ARMSecuritySpace space, uint64_t filter)
{
    bool p = filter & PMXEVTYPER_P;

    switch (space) {
    case ARMSS_Secure:
        return p;
    case ARMSS_Realm:
        return p != !!(filter & FILTER_RLK);
    default:
        return p != !!(filter & PMXEVTYPER_NSK);
    }
}

static bool filtered_at_el2(ARMSecuritySpace space, uint64_t filter)
{
    bool nsh = filter & PMXEVTYPER_NSH;

    switch (space) {
    case ARMSS_Secure:
        return nsh == !!(filter & FILTER_SH);
    case ARMSS_Realm:
        return nsh == !!(filter & FILTER_RLH);
    default:
        return !nsh;
    }
}

static uint16_t event_of(CPUARMState *env, unsigned counter)
{
    switch (counter) {
    case PMSS_CYCLE_COUNTER:
        return PMSS_EVENT_CPU_CYCLES;
    case PMSS_INSN_COUNTER:
        return PMSS_EVENT_INST_RETIRED;
    default:
        return env->cp15.c14_pmevtyper[counter] & PMXEVTYPER_EVTCOUNT;
    }
}

static bool filtered(CPUARMState *env, unsigned counter)
{
    uint64_t filter = filter_of(env, counter) & pmss_filter_mask(env);
    ARMSecuritySpace space = arm_security_space(env);

    if (pmss_fault_of(env, event_of(env, counter)) == PMSS_UNFILTERED) {
        return false;
    }
    switch (arm_current_el(env)) {
    case 0:
        return filtered_at_el0(space, filter);
    case 1:
        return filtered_at_el1(space, filter);
    case 2:
        return filtered_at_el2(space, filter);
    default:
        return !!(filter & PMXEVTYPER_M) != !!(filter & PMXEVTYPER_P);
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

/* The global enable of its range gates the interrupt of a counter (IVQXCB). */
bool pmss_irq_level(CPUARMState *env)
{
    uint64_t flags = env->cp15.c9_pmovsr & env->cp15.c9_pminten;

    if (!global_enable(env, FIRST_RANGE)) {
        flags &= ~(events_in_range(env, FIRST_RANGE) |
                   1ULL << PMSS_CYCLE_COUNTER);
    }
    if (!global_enable(env, SECOND_RANGE)) {
        flags &= ~events_in_range(env, SECOND_RANGE);
    }
    if (!global_enable(env, THIRD_RANGE)) {
        flags &= ~events_in_range(env, THIRD_RANGE);
    }
    for (unsigned i = 0; env_archcpu(env)->pmss.nr_faults &&
                         i <= PMSS_INSN_COUNTER; i++) {
        if (pmss_fault_of(env, event_of(env, i)) == PMSS_SILENT) {
            flags &= ~(1ULL << i);
        }
    }
    return flags & pmss_implemented_counters(env);
}

/* Does an enabled counter have an event for which @needs is true? */
static bool any_needs(CPUARMState *env,
                      bool (*needs)(CPUARMState *env, uint16_t event))
{
    const PMSSConfig *cfg = &env_archcpu(env)->pmss;
    unsigned counters = cfg->slots || cfg->more_events ? pmu_num_counters(env) : 0;

    for (unsigned i = 0; i < counters; i++) {
        if (enabled(env, i) && needs(env, event_of(env, i))) {
            return true;
        }
    }
    return counters && pmss_has_icntr(env) &&
           enabled(env, PMSS_INSN_COUNTER) &&
           needs(env, PMSS_EVENT_INST_RETIRED);
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
    count = pmss_faulty_count(env, PMSS_EVENT_INST_RETIRED,
                              pmss_instructions(env));
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

    s->count_branches = any_needs(env, pmss_event_needs_branches);
    s->count_accesses = any_needs(env, pmss_event_needs_accesses);
    s->count_insns = !pmss_clock_counts_instructions() &&
                     (s->count_branches || needs_instructions(env) ||
                      env_archcpu(env)->pmss.own_cycles);
    if (pmss_has_icntr(env) &&
        pmss_counter_enabled(env, PMSS_INSN_COUNTER)) {
        s->counting |= 1ULL << PMSS_INSN_COUNTER;
        pmss_expect_overflow(env, PMSS_EVENT_INST_RETIRED, -s->pmicntr_el0);
        s->pmicntr_delta -= s->pmicntr_el0;
    }
}
