/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may access the System registers of FEAT_SPE: MDCR_EL2, FEAT_FGT2 and
 * MDCR_EL3, in this order. FEAT_FGT is in the tables of the registers.
 */
#include "qemu/osdep.h"
#include "pmss_firmware.h"
#include "spe.h"
#include "spe_regs.h"

FIELD(SPE_MDCR_EL2, TPMS, 14, 1)

/* HDFGRTR2_EL2 and HDFGWTR2_EL2 */
#define FGT2_PMSDSFR 19
#define FGT2_PMBMAR 24

/* MDCR_EL3.NSPB lets this Security state use the extension. */
static bool el3_allows(CPUARMState *env)
{
    ARMSecuritySpace space;
    uint64_t mdcr = pmscope_mdcr_el3(env);

    spe_owning_el(env, &space);
    return (FIELD_EX64(mdcr, PMSS_MDCR_EL3, NSPB) & 1) &&
           space == arm_security_space_below_el3(env);
}

static CPAccessResult check_el3(CPUARMState *env, uint64_t mdcr_bits)
{
    if (arm_current_el(env) == 3) {
        return CP_ACCESS_OK;
    }
    if (!el3_allows(env) || (pmscope_mdcr_el3(env) & mdcr_bits) != mdcr_bits) {
        return pmscope_trap_el3(env);
    }
    return CP_ACCESS_OK;
}

static bool el2_traps_sampling(CPUARMState *env)
{
    return arm_current_el(env) < 2 &&
           FIELD_EX64(arm_mdcr_el2_eff(env), SPE_MDCR_EL2, TPMS);
}

/* E2PB is 0bx0: EL1 does not control the buffer. */
static bool el2_traps_buffer(CPUARMState *env)
{
    return arm_current_el(env) < 2 && arm_is_el2_enabled(env) &&
           !(spe_e2pb(env) & 1);
}

CPAccessResult spe_access_sampling(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    return el2_traps_sampling(env) ? CP_ACCESS_TRAP_EL2 : check_el3(env, 0);
}

CPAccessResult spe_access_pmsnevfr(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    return el2_traps_sampling(env) ? CP_ACCESS_TRAP_EL2 :
           check_el3(env, R_PMSS_MDCR_EL3_EnPMSN_MASK);
}

CPAccessResult spe_access_pmsdsfr(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    if (el2_traps_sampling(env) ||
        pmscope_fgt2_trap(env, isread, FGT2_PMSDSFR)) {
        return CP_ACCESS_TRAP_EL2;
    }
    return check_el3(env, R_PMSS_MDCR_EL3_EnPMS3_MASK);
}

CPAccessResult spe_access_buffer(CPUARMState *env, const ARMCPRegInfo *ri,
                                 bool isread)
{
    return el2_traps_buffer(env) ? CP_ACCESS_TRAP_EL2 : check_el3(env, 0);
}

CPAccessResult spe_access_pmbmar(CPUARMState *env, const ARMCPRegInfo *ri,
                                 bool isread)
{
    if (el2_traps_buffer(env) ||
        pmscope_fgt2_trap(env, isread, FGT2_PMBMAR)) {
        return CP_ACCESS_TRAP_EL2;
    }
    return check_el3(env, R_PMSS_MDCR_EL3_EnPMS4_MASK);
}
