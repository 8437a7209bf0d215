/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may access which counter, and the registers of the PMU: traps, and the
 * rules by which MDCR_EL2.HPMN, PMUSERENR_EL0 and PMUACR_EL1 hide counters.
 */
#include "qemu/osdep.h"
#include "pmss.h"
#include "pmss_firmware.h"
#include "pmss_regs.h"

/* Bits of HDFGRTR2_EL2 and HDFGWTR2_EL2. */
#define FGT2_PMICNTR 2
#define FGT2_PMICFILTR 3
#define FGT2_PMUACR 4
#define FGT2_PMZR 21

static bool userenr(CPUARMState *env, uint64_t field)
{
    return env->cp15.c9_pmuserenr & field;
}

/* EL0, with PMUACR_EL1 in force. UEN is treated as 0 with an AArch32 EL1. */
static bool under_pmuacr(CPUARMState *env)
{
    return pmss_pmuv3p9(env) && arm_current_el(env) == 0 &&
           arm_el_is_aa64(env, 1) && userenr(env, R_PMUSERENR_EL0_UEN_MASK);
}

bool pmss_el0_enabled(CPUARMState *env)
{
    return userenr(env, R_PMUSERENR_EL0_EN_MASK) || under_pmuacr(env);
}

/* Counters that the control bits make read-only at EL0. */
static uint64_t read_only_counters(CPUARMState *env)
{
    uint64_t mask = 0;

    if (userenr(env, R_PMUSERENR_EL0_ER_MASK)) {
        mask |= EVENT_COUNTERS;
    }
    if (userenr(env, R_PMUSERENR_EL0_CR_MASK)) {
        mask |= CYCLE_COUNTER;
    }
    if (userenr(env, R_PMUSERENR_EL0_IR_MASK)) {
        mask |= INSN_COUNTER;
    }
    return mask;
}

/* GetNumEventCountersAccessible() */
unsigned pmss_accessible_event_counters(CPUARMState *env)
{
    if (arm_current_el(env) < 2 && arm_is_el2_enabled(env)) {
        return pmss_effective_hpmn(env);
    }
    return pmss_effective_epmn(env);
}

/* GetPMUAccessMask() */
uint64_t pmss_access_mask(CPUARMState *env)
{
    uint64_t mask = pmss_counters_below(pmss_accessible_event_counters(env));

    mask |= CYCLE_COUNTER;
    if (pmss_has_icntr(env) &&
        (arm_current_el(env) > 0 || under_pmuacr(env))) {
        mask |= INSN_COUNTER;
    }
    if (under_pmuacr(env)) {
        mask &= env->pmss.pmuacr_el1;
    }
    return mask;
}

static bool pm2_trapped_to_el3(CPUARMState *env)
{
    return arm_current_el(env) < 3 &&
           !FIELD_EX64(pmscope_mdcr_el3(env), PMSS_MDCR_EL3, EnPM2);
}

/*
 * GetPMUReadMask() and GetPMUWriteMask(): the controls of PMICNTR_EL0 follow
 * the traps on PMICFILTR_EL0, or on PMICNTR_EL0 when it is being zeroed.
 */
static uint64_t control_mask(CPUARMState *env, bool isread, unsigned fgt2_bit)
{
    uint64_t mask = pmss_access_mask(env);

    if (!isread && under_pmuacr(env)) {
        mask &= ~read_only_counters(env);
    }
    if (pm2_trapped_to_el3(env) || pmscope_fgt2_trap(env, isread, fgt2_bit)) {
        mask &= ~INSN_COUNTER;
    }
    return mask;
}

uint64_t pmss_read_mask(CPUARMState *env)
{
    return control_mask(env, true, FGT2_PMICFILTR);
}

uint64_t pmss_write_mask(CPUARMState *env)
{
    return control_mask(env, false, FGT2_PMICFILTR);
}

uint64_t pmss_zero_mask(CPUARMState *env)
{
    return control_mask(env, false, FGT2_PMICNTR);
}

bool pmss_reads_counter(CPUARMState *env, unsigned counter)
{
    return !under_pmuacr(env) || extract64(pmss_access_mask(env), counter, 1);
}

bool pmss_writes_counter(CPUARMState *env, unsigned counter)
{
    uint64_t mask = pmss_access_mask(env) & ~read_only_counters(env);

    return !under_pmuacr(env) || extract64(mask, counter, 1);
}

