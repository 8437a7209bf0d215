/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who owns the Profiling Buffer, and what may be profiled and collected
 * (Arm ARM D17.7.5).
 */
#include "qemu/osdep.h"
#include "pmss_firmware.h"
#include "spe.h"

FIELD(SPE_MDCR_EL2, E2PB, 12, 2)

/*
 * RBWRVP. The reserved {NSPBE, NSPB} of {1, 0bx} makes no state below EL3 the
 * owner.
 */
static ARMSecuritySpace owning_space(CPUARMState *env)
{
    uint64_t mdcr = pmscope_mdcr_el3(env);
    bool upper = FIELD_EX64(mdcr, PMSS_MDCR_EL3, NSPB) & 2;

    if (cpu_isar_feature(aa64_rme, env_archcpu(env)) &&
        FIELD_EX64(mdcr, PMSS_MDCR_EL3, NSPBE)) {
        return upper ? ARMSS_Realm : ARMSS_Root;
    }
    return upper ? ARMSS_NonSecure : ARMSS_Secure;
}

unsigned spe_e2pb(CPUARMState *env)
{
    return FIELD_EX64(env->cp15.mdcr_el2, SPE_MDCR_EL2, E2PB);
}

static bool has_el2(CPUARMState *env, ARMSecuritySpace space)
{
    return space != ARMSS_Root && arm_is_el2_enabled_secstate(env, space);
}

int spe_owning_el(CPUARMState *env, ARMSecuritySpace *space)
{
    *space = owning_space(env);
    return has_el2(env, *space) && spe_e2pb(env) == 0 ? 2 : 1;
}

bool spe_buffer_enabled(CPUARMState *env)
{
    ARMSecuritySpace space;
    int owner = spe_owning_el(env, &space);

    return FIELD_EX64(env->spe.pmblimitr, PMBLIMITR, E) &&
           !spe_stopped(env) && arm_el_is_aa64(env, owner) &&
           space == arm_security_space_below_el3(env);
}

bool spe_effective_envm(CPUARMState *env)
{
    ARMSecuritySpace space;

    /* PMSCR_EL2.EnVM is for a buffer that EL1 owns below EL2 (RPSLVX). */
    return spe_owning_el(env, &space) == 2 ||
           !has_el2(env, space) ||
           FIELD_EX64(env->spe.pmscr_el2, PMSCR, ENVM);
}

bool spe_effective_nvm(CPUARMState *env)
{
    return FIELD_EX64(env->spe.pmblimitr, PMBLIMITR, NVM) &&
           spe_effective_envm(env);
}

bool spe_profiling_enabled(CPUARMState *env, int el)
{
    ARMSecuritySpace space;
    int owner = spe_owning_el(env, &space);
    bool tge = arm_hcr_el2_eff(env) & HCR_TGE;

    if (el > owner || !is_a64(env) || !spe_buffer_enabled(env) ||
        (tge && owner == 1)) {
        return false;
    }
    switch (el) {
    case 2:
        return FIELD_EX64(env->spe.pmscr_el2, PMSCR_EL2, E2SPE);
    case 1:
        return FIELD_EX64(env->spe.pmscr_el1, PMSCR, E1SPE);
    default:
        return tge ? FIELD_EX64(env->spe.pmscr_el2, PMSCR_EL2, E0HSPE)
                   : FIELD_EX64(env->spe.pmscr_el1, PMSCR, E0SPE);
    }
}

static bool owner_allows(CPUARMState *env, uint64_t pmscr_bit)
{
    ARMSecuritySpace space;
    int owner = spe_owning_el(env, &space);

    if (owner == 2) {
        return env->spe.pmscr_el2 & pmscr_bit;
    }
    return env->spe.pmscr_el1 & pmscr_bit;
}

bool spe_collects_pa(CPUARMState *env)
{
    if (arm_is_el2_enabled(env) &&
        !FIELD_EX64(env->spe.pmscr_el2, PMSCR, PA)) {
        return false;
    }
    return owner_allows(env, R_PMSCR_PA_MASK);
}

bool spe_collects_context(CPUARMState *env, int reg_el)
{
    bool el2 = arm_is_el2_enabled(env);

    if (reg_el == 2) {
        return el2 && FIELD_EX64(env->spe.pmscr_el2, PMSCR, CX);
    }
    return FIELD_EX64(env->spe.pmscr_el1, PMSCR, CX) &&
           arm_current_el(env) != 2 &&
           !(arm_hcr_el2_eff(env) & HCR_TGE);
}

/* Values of PMSCR_EL1.PCT and PMSCR_EL2.PCT. */
enum {
    PCT_VIRTUAL = 0,
    PCT_PHYSICAL = 1,
    PCT_GUEST_PHYSICAL = 3,
};

/* The reserved value is as 0b01. */
static unsigned pct_of(uint64_t pmscr)
{
    unsigned pct = FIELD_EX64(pmscr, PMSCR, PCT);

    return pct == 2 ? PCT_PHYSICAL : pct;
}

/* EL1 asks for a time where it owns the buffer, and EL2 may override. */
static unsigned effective_pct(CPUARMState *env, int owner)
{
    unsigned el1 = pct_of(env->spe.pmscr_el1);
    unsigned el2 = pct_of(env->spe.pmscr_el2);

    if (!arm_is_el2_enabled(env)) {
        return el1;
    }
    if (owner == 2 || el2 == PCT_VIRTUAL) {
        return el2;
    }
    return el1 == PCT_VIRTUAL ? PCT_VIRTUAL : MAX(el1, el2);
}

/* Unlike that of CNTPCT_EL0 it does not depend on the Exception level. */
static uint64_t physical_offset(CPUARMState *env)
{
    bool applies = (env->cp15.scr_el3 & SCR_ECVEN) &&
                   FIELD_EX64(env->cp15.cnthctl_el2, CNTHCTL, ECV);

    return applies ? env->cp15.cntpoff_el2 : 0;
}

bool spe_collects_time(CPUARMState *env, uint64_t *time)
{
    ARMSecuritySpace space;
    int owner = spe_owning_el(env, &space);

    if (!owner_allows(env, R_PMSCR_TS_MASK)) {
        return false;
    }
    *time = gt_get_countervalue(env);
    switch (effective_pct(env, owner)) {
    case PCT_VIRTUAL:
        *time -= gt_direct_access_timer_offset(env, GTIMER_VIRT);
        break;
    case PCT_GUEST_PHYSICAL:
        *time -= physical_offset(env);
        break;
    }
    return true;
}

bool spe_freezes_counters(CPUARMState *env)
{
    return FIELD_EX64(env->spe.pmblimitr, PMBLIMITR, E) &&
           FIELD_EX64(env->spe.pmblimitr, PMBLIMITR, PMFZ) &&
           spe_stopped(env);
}