CPAccessResult pmss_access_counter(CPUARMState *env, unsigned counter)
{
    if (!pmss_pmuv3p9(env) || counter >= PMSS_EVENT_COUNTERS ||
        counter < pmss_accessible_event_counters(env)) {
        return CP_ACCESS_OK;
    }
    return counter < pmss_effective_epmn(env) ? CP_ACCESS_TRAP_EL2
                                              : CP_ACCESS_UNDEFINED;
}

uint64_t pmss_swinc_mask(CPUARMState *env)
{
    if (!pmss_pmuv3p9(env)) {
        return EVENT_COUNTERS;
    }
    if (userenr(env, R_PMUSERENR_EL0_SW_MASK)) {
        return pmss_counters_below(pmss_accessible_event_counters(env));
    }
    return pmss_access_mask(env) & EVENT_COUNTERS;
}

static CPAccessResult tpm_trap(CPUARMState *env)
{
    int el = arm_current_el(env);

    if (el < 2 && (arm_mdcr_el2_eff(env) & MDCR_TPM)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (el < 3 && (pmscope_mdcr_el3(env) & MDCR_TPM)) {
        return pmscope_trap_el3(env);
    }
    return CP_ACCESS_OK;
}

CPAccessResult pmss_access_pm2(CPUARMState *env, bool isread,
                               unsigned fgt2_bit)
{
    CPAccessResult tpm = tpm_trap(env);

    if (pmscope_fgt2_trap(env, isread, fgt2_bit)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (tpm != CP_ACCESS_TRAP_EL2 && pm2_trapped_to_el3(env)) {
        return pmscope_trap_el3(env);
    }
    return tpm;
}

CPAccessResult pmss_access_pmu(CPUARMState *env, const ARMCPRegInfo *ri,
                               bool isread)
{
    if (arm_current_el(env) == 0 && !pmss_el0_enabled(env)) {
        return CP_ACCESS_TRAP_EL1;
    }
    return tpm_trap(env);
}

CPAccessResult pmss_access_pmuserenr(CPUARMState *env, const ARMCPRegInfo *ri,
                                     bool isread)
{
    return tpm_trap(env);
}

CPAccessResult pmss_access_pmceid(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    if (arm_current_el(env) == 0 && userenr(env, R_PMUSERENR_EL0_TID_MASK)) {
        return CP_ACCESS_TRAP_EL1;
    }
    return pmss_access_pmu(env, ri, isread);
}

CPAccessResult pmss_access_pmcr(CPUARMState *env, const ARMCPRegInfo *ri,
                                bool isread)
{
    bool el0_enabled = userenr(env, R_PMUSERENR_EL0_EN_MASK) &&
                       !under_pmuacr(env);

    if (arm_current_el(env) == 0 && !el0_enabled) {
        return CP_ACCESS_TRAP_EL1;
    }
    if (arm_current_el(env) < 2 && (arm_mdcr_el2_eff(env) & MDCR_TPMCR)) {
        return CP_ACCESS_TRAP_EL2;
    }
    return tpm_trap(env);
}

CPAccessResult pmss_access_pmuacr(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    return pmss_access_pm2(env, isread, FGT2_PMUACR);
}

CPAccessResult pmss_access_pmzr(CPUARMState *env, const ARMCPRegInfo *ri,
                                bool isread)
{
    if (arm_current_el(env) == 0 && !pmss_el0_enabled(env)) {
        return CP_ACCESS_TRAP_EL1;
    }
    if (pmscope_fgt2_trap(env, isread, FGT2_PMZR)) {
        return CP_ACCESS_TRAP_EL2;
    }
    return tpm_trap(env);
}

static CPAccessResult access_icntr(CPUARMState *env, bool isread,
                                   unsigned fgt2_bit)
{
    if (arm_current_el(env) == 0 && !under_pmuacr(env)) {
        return CP_ACCESS_TRAP_EL1;
    }
    return pmss_access_pm2(env, isread, fgt2_bit);
}

CPAccessResult pmss_access_pmicntr(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    return access_icntr(env, isread, FGT2_PMICNTR);
}

CPAccessResult pmss_access_pmicfiltr(CPUARMState *env, const ARMCPRegInfo *ri,
                                     bool isread)
{
    return access_icntr(env, isread, FGT2_PMICFILTR);
}
